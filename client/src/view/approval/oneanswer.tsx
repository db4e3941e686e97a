import type { RefObject } from "preact";
import { useId, useLayoutEffect, useState } from "preact/hooks";
import type { Call } from "../../types.ts";
import { sandbox } from "../../state/project.ts";
import { offersFor } from "../../text/allow.ts";
import { alwaysAsks } from "../../text/calls.ts";
import { readInput } from "../../text/input.ts";
import type { Asking } from "./answers.ts";
import { allow, asking } from "../../text/strings.ts";
import { Always } from "./always.tsx";
import { wide } from "../parts/focus.ts";
import { TellWhy, useTelling } from "./tellwhy.tsx";

interface Props extends Asking {
  call: Call;
  /** what a single key does where it may decide */
  keys: RefObject<((key: string) => void) | null>;
  /** whether single letters answer it */
  named: boolean;
  /** how many other questions of the dialog are open: a message says no to them too */
  others: number;
}

/** OneAnswer shows the three answers to one question, by button or by key. */
export function OneAnswer({ call, off, whyOff, answer, view, why, keys, named, vain, others }: Props) {
  const [always, setAlways] = useState("");
  const { telling, byHand, toggle, close, button } = useTelling(why);
  const whyId = useId();
  const isOff = !!off.get(call.id);
  const never = alwaysAsks(call.tool, readInput(call.inputText).fields, sandbox.value);
  const say = (verdict: "approve" | "deny", text = "") => answer({ verdicts: new Map([[call.id, verdict]]), always: new Set(always !== "" && verdict === "approve" ? [always] : []), text });
  useLayoutEffect(() => {
    keys.current = named ? (key) => void say(key === "d" ? "deny" : "approve") : null;
  });
  return (
    <>
      {view(call, "alone")}
      <div class="answers" role="group" aria-label={asking.answer}>
        <button class={`allow${vain.has(call) ? " vain" : ""}`} data-decides disabled={isOff} aria-describedby={isOff ? whyId : undefined} aria-keyshortcuts={named ? "a" : undefined} onClick={() => say("approve")}>{asking.once} <kbd aria-hidden="true" class={named ? "" : "away"}>A</kbd></button>
        <button data-decides aria-keyshortcuts={named ? "d" : undefined} onClick={() => say("deny")}>{asking.deny} <kbd aria-hidden="true" class={named ? "" : "away"}>D</kbd></button>
        <button ref={button} aria-expanded={telling} onClick={toggle}>{asking.tellWhy}</button>
        {never === "" ? (
          <details class="always-list" open={wide()}>
            <summary>{allow.summary}</summary>
            {offersFor(call).map((o) => <Always key={o.subject} offer={o} checked={always === o.subject} off={isOff} onChange={(on) => setAlways(on ? o.subject : "")} />)}
          </details>
        ) : <span class="quiet never">{never}</span>}
        {whyOff(call, whyId)}
      </div>
      {telling && <TellWhy label={others > 0 ? asking.denyAll(others + 1) : asking.denyAndSay} open={others || undefined} draft={why} focus={byHand} onSend={(text) => say("deny", text)} onClose={close} />}
    </>
  );
}
