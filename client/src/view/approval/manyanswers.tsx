import { useId, useState } from "preact/hooks";
import type { Call } from "../../types.ts";
import type { OpenDialog } from "../../state/dialog.ts";
import { sandbox } from "../../state/project.ts";
import { offersFor } from "../../text/allow.ts";
import { callKey } from "../../text/callkey.ts";
import { alwaysAsks } from "../../text/calls.ts";
import { readInput } from "../../text/input.ts";
import { allows } from "../../text/control.ts";
import { allow, asking } from "../../text/strings.ts";
import { allowedBy, askId, type Asking } from "./answers.ts";
import { wide } from "../parts/focus.ts";
import { Always } from "./always.tsx";
import { TellWhy, useTelling } from "./tellwhy.tsx";
import { WhyOff } from "./whyoff.tsx";

interface Props extends Asking, Pick<OpenDialog, "chosen"> {
  /** the first of which something was not in view yet, and what scrolls to that */
  unread: Call | undefined;
  readOn: (c: Call) => void;
}

// From so many on one answer to all of them has buttons of its own.
const MANY = 3;

/** ManyAnswers asks about several calls in one card: a row each, one Send, and for many one answer to all. */
export function ManyAnswers({ calls, off, whyOff, answer, view, why, chosen, unread, readOn }: Props) {
  const whyAll = useId();
  const verdicts = new Map(calls.flatMap((c) => {
    const v = chosen.value.get(callKey(c));
    return v === undefined ? [] : [[c.id, v] as const];
  }));
  const [always, setAlways] = useState(new Set<string>());
  const { telling, byHand, toggle: toggleTelling, close, button } = useTelling(why);
  const choose = (c: Call, v: "approve" | "deny") => { chosen.value = new Map(chosen.value).set(callKey(c), v); };
  const toggle = (subject: string, on: boolean) => {
    const next = new Set(always);
    if (on) next.add(subject);
    else next.delete(subject);
    setAlways(next);
  };
  // An always answers the other questions that it covers too.
  const allowed = allowedBy(calls, { verdicts, always });
  const n = calls.filter((c) => verdicts.has(c.id) || allowed.some((s) => allows(s, c))).length;
  // A message denies all that was not allowed.
  const tell = (text: string) => {
    const all = new Map(verdicts);
    for (const c of calls) if (!all.has(c.id) && !allowed.some((s) => allows(s, c))) all.set(c.id, "deny");
    return answer({ verdicts: all, always, text });
  };
  // While a reason is written no button sends without it.
  const reason = why.text.value, says = telling && reason.trim() !== "", complete = n === calls.length;
  const send = () => {
    if (!says) return void answer({ verdicts, always, text: "" });
    if (tell(reason)) why.write("");
  };
  const all = (v: "approve" | "deny") => {
    if (answer({ verdicts: new Map(calls.map((c) => [c.id, v])), always: v === "approve" ? always : new Set(), text: says ? reason : "" }) && says) why.write("");
  };
  const never = (c: Call) => alwaysAsks(c.tool, readInput(c.inputText).fields, sandbox.value);
  const nevers = [...new Set(calls.map(never).filter((w) => w !== ""))];
  const offers = new Map(calls.flatMap((c) => (never(c) === "" ? offersFor(c) : [])).map((o) => [o.subject, o]));
  return (
    <>
      {calls.map((c) => {
        const isOff = !!off.get(c.id);
        return (
          <fieldset class="ask" key={c.id} data-call={callKey(c)} aria-labelledby={askId(c)}>
            {view(c, "row")}
            <div class="answers" role="group">
              <label class={`choice${isOff ? " off" : ""}`}><input type="radio" name={`answer-${c.id}`} checked={verdicts.get(c.id) === "approve"} disabled={isOff} onChange={() => choose(c, "approve")} /> {asking.once}</label>
              <label class="choice deny"><input type="radio" name={`answer-${c.id}`} checked={verdicts.get(c.id) === "deny"} onChange={() => choose(c, "deny")} /> {asking.deny}</label>
              {whyOff(c, `why-${c.id}`)}
            </div>
          </fieldset>
        );
      })}
      <div class="answers all" role="group" aria-label={asking.answers}>
        <button class="allow" data-decides data-widest={asking.send(calls.length - 1, calls.length)} disabled={n === 0 || (says && !complete)} onClick={send}>{asking.send(n, calls.length)}</button>
        {calls.length >= MANY && <>
          <button data-decides disabled={off.size > 0} aria-describedby={off.size > 0 ? whyAll : undefined} onClick={() => all("approve")}>{asking.allowEach(calls.length)}</button>
          <button data-decides onClick={() => all("deny")}>{asking.allowNone}</button>
        </>}
        <button ref={button} aria-expanded={telling} onClick={toggleTelling}>{asking.tellWhy}</button>
        {calls.length >= MANY && <WhyOff id={whyAll} words={off.size > 0 ? asking.eachFirst : ""} onReadOn={unread && (() => readOn(unread))} />}
        <span class="spread" />
        <details class="always-list" open={wide()}>
          <summary>{allow.summary}</summary>
          {[...offers.values()].map((o) => {
            // Each question that it answers too must have been in view, or denied.
            const isOff = calls.some((c) => allows(o.subject, c) && !!off.get(c.id) && verdicts.get(c.id) !== "deny");
            return <Always key={o.subject} offer={o} checked={always.has(o.subject)} off={isOff} onChange={(on) => toggle(o.subject, on)} />;
          })}
          {nevers.map((w) => <span class="quiet" key={w}>{w}</span>)}
        </details>
      </div>
      {telling && <TellWhy label={complete ? asking.sendSay : n === 0 ? asking.denyAll(calls.length) : asking.sendNo(calls.length - n)} open={calls.length - n} draft={why} focus={byHand} onSend={tell} onClose={close} />}
    </>
  );
}
