import type { ComponentChildren, RefObject } from "preact";
import { useId, useLayoutEffect, useState } from "preact/hooks";
import type { Call } from "../types.ts";
import { sandbox } from "../state/project.ts";
import type { Draft } from "../state/unsent.ts";
import { alwaysAsks, readInput } from "../text/calls.ts";
import type { Answers } from "./approval.tsx";
import { TellWhy, useTelling } from "./tellwhy.tsx";

interface Props {
  call: Call;
  /** why a call can't be allowed yet, by its id; "" just after the card appeared */
  off: ReadonlyMap<string, string>;
  whyOff: (c: Call, id: string) => ComponentChildren;
  ready: boolean;
  answer: (a: Answers) => Promise<void>;
  view: (c: Call, level: "alone" | "row") => ComponentChildren;
  why: Draft;
  /** what a single key does where it may decide */
  keys: RefObject<((key: string) => void) | null>;
}

/** OneAnswer shows the three answers to one question, by button or by key. */
export function OneAnswer({ call, off, whyOff, ready, answer, view, why, keys }: Props) {
  const [always, setAlways] = useState(false);
  const { telling, byHand, toggle } = useTelling(why);
  const whyId = useId();
  const isOff = !!off.get(call.id);
  const never = alwaysAsks(call.tool, readInput(call.inputText).fields, sandbox.value);
  const say = (verdict: "approve" | "deny", text = "") => {
    void answer({ verdicts: new Map([[call.id, verdict]]), always: new Set(always && verdict === "approve" ? [call.tool] : []), text });
  };
  useLayoutEffect(() => {
    keys.current = (key) => say(key === "d" ? "deny" : "approve");
  });
  return (
    <>
      {view(call, "alone")}
      <div class="answers" role="group" aria-label="Your answer" aria-disabled={!ready}>
        <button class="allow" data-decides disabled={isOff} aria-describedby={isOff ? whyId : undefined} aria-keyshortcuts="a" onClick={() => say("approve")}>Allow once <kbd aria-hidden="true">A</kbd></button>
        <button data-decides aria-keyshortcuts="d" onClick={() => say("deny")}>Don’t <kbd aria-hidden="true">D</kbd></button>
        <button aria-expanded={telling} onClick={toggle}>Tell it why…</button>
        {never === "" ? (
          <label class="always"><input type="checkbox" checked={always} disabled={isOff} onChange={(e) => setAlways(e.currentTarget.checked)} /> <span>Always allow <b>{call.tool}</b> in this dialog</span></label>
        ) : <span class="quiet never">{never}</span>}
        {whyOff(call, whyId)}
      </div>
      {telling && <TellWhy label="Don’t, and say" draft={why} focus={byHand} onSend={(text) => say("deny", text)} />}
    </>
  );
}
