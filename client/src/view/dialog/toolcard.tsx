import { useMemo, useRef, useState } from "preact/hooks";
import { appliedBy } from "../../state/applied.ts";
import type { OpenDialog } from "../../state/dialog.ts";
import type { Item } from "../../text/items.ts";
import { payload } from "../../text/items.ts";
import { callWords, unknownWords } from "../../text/calls.ts";
import { readInput } from "../../text/input.ts";
import { useDiffer } from "../../state/differ.ts";
import { outcomeOf } from "../../text/outcome.ts";
import { editedPart } from "../../text/part.ts";
import { partsOf } from "../../text/parts.ts";
import { PLAN } from "../../text/plan.ts";
import { outcome, tool as say } from "../../text/strings.ts";
import { calledIn, dialogTitle } from "../../state/project.ts";
import { dialogName } from "../../text/names.ts";
import { writeRoute } from "../../text/route.ts";
import { seconds } from "../../text/time.ts";
import { Exact } from "../parts/exact.tsx";
import { Icon, type IconName } from "../parts/icon.tsx";
import { useNear } from "../parts/near.ts";
import { PartView } from "../parts/part.tsx";
import { Reveal } from "../parts/reveal.tsx";
import { Screenshot } from "./screenshot.tsx";
import { ChangeActs, Left } from "./undo.tsx";

const ICONS: Record<string, IconName> = { done: "check", running: "ring", denied: "cross", failed: "warn" };

/** ToolCard shows a call in one line: verb, object, why it was allowed, time, size. It opens to the input and the result. */
export function ToolCard({ item, dialog, running }: { item: Item & { kind: "tool" }; dialog: OpenDialog; running: boolean }) {
  const project = dialog.project;
  const tool = item.request.meta?.["Tool"] ?? "";
  const input = payload(item.request, "tool/input/json");
  const end = outcomeOf(tool, input, item.result);
  const applied = tool === "edit_file" && end.state === "done";
  const [open, setOpen] = useState<boolean | null>(null);
  const isOpen = open ?? applied;
  const { fields } = readInput(input);
  const words = item.unknown === "" ? callWords(tool, fields) : unknownWords(item.unknown);
  // A dialog has one name, that of the list, whatever the call named it by.
  const of = end.dialogId || (typeof fields?.["dialogId"] === "string" ? fields["dialogId"] : "");
  const called = of === "" ? calledIn(fields) : "";
  const object = of === "" ? words.object : words.object.replace(end.dialogId !== "" ? String(fields?.["slug"] ?? "") : dialogName(of), () => dialogTitle(of));
  // A call without a result runs, or the dialog stopped before it had one.
  const state = end.state === "running" && !running ? "failed" : end.state;
  const verb = end.state === "running" && !running ? say.leftOpen : end.state === "denied" && end.tried !== "" ? outcome.triedVerb : words.verb[end.state === "done" ? "done" : end.state];
  const ms = item.result?.resources?.ms ?? 0;
  const meta = [end.tried || item.why, ms > 0 ? seconds(ms) : "", end.size].filter(Boolean).join(" · ");
  return (
    <section data-section={item.request.id} class={`tool ${state}${applied ? " applied" : ""}`} aria-label={`${verb} ${object}`}>
      <button class="one-line" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <Icon name={ICONS[state]!} class={state === "running" ? "turning" : ""} />
        <span class="unseen">{say.states[state]}: </span>
        <b>{verb}</b> <span class="object">{words.byName === true ? <code class="name"><Reveal text={object} /></code> : <Reveal text={object} />}{called !== "" && <> <span class="as" dir="auto"><Reveal text={called} /></span></>}</span>
        <span class="meta">{meta}</span>
        <Icon name={isOpen ? "down" : "right"} class="chevron" />
      </button>
      {end.dialogId !== "" && <a class="launched" href={writeRoute({ at: "dialogs", project, dialog: end.dialogId })}>{say.open(dialogTitle(end.dialogId))}</a>}
      {tool === "plan_decision_log" && end.state === "done" && <a class="launched" href={writeRoute({ at: "docs", project, file: PLAN })}>{say.openPlan}</a>}
      {(end.state === "done" || end.tried !== "") && <ChangeActs id={item.request.id} project={project} input={input} />}
      {end.error !== "" && item.unknown === "" && <p class="error"><Reveal text={end.error} /></p>}
      <Left all={end.left} />
      {end.picture !== null && (isOpen || end.picture.question !== "") && <Screenshot project={project} picture={end.picture} />}
      {isOpen && end.pictures.map((p) => <Screenshot key={p.name} project={project} picture={p} />)}
      {isOpen && <ToolBody made={applied ? { dialog, id: item.request.id } : null} tool={tool} input={input} texts={end.texts} raw={end.raw} />}
    </section>
  );
}

type Texts = { label: string; text: string }[];

// The result's own bytes are for who asks for them: they are not in the page before that.
function Raw({ text }: { text: string }) {
  const [open, setOpen] = useState(false);
  return <details class="aside" onToggle={(e) => setOpen(e.currentTarget.open)}><summary>{say.details}</summary>{open && <Exact text={text} lines={12} />}</details>;
}

/** ToolBody is a call's input and result; of an edit that was made, what it made of its file, once that is known. */
function ToolBody({ made, tool, input, texts, raw }: { made: { dialog: OpenDialog; id: string } | null; tool: string; input: string; texts: Texts; raw: string }) {
  const box = useRef<HTMLDivElement>(null);
  const near = useNear(box, made !== null);
  const change = made !== null && near ? appliedBy(made.dialog, made.id).value : null;
  const refined = tool === "edit_file" && useDiffer();
  const edited = useMemo(() => {
    const { old_string: old, new_string: now } = readInput(input).fields ?? {};
    return typeof old === "string" && typeof now === "string" ? editedPart(change, old, now) : null;
  }, [change, refined]);
  const { parts: asked, warning } = partsOf(tool, input);
  const parts = edited === null ? asked : asked.map((p) => (p.kind === "diff" ? edited : p));
  return (
    <div class="tool-body" ref={box}>
      {warning !== "" && <p class="error">{warning}</p>}
      {parts.map((p) => <PartView key={p.key} part={p} />)}
      {made === null && texts.filter((t) => !parts.some((p) => p.kind === "text" && p.text === t.text)).map((t) => <Exact key={t.label} label={t.label} text={t.text} lines={12} />)}
      {made !== null && texts.length > 0 && <details class="aside"><summary>{say.result}</summary>{texts.map((t) => <Exact key={t.label} text={t.text} lines={12} />)}</details>}
      {raw !== "" && <Raw text={raw} />}
    </div>
  );
}
