import { useSignal } from "@preact/signals";
import { Fragment, type RefObject } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { OpenDialog } from "../../state/dialog.ts";
import { sought } from "../../state/goal.ts";
import { toast } from "../../state/toast.ts";
import { callKey } from "../../text/callkey.ts";
import { itemsOf, sectionsOf, type Item } from "../../text/items.ts";
import { tellsFailure } from "../../text/failure.ts";
import { AGENTS } from "../../text/names.ts";
import { foldReads, readsWords, type Reads } from "../../text/reads.ts";
import { heightOf, stretchesOf, wordsOf, type Stretch } from "../../text/stretch.ts";
import { turnEnds } from "../../text/review.ts";
import { failures, log } from "../../text/strings.ts";
import { ApprovalCard } from "../approval/approval.tsx";
import { ItemView } from "./item.tsx";
import { memo } from "../parts/memo.ts";
import { Icon } from "../parts/icon.tsx";
import { scrollByUs, useSettled } from "../parts/still.ts";
import { ShownFile } from "./shownfile.tsx";
import { Steady } from "./steady.ts";
import { TurnEnd } from "./turnend.tsx";
import { useTold } from "./told.ts";
import { Stretches } from "./stretches.ts";
import { Writing } from "./writing.tsx";
import { useKey } from "../parts/usekey.ts";

/** Log shows a dialog from its first section to the open response, and below it the calls that wait. */
export function Log({ dialog: d }: { dialog: OpenDialog }) {
  const scroller = useRef<HTMLDivElement>(null);
  // What is kept in view: the end, the head of a question that is taller than the
  // view, or the position that the human has scrolled to.
  const aim = useRef<"end" | "question" | "own">("end");
  const asked = useRef<{ card: Element | null; height: number; reading: boolean }>({ card: null, height: 0, reading: false });
  const away = useSignal(false);
  const all = d.sections.value;
  const waiting = new Set(d.pending.value.map((c) => c.id));
  const covers = d.governor.value?.covers;
  const first = d.earlier.value;
  const items = useMemo(() => itemsOf(all, d.began.value, covers, first), [all, d.began.value, covers]);
  // A pending call is shown in the card, and a failure's note with the failure.
  const failed = d.failure.value !== null;
  const shown = items.filter((i, n) =>
    !(i.kind === "tool" && i.result === null && waiting.has(i.request.id)) && !(failed && i.kind === "note" && tellsFailure(i.section) && items.slice(n).every((x) => x.kind === "note")),
  );
  const parts = stretchesOf(shown, all, first);
  const ends = turnEnds(shown);
  const goal = sought.value === "" ? -1 : all.findIndex((s) => s.id === sought.value);
  const goalIn = goal < 0 ? undefined : parts.findLast((s) => s.at <= first + goal);
  const [stretches] = useState(() => new Stretches());
  const place = usePlace(scroller, first, aim.current === "own");
  const steady = useRef<Steady | null>(null);
  const toEnd = () => {
    const el = scroller.current;
    if (!el) return;
    const hold = (steady.current ??= new Steady(el));
    hold.keep();
    if (aim.current === "own") return;
    const card = questionIn(el);
    const { end, head } = scrollsOf(el, card, hold);
    const { card: old, height: was, reading } = asked.current;
    const height = card?.offsetHeight ?? 0;
    asked.current = { card, height, reading: card?.dataset["reading"] !== undefined };
    if (head >= end) aim.current = "end";
    else if (old !== card || reading) aim.current = "question"; // what it shows comes a moment after the card
    else if (aim.current === "end" && height > was) aim.current = "own"; // it was opened: keep the position
    if (aim.current === "own") return;
    // Forth, never back: what is read stays, and what comes is written into the room below it.
    scrollByUs(el, () => { el.scrollTop = aim.current === "question" ? head : Math.max(el.scrollTop, end); });
    hold.note();
  };
  const show = () => {
    aim.current = "end";
    asked.current.card = null;
    toEnd();
  };
  useLayoutEffect(() => {
    place();
    toEnd();
  }, [all, d.pending.value, d.failure.value]);
  useEffect(() => {
    // The end stays in view also when something grows late, such as an image or an opened card.
    const seen = new ResizeObserver(toEnd);
    seen.observe(scroller.current!.firstElementChild!);
    seen.observe(scroller.current!);
    const whole = () => stretches.all();
    addEventListener("beforeprint", whole);
    return () => {
      seen.disconnect();
      removeEventListener("beforeprint", whole);
      stretches.close();
    };
  }, []);
  const went = d.went.value;
  useEffect(() => { if (went > 0 && d.pending.peek().length === 0) show(); }, [went]); // the own message comes into view
  const jump = (by: 1 | -1) => {
    const el = scroller.current!;
    const to = messageBeside(el, by);
    if (to === undefined) return;
    aim.current = "own";
    scrollByUs(el, () => { el.scrollTop += to.getBoundingClientRect().top - el.getBoundingClientRect().top - AIR; });
    to.focus({ preventScroll: true });
  };
  useTold(d);
  useKey("below", () => jump(1));
  useKey("above", () => jump(-1));
  const scrolled = () => {
    const el = scroller.current;
    if (!el) return; // the event came after the dialog was closed
    const card = questionIn(el);
    (steady.current ??= new Steady(el)).keep();
    const { end, head } = scrollsOf(el, card, steady.current);
    if (aim.current !== "question" || Math.abs(el.scrollTop - head) > 2) aim.current = end - el.scrollTop < 60 ? "end" : "own";
    away.value = aim.current === "own" && (card === null || head + AIR >= el.scrollTop + el.clientHeight);
  };
  return (
    <div class="scroll log" ref={scroller} onScroll={scrolled} tabIndex={0} role="region" aria-label={log.name}>
      <div class="column">
        {parts.map((s, i) => <StretchView key={s.at} stretch={s} last={i === parts.length - 1} near={i >= parts.length - 2 || s === goalIn} ends={s.items.map((x) => ends.get(x.key) ?? "")} dialog={d} status={d.status.value ?? "done"} stretches={stretches} />)}
        {d.loaded.value && shown.length === 0 && d.pending.value.length === 0 && !d.writing.value && (
          <p class="quiet begin-here">{log.silent}</p>
        )}
        <Writing d={d} onGrow={toEnd} />
        {d.failure.value !== null && <FailureCard d={d} />}
        {d.pending.value.length > 0 && <ApprovalCard key={d.pending.value.map(callKey).join()} dialog={d} calls={d.pending.value} show={show} />}
      </div>
      <div class="room" />
      <ShownFile />
      <div class="jump" role="group" aria-label={log.messages}>
        <button class="icon-button" aria-label={log.previous} title={log.previous} aria-keyshortcuts="k" onClick={() => jump(-1)}><Icon name="down" class="up" /></button>
        <button class="icon-button" aria-label={log.next} title={log.next} aria-keyshortcuts="j" onClick={() => jump(1)}><Icon name="down" /></button>
      </div>
      {away.value && (
        <button class="to-end" onClick={show}><Icon name="down" /> {d.pending.value.length > 0 ? log.toQuestion : log.toEnd}</button>
      )}
    </div>
  );
}

// The message whose head is the next below or above the one at the top of the view.
function messageBeside(el: HTMLElement, by: 1 | -1): HTMLElement | undefined {
  const top = el.getBoundingClientRect().top + AIR;
  const all = [...el.querySelectorAll<HTMLElement>(".column > .items > .turn:not(.silent)")];
  return by === 1 ? all.find((e) => e.getBoundingClientRect().top > top + NEAR) : all.findLast((e) => e.getBoundingClientRect().top < top - NEAR);
}

const NEAR = 2; // px that rounding may take

/** usePlace keeps what is read where it stands when sections come in above it, also at the top, where browsers do not. */
function usePlace(scroller: RefObject<HTMLElement | null>, first: number, own: boolean): () => void {
  const was = useRef(first);
  const el = scroller.current;
  const below = own && el !== null && first !== was.current ? el.scrollHeight - el.scrollTop : null;
  was.current = first;
  return () => {
    const el = scroller.current!;
    if (below !== null) el.scrollTop = el.scrollHeight - below;
  };
}

const questionIn = (el: HTMLElement) => el.querySelector<HTMLElement>(".approval");

const AIR = 8; // px above a question's head

// Returns the scroll positions that show the log's end, and the head of its question.
function scrollsOf(el: HTMLElement, card: HTMLElement | null, { end }: Steady): { end: number; head: number } {
  if (card === null) return { end, head: Infinity };
  return { end, head: Math.round(card.getBoundingClientRect().top - el.getBoundingClientRect().top + el.scrollTop) - AIR };
}

interface StretchProps { stretch: Stretch; last: boolean; near: boolean; /** of each item the turn that ends with it, or "" */ ends: string[]; dialog: OpenDialog; status: string; stretches: Stretches }

function sameStretch(a: StretchProps, b: StretchProps): boolean {
  return a.last === b.last && a.near === b.near && a.ends.join() === b.ends.join() && a.dialog === b.dialog && a.status === b.status && a.stretch.at === b.stretch.at && a.stretch.items.length === b.stretch.items.length && a.stretch.items.every((x, i) => sameItem(x, b.stretch.items[i]!));
}

function sameItem(a: Item, b: Item): boolean {
  if (a.kind !== b.kind || a.key !== b.key) return false;
  if (a.kind === "tool" && b.kind === "tool") return a.request === b.request && a.result === b.result && a.why === b.why && a.started === b.started && a.unknown === b.unknown;
  if (a.kind === "agent" && b.kind === "agent" && (a.model !== b.model || a.unbacked !== b.unbacked)) return false; // both may become known after the text
  if (a.kind === "note" && b.kind === "note" && a.stands !== b.stands) return false;
  if (a.kind === "summary" && b.kind === "summary") return a.section === b.section && a.items.length === b.items.length;
  if (a.kind === "aside" && b.kind === "aside" && a.title !== b.title) return false;
  return a.kind !== "tool" && b.kind !== "tool" && a.section === b.section;
}

/** StretchView shows a stretch, which the browser lays out only near the view. */
const StretchView = memo(function StretchView({ stretch, last, near, ends, dialog, status, stretches }: StretchProps) {
  const box = useRef<HTMLDivElement>(null);
  const drawn = stretches.drawn(stretch.at, near).value;
  useLayoutEffect(() => {
    if (drawn) return;
    box.current!.style.containIntrinsicBlockSize = `auto ${heightOf(stretch)}px`;
    return stretches.watch(box.current!, stretch.at);
  }, [drawn]);
  if (!drawn) return <div class="items prose plain" ref={box}>{wordsOf(stretch)}</div>;
  return (
    <div class={`items${last ? " last" : ""}`} ref={box}>
      {foldReads(stretch.items).map((i) => {
        const end = stretch.items.indexOf(i.kind === "reads" ? i.items.at(-1)! : i), turn = ends[end] ?? "";
        return (
          <Fragment key={i.key}>
            {i.kind === "reads" ? <ReadsView reads={i} dialog={dialog} /> : <ItemView item={i} dialog={dialog} running={last && status === "active"} />}
            {turn !== "" && <TurnEnd dialog={dialog} turn={turn} last={last && end === stretch.items.length - 1} />}
          </Fragment>
        );
      })}
    </div>
  );
}, sameStretch);

/** ReadsView shows a run of calls that only looked as one line, which opens to each of them. */
function ReadsView({ reads, dialog }: { reads: Reads; dialog: OpenDialog }) {
  const open = useSignal(false);
  return (
    <details class="reads" data-section={sectionsOf(reads.items)} onToggle={(e) => { open.value = e.currentTarget.open; }}>
      <summary><Icon name="check" /> {readsWords(reads)}</summary>
      {open.value && reads.items.map((i) => <ItemView key={i.key} item={i} dialog={dialog} running={false} />)}
    </details>
  );
}

function FailureCard({ d }: { d: OpenDialog }) {
  const f = d.failure.value!;
  const again = () => d.resume().catch((e: Error) => toast(e.message));
  const acts = useRef<HTMLDivElement>(null);
  const { settled, onClickCapture } = useSettled(acts);
  return (
    <section class="card failure" role="alert">
      <h2><Icon name="warn" /> {f.title}</h2>
      <p>{f.detail}</p>
      <div class="actions" ref={acts} role="group" aria-label={failures.whatNow} aria-disabled={!settled} onClickCapture={onClickCapture}>{f.again && <button class="primary" onClick={again}>{d.provider.value === AGENTS ? failures.resume : failures.again}</button>}</div>
      {f.raw !== "" && f.raw !== `${f.title} ${f.detail}` && <details><summary>{failures.details}</summary><pre>{f.raw}</pre></details>}
    </section>
  );
}
