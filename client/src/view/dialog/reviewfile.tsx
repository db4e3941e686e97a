import { useComputed, useSignal } from "@preact/signals";
import { Fragment } from "preact";
import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import type { CallChange, ChangeHunk, RefusedFile } from "../../types.ts";
import { useDiffer } from "../../state/differ.ts";
import { endText, typesOn } from "../../state/keys.ts";
import type { Review } from "../../state/review.ts";
import { announce } from "../../state/toast.ts";
import { inDeed } from "../../text/deed.ts";
import { hunkRows, rowChanged, type HunkRow } from "../../text/hunkrows.ts";
import { lineKey, modeOf, placeOf, type ReviewedFile, type ReviewLine, type Stray } from "../../text/review.ts";
import { writeRoute } from "../../text/route.ts";
import { changes as diffs, review as say, undoing } from "../../text/strings.ts";
import { useAct } from "../parts/act.ts";
import { Marked, ProseRow, SIGN } from "../parts/diff.tsx";
import { Reveal } from "../parts/reveal.tsx";
import { Left } from "./undo.tsx";

/** ReviewFile shows what a turn made of one file: each call's change of it, hunk by hunk. */
export function ReviewFile({ file: { path, changes }, review: r }: { file: ReviewedFile; review: Review }) {
  const deed = inDeed(path), project = r.dialog.project;
  const last = changes.at(-1)!;
  const state = last.now === last.sha256 || last.taken !== undefined || last.hunks.some((h) => h.taken) ? "" : last.now === "" ? say.gone : say.since;
  return (
    <section class="reviewed" aria-label={path}>
      <h2><a href={deed === null ? writeRoute({ at: "docs", project, file: path }) : writeRoute({ at: "deed", project, path: deed })}><Reveal text={path} /></a> {state !== "" && <span class="quiet">{state}</span>}</h2>
      <Strays all={r.strays.value.filter((s) => s.path === path)} review={r} />
      {changes.map((c, i) => <ChangeView key={c.call} change={c} step={changes.length > 1 ? say.step(i + 1, changes.length) : ""} review={r} />)}
    </section>
  );
}

/** Strays shows the comments on lines of one file that are not shown any more, each with the words of its line. */
export function Strays({ all, review: r }: { all: Stray[]; review: Review }) {
  return (
    <>
      {all.map(({ key, at, side, comment: c }) => (
        <div class="stray" role="group" key={key} aria-label={say.commentOn(at, side === "before")}>
          <p class="quiet">{say.stray(at, side === "before")}</p>
          {c.quote !== "" && <blockquote dir="auto"><code>{c.quote}</code></blockquote>}
          <Comment label={say.commentOn(at, side === "before")} text={c.text} focus={false} onWrite={(text) => r.write(key, { ...c, text })} onClose={() => undefined} />
        </div>
      ))}
    </>
  );
}

function ChangeView({ change: c, step, review: r }: { change: CallChange; step: string; review: Review }) {
  const mode = modeOf(c);
  return (
    <>
      {step !== "" && <h3 class="quiet">{step}</h3>}
      {mode !== "" && <p class="quiet">{mode}</p>}
      {c.why !== undefined && <p class="quiet"><Reveal text={say.noLines(c.why)} /></p>}
      {c.stays !== undefined && <p class="quiet"><Reveal text={say.stays(c.stays)} /></p>}
      {c.hunks.map((h) => <Hunk key={`${h.from}-${h.to}`} change={c} hunk={h} review={r} />)}
    </>
  );
}

/** Hunk shows one run of changed lines, of a doc by its paragraphs. Arrows lead from row to row, at each of which a comment can be written. */
function Hunk({ change: c, hunk: h, review: r }: { change: CallChange; hunk: ChangeHunk; review: Review }) {
  const fine = useDiffer();
  const rows = useMemo(() => hunkRows(c.path, h), [h, fine]);
  const box = useRef<HTMLDivElement>(null);
  const open = useSignal("");
  const chosen = useSignal<number | null>(null);
  const at = Math.min(rows.length - 1, chosen.value ?? Math.max(0, rows.findIndex(rowChanged))); // there may be fewer once the diff is fine
  const { act, busy } = useAct();
  const refused = useSignal<RefusedFile[]>([]);
  const works = r.dialog.status.value === "active";
  const taken = c.taken ?? h.taken;
  const undo = (what: () => Promise<RefusedFile[]>, told: string) => act(async () => {
    refused.value = await what();
    if (refused.value.length > 0) return;
    announce(told);
    box.current?.focus({ preventScroll: true }); // the button is another one now
  });
  const numbers = () => box.current!.querySelectorAll<HTMLElement>(".number");
  const onKeyDown = (e: KeyboardEvent) => {
    if (!(e.target as Element).matches(".number")) return;
    if (typesOn(e)) return goOn(e);
    const by = { ArrowDown: 1, ArrowUp: -1 }[e.key];
    if (by === undefined) return;
    const to = at + by;
    if (to < 0 || to >= rows.length) return;
    e.preventDefault();
    chosen.value = to;
    numbers()[to]!.focus();
  };
  const comment = (i: number) => {
    chosen.value = i;
    open.value = lineKey(c, rows[i]!.line);
  };
  // Who types on behind the Enter that ended a comment writes its next line.
  const goOn = (e: KeyboardEvent) => {
    e.preventDefault();
    const { line } = rows[at]!, key = lineKey(c, line);
    r.write(key, { ...placeOf(c, line), text: `${r.comments.peek()[key]?.text ?? ""}\n${e.key}`.trimStart() });
    comment(at);
  };
  const close = (i: number) => {
    open.value = "";
    const to = numbers()[i] ?? null;
    to?.focus();
    endText(to);
  };
  return (
    <div class={taken === undefined ? "hunk" : "hunk taken"} ref={box} role="group" tabIndex={-1} aria-label={say.hunk(c.path, h.from, h.to)}>
      <div class={`rows${rows[at]!.paragraph === null ? "" : " in-words"}`} onKeyDown={onKeyDown}>
        {rows.map((row, i) => (
          <Fragment key={i}>
            <Row row={row} on={i === at} onOpen={() => comment(i)} />
            {row.lines.map((l) => <LineComment key={lineKey(c, l)} change={c} line={l} review={r} open={open.value === lineKey(c, l)} onClose={() => close(i)} />)}
          </Fragment>
        ))}
      </div>
      <div class="hunk-acts">
        <button type="button" onClick={() => comment(at)}>{say.comment}</button>
        {c.stays === undefined && (taken === undefined
          ? <button type="button" disabled={busy.value || works} title={works ? undoing.stopFirst : ""} onClick={() => void undo(() => r.takeBack(c, h), say.tookBack)}>{say.takeBack}</button>
          : <><span class="quiet">{undoing.undone}</span> <button type="button" disabled={busy.value || works} title={works ? undoing.stopFirst : ""} onClick={() => void undo(() => r.bringBack(taken), undoing.redo)}>{undoing.redo}</button></>)}
        <Left all={refused.value.map((f) => undoing.left(f.path, f.why))} role="alert" />
      </div>
    </div>
  );
}

function Row({ row: { line: l, paragraph }, on, onOpen }: { row: HunkRow; on: boolean; onOpen: () => void }) {
  const number = <button type="button" class="number" tabIndex={on ? 0 : -1} aria-label={say.commentOn(l.at, l.side === "before")} onClick={onOpen}>{l.at}</button>;
  if (paragraph !== null) return <div class="paragraph">{number}<ProseRow row={paragraph} /></div>;
  return (
    <div class={`row ${l.kind}`}>
      {number}
      <span class="sign" aria-hidden="true">{SIGN[l.kind]}</span>
      <span class="unseen">{diffs.sign[l.kind]}</span>
      <code dir="auto"><Marked row={l} /></code>
    </div>
  );
}

interface LineCommentProps { change: CallChange; line: ReviewLine; review: Review; open: boolean; onClose: () => void }

// A letter draws the comment that it is written in anew, and no other.
function LineComment({ change: c, line: l, review: r, open, onClose }: LineCommentProps) {
  const key = lineKey(c, l), said = useComputed(() => r.comments.value[key]?.text).value;
  if (!open && said === undefined) return null;
  return <Comment label={say.commentOn(l.at, l.side === "before")} text={said ?? ""} focus={open} onWrite={(text) => r.write(key, { ...placeOf(c, l), text })} onClose={onClose} />;
}

/** Comment is the field of a comment. It is kept as it is written; Enter and Escape lead back to the line. */
function Comment({ label, text, focus, onWrite, onClose }: { label: string; text: string; focus: boolean; onWrite: (text: string) => void; onClose: () => void }) {
  const field = useRef<HTMLTextAreaElement>(null);
  useLayoutEffect(() => {
    if (!focus) return;
    field.current!.focus();
    field.current!.setSelectionRange(text.length, text.length);
  }, [focus]);
  const onKeyDown = (e: KeyboardEvent) => {
    if (e.isComposing || (e.key !== "Escape" && (e.key !== "Enter" || e.shiftKey))) return;
    e.preventDefault();
    e.stopPropagation();
    onClose();
  };
  return (
    <div class="line-comment">
      <textarea ref={field} aria-label={label} rows={Math.min(8, text.split("\n").length)} value={text} dir="auto" onInput={(e) => onWrite(e.currentTarget.value)} onKeyDown={onKeyDown} />
      <button type="button" onClick={() => { onWrite(""); onClose(); }}>{say.remove}</button>
    </div>
  );
}
