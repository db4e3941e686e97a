import type { ComponentChildren } from "preact";
import { useEffect, useId, useState } from "preact/hooks";
import type { Call } from "../types.ts";
import { inField } from "../state/keys.ts";
import { sandbox } from "../state/project.ts";
import { alwaysAsks, readInput } from "../text/calls.ts";
import type { Answers } from "./approval.tsx";
import { TellWhy } from "./tellwhy.tsx";

interface Props {
  call: Call;
  closed: Map<string, string>;
  ready: boolean;
  answer: (a: Answers) => Promise<void>;
  view: (c: Call, level: "alone" | "row") => ComponentChildren;
  inView: () => boolean;
}

/** OneAnswer are the three answers to one question, by button or by key. */
export function OneAnswer({ call, closed, ready, answer, view, inView }: Props) {
  const [always, setAlways] = useState(false);
  const [telling, setTelling] = useState(false);
  const why = useId();
  const left = closed.get(call.id) ?? "";
  const never = alwaysAsks(call.tool, readInput(call.inputText).fields, sandbox.value);
  const say = (verdict: "approve" | "deny", text = "") =>
    void answer({ verdicts: new Map([[call.id, verdict]]), always: new Set(always && verdict === "approve" ? [call.tool] : []), text });
  useEffect(() => {
    const key = (e: KeyboardEvent) => {
      if (!ready || e.ctrlKey || e.metaKey || e.altKey || inField(e)) return;
      const k = e.key.toLowerCase();
      if (k !== "a" && k !== "d") return;
      e.preventDefault();
      if (!inView()) return;
      if (k === "d") say("deny");
      else if (left === "") say("approve");
    };
    addEventListener("keydown", key);
    return () => removeEventListener("keydown", key);
  });
  return (
    <>
      {view(call, "alone")}
      <div class="answers">
        <button class="allow" disabled={!ready || left !== ""} aria-describedby={left === "" ? undefined : why} aria-keyshortcuts="a" onClick={() => say("approve")}>Allow once <kbd aria-hidden="true">A</kbd></button>
        <button disabled={!ready} aria-keyshortcuts="d" onClick={() => say("deny")}>Don’t <kbd aria-hidden="true">D</kbd></button>
        <button disabled={!ready} aria-expanded={telling} onClick={() => setTelling(!telling)}>Tell it why…</button>
        {never === "" ? (
          <label class="always"><input type="checkbox" checked={always} onChange={(e) => setAlways(e.currentTarget.checked)} /> <span>Always allow <b>{call.tool}</b> in this dialog</span></label>
        ) : <span class="quiet never">{never}</span>}
      </div>
      {left !== "" && <p class="quiet must-open" id={why}>Open the {left} first: you allow all of it.</p>}
      {telling && <TellWhy ready={ready} label="Don’t, and say" onSend={(text) => say("deny", text)} />}
    </>
  );
}
