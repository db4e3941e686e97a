import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { Call } from "../types.ts";
import { sandbox } from "../state/project.ts";
import type { Draft } from "../state/unsent.ts";
import { alwaysAsks, callKey, readInput } from "../text/calls.ts";
import { questionOf } from "../text/file.ts";
import type { Answers } from "./approval.tsx";
import { TellWhy, useTelling } from "./tellwhy.tsx";

interface Props {
  calls: Call[];
  /** why a call can't be allowed yet, by its id; "" just after the card appeared */
  off: ReadonlyMap<string, string>;
  whyOff: (c: Call, id: string) => ComponentChildren;
  ready: boolean;
  answer: (a: Answers) => Promise<void>;
  view: (c: Call, level: "alone" | "row") => ComponentChildren;
  why: Draft;
}

/** ManyAnswers asks about several calls in one card: a row each, and one Send. */
export function ManyAnswers({ calls, off, whyOff, ready, answer, view, why }: Props) {
  const [verdicts, setVerdicts] = useState(new Map<string, "approve" | "deny">());
  const [always, setAlways] = useState(new Set<string>());
  const { telling, byHand, toggle: toggleTelling } = useTelling(why);
  const choose = (id: string, v: "approve" | "deny") => setVerdicts(new Map(verdicts).set(id, v));
  const toggle = (tool: string, on: boolean) => {
    const next = new Set(always);
    if (on) next.add(tool);
    else next.delete(tool);
    setAlways(next);
  };
  // An always answers the tool's other questions too.
  const allowed = new Set(calls.filter((c) => always.has(c.tool) && verdicts.get(c.id) === "approve").map((c) => c.tool));
  const n = calls.filter((c) => verdicts.has(c.id) || allowed.has(c.tool)).length;
  // A message denies all that was not allowed.
  const tell = (text: string) => {
    const all = new Map(verdicts);
    for (const c of calls) if (!all.has(c.id)) all.set(c.id, "deny");
    void answer({ verdicts: all, always, text });
  };
  const tools = [...new Set(calls.map((c) => c.tool))];
  return (
    <>
      {calls.map((c) => {
        const isOff = !!off.get(c.id);
        return (
          <fieldset class="ask" key={c.id} data-call={callKey(c)}>
            <legend class="unseen">{questionOf(c, sandbox.value)}</legend>
            {view(c, "row")}
            <div class="answers" role="group" aria-label="Your answer" aria-disabled={!ready}>
              <label class={`choice${isOff ? " off" : ""}`}><input type="radio" name={`answer-${c.id}`} checked={verdicts.get(c.id) === "approve"} disabled={isOff} onChange={() => choose(c.id, "approve")} /> Allow once</label>
              <label class="choice"><input type="radio" name={`answer-${c.id}`} checked={verdicts.get(c.id) === "deny"} onChange={() => choose(c.id, "deny")} /> Don’t</label>
              {whyOff(c, `why-${c.id}`)}
            </div>
          </fieldset>
        );
      })}
      <div class="answers all" role="group" aria-label="Your answers" aria-disabled={!ready}>
        <button class="allow" data-decides disabled={n === 0} onClick={() => void answer({ verdicts, always, text: "" })}>Send {n === 0 || n === calls.length ? "answers" : `${n} of ${calls.length} answers`}</button>
        <button aria-expanded={telling} onClick={toggleTelling}>Tell it why…</button>
        <span class="spread" />
        <span class="always-list">
          {tools.map((tool) => {
            const never = calls.filter((c) => c.tool === tool).map((c) => alwaysAsks(tool, readInput(c.inputText).fields, sandbox.value)).find((w) => w !== "");
            // An always answers the tool's other questions too: each must have been in view, or denied.
            const isOff = calls.some((c) => c.tool === tool && !!off.get(c.id) && verdicts.get(c.id) !== "deny");
            return never ? <span class="quiet" key={tool}>{never}</span> : (
              <label class="always" key={tool}><input type="checkbox" checked={always.has(tool)} disabled={isOff} onChange={(e) => toggle(tool, e.currentTarget.checked)} /> <span>Always allow <b>{tool}</b> in this dialog</span></label>
            );
          })}
        </span>
      </div>
      {telling && <TellWhy label="Send, with a no to the rest" draft={why} focus={byHand} onSend={tell} />}
    </>
  );
}
