import { useEffect, useRef } from "preact/hooks";
import type { OpenDialog } from "../../state/dialog.ts";
import { dialogTitle } from "../../state/project.ts";
import { sendMessage } from "../../state/queue.ts";
import { toast } from "../../state/toast.ts";
import type { Item } from "../../text/items.ts";
import { checkIn, checkMessage, mailHTML, mailText, noteForm, pastStop, uncheckedWords } from "../../text/notes.ts";
import { writeRoute } from "../../text/route.ts";
import { notes as say } from "../../text/strings.ts";
import { Icon } from "../parts/icon.tsx";
import { Reveal } from "../parts/reveal.tsx";
import { Rich } from "../parts/rich.tsx";
import { useSettled } from "../parts/still.ts";
import { UndoLine } from "./undo.tsx";

/** NoteView shows what the program has to say: what is for the agent small, what is for the human clear. */
export function NoteView({ item, dialog }: { item: Item & { kind: "note" }; dialog: OpenDialog }) {
  const s = item.section;
  const kind = s.meta?.["Kind"] ?? "";
  const form = noteForm(s, item.text);
  const text = <Rich html={s.html} text={item.text} project={dialog.project} />;
  if (kind === "undo") return <UndoLine section={s} />;
  if (kind === "doc-change") {
    // The note holds the whole doc, which can be read among the docs too.
    return (
      <details class="note aside doc-change" data-section={s.id}>
        <summary><b>{form.words}</b> {item.text.replace("[DOC CHANGED] ", "").split("\n", 1)[0]}</summary>
        {text}
      </details>
    );
  }
  switch (form.form) {
    case "quiet":
      return <details class="aside told" data-section={s.id}><summary>{form.words}</summary>{text}</details>;
    case "divider":
      return <p class="phase-line" role="note" data-section={s.id}><span>{form.words}</span></p>;
    case "commit":
      return <p class="badge" role="note" data-section={s.id}><span class="pill done"><Icon name="check" />{form.words}</span></p>;
    case "mark":
      if (kind === "unverified") return <Unchecked words={form.words} item={item} dialog={dialog} />;
      return <aside role="note" class="note flagged" data-section={s.id} aria-label={say.note}><p class="mark"><Icon name="warn" /> {form.words}</p></aside>;
    case "mail": {
      const from = <a href={writeRoute({ at: "dialogs", project: dialog.project, dialog: form.from })} dir="auto">{dialogTitle(form.from)}</a>;
      return (
        <aside role="note" class="note mail" data-section={s.id} aria-label={say.note}>
          <p class="whose">{s.meta?.["End"] ? <>{from} {form.words}</> : <>{form.words} {from}</>}</p>
          <Rich html={mailHTML(s.html)} text={mailText(item.text)} project={dialog.project} />
        </aside>
      );
    }
    case "stop":
      return <StopCard title={form.words} item={item} dialog={dialog} />;
  }
  return (
    <aside role="note" data-section={s.id} class={`note ${/^[a-z-]+$/.test(kind) ? kind : ""}`} aria-label={say.note}>
      <b>{form.words}</b> {text}
    </aside>
  );
}

/** Unchecked says that what was changed is not checked, and lets the human ask for it. */
function Unchecked({ words, item, dialog: d }: { words: string; item: Item & { kind: "note" }; dialog: OpenDialog }) {
  const acts = useRef<HTMLDivElement>(null);
  useEffect(() => void d.loadCheck(), [d]);
  const check = d.check.value || checkIn(item.text);
  const waits = item.stands && d.status.value !== "active" && d.governor.value?.unverified === true && d.pending.value.length === 0;
  const { settled, onClickCapture } = useSettled(acts, String(waits)); // the button may come later than its card
  const ask = () => { if (!sendMessage(d, checkMessage(check), {})) toast(say.noRoom); };
  return (
    <aside role="note" class="note flagged" aria-label={say.note}>
      <p class="mark"><Icon name="warn" /> {words}.</p> <span>{uncheckedWords(check)} {check !== "" && <code><Reveal text={check} /></code>}</span>
      {waits && (
        <div class="actions" ref={acts} role="group" aria-label={say.whatNow} aria-disabled={!settled} onClickCapture={onClickCapture}>
          <button onClick={ask}>{say.askToCheck}</button>
        </div>
      )}
    </aside>
  );
}

/** StopCard says why the governor stopped the turn. Where the dialog still stands there, it goes on from here. */
function StopCard({ title, item, dialog: d }: { title: string; item: Item & { kind: "note" }; dialog: OpenDialog }) {
  const acts = useRef<HTMLDivElement>(null);
  const waits = item.stands && d.status.value === "waiting" && d.needs.value === "continue";
  const { settled, onClickCapture } = useSettled(acts, String(waits)); // the button may come later than its card
  const resume = () => d.resume().catch((e: Error) => toast(e.message));
  return (
    <section class={`card stop${item.stands ? "" : " past"}`} aria-label={title}>
      <h2><Icon name="stop" /> {title}</h2>
      {item.stands ? <Rich html={item.section.html} text={item.text} project={d.project} /> : <p>{pastStop(item.text)}</p>}
      {waits && (
        <div class="actions" ref={acts} role="group" aria-label={say.whatNow} aria-disabled={!settled} onClickCapture={onClickCapture}>
          <button class="primary" onClick={resume}>{say.resume}</button>
        </div>
      )}
    </section>
  );
}
