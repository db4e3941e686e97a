import { useComputed, useSignal } from "@preact/signals";
import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import type { CallChange, ChangeHunk, RefusedFile } from "../../types.ts";
import { useDiffer } from "../../state/differ.ts";
import { focusByHand } from "../../state/keys.ts";
import type { Review } from "../../state/review.ts";
import { announce } from "../../state/toast.ts";
import { inDeed } from "../../text/deed.ts";
import { lineKey, markedLines, modeOf, placeOf, type Comment as Written, type ReviewedFile, type ReviewLine, type Stray } from "../../text/review.ts";
import { writeRoute } from "../../text/route.ts";
import { changes as rows, review as say, undoing } from "../../text/strings.ts";
import { useAct } from "../parts/act.ts";
import { Marked, SIGN } from "../parts/diff.tsx";
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

/** Hunk shows one run of changed lines. Arrows lead from line to line, at each of which a comment can be written. */
function Hunk({ change: c, hunk: h, review: r }: { change: CallChange; hunk: ChangeHunk; review: Review }) {
  const fine = useDiffer();
  const lines = useMemo(() => markedLines(h), [h, fine]);
  const box = useRef<HTMLDivElement>(null);
  const open = useSignal("");
  const at = useSignal(lines.findIndex((l) => l.kind !== "same"));
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
  const comment = (l: ReviewLine) => { open.value = lineKey(c, l); };
  const onKeyDown = (e: KeyboardEvent) => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[e.key];
    if (by === undefined || !(e.target as Element).matches(".number")) return;
    const to = at.value + by;
    if (to < 0 || to >= lines.length) return;
    e.preventDefault();
    at.value = to;
    box.current!.querySelectorAll<HTMLElement>(".number")[to]!.focus();
  };
  return (
    <div class={taken === undefined ? "hunk" : "hunk taken"} ref={box} role="group" tabIndex={-1} aria-label={say.hunk(c.path, h.from, h.to)}>
      <div class="rows" onKeyDown={onKeyDown}>
        {lines.map((l, i) => <Row key={i} line={l} place={placeOf(c, l)} on={i === at.value} name={lineKey(c, l)} review={r} open={open.value === lineKey(c, l)} onOpen={() => { at.value = i; comment(l); }} onClose={() => {
          open.value = "";
          const to = box.current!.querySelectorAll<HTMLElement>(".number")[i] ?? null;
          to?.focus();
          focusByHand(to); // Enter ended the text: the next letter is no part of it
        }} />)}
      </div>
      <div class="hunk-acts">
        <button type="button" onClick={() => comment(lines[at.value]!)}>{say.comment}</button>
        {c.stays === undefined && (taken === undefined
          ? <button type="button" disabled={busy.value || works} title={works ? undoing.stopFirst : ""} onClick={() => void undo(() => r.takeBack(c, h), say.tookBack)}>{say.takeBack}</button>
          : <><span class="quiet">{undoing.undone}</span> <button type="button" disabled={busy.value || works} title={works ? undoing.stopFirst : ""} onClick={() => void undo(() => r.bringBack(taken), undoing.redo)}>{undoing.redo}</button></>)}
        <Left all={refused.value.map((f) => undoing.left(f.path, f.why))} role="alert" />
      </div>
    </div>
  );
}

interface RowProps { line: ReviewLine; place: Omit<Written, "text">; on: boolean; name: string; review: Review; open: boolean; onOpen: () => void; onClose: () => void }

function Row({ line: l, place, on, name, review: r, open, onOpen, onClose }: RowProps) {
  const said = useComputed(() => r.comments.value[name]?.text).value; // a letter draws its own line anew, and no other
  return (
    <>
      <div class={`row ${l.kind}`}>
        <button type="button" class="number" tabIndex={on ? 0 : -1} aria-label={say.commentOn(l.at, l.side === "before")} onClick={onOpen}>{l.at}</button>
        <span class="sign" aria-hidden="true">{SIGN[l.kind]}</span>
        <span class="unseen">{rows.sign[l.kind]}</span>
        <code dir="auto"><Marked row={l} /></code>
      </div>
      {(open || said !== undefined) && <Comment label={say.commentOn(l.at, l.side === "before")} text={said ?? ""} focus={open} onWrite={(text) => r.write(name, { ...place, text })} onClose={onClose} />}
    </>
  );
}

/** Comment is the field of a comment. It is kept as it is written; Enter and Escape lead back to the line. */
function Comment({ label, text, focus, onWrite, onClose }: { label: string; text: string; focus: boolean; onWrite: (text: string) => void; onClose: () => void }) {
  const field = useRef<HTMLTextAreaElement>(null);
  useLayoutEffect(() => { if (focus) field.current!.focus(); }, [focus]);
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
