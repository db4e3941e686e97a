import type { RefObject } from "preact";
import { useEffect, useReducer, useRef } from "preact/hooks";
import type { OpenDialog } from "../../state/dialog.ts";
import { piecesOf, Spans } from "../../text/spans.ts";
import { scrollByUs, scrollerOf, shownIn, windowScrolls } from "../parts/still.ts";

// What was in view is kept as positions in the text and not on the page, so that a
// resize or a zoom changes nothing of it. A piece counts when all of it is in view at
// once: it is so short that it fits into the smallest window.
const PIECE = 16;

/** Read is what useRead returns. */
export interface Read {
  /** the calls of which something was not in view yet; null before the first look */
  unread: ReadonlySet<string> | null;
  /** those of them of which all but what was opened was in view */
  opened: ReadonlySet<string>;
  /** reveal scrolls to the first piece of a call that was not in view yet */
  reveal: (call: string) => void;
}

// A text that must be in view: the element that holds it, the words, and which
// of them were in view.
interface Passage {
  call: string;
  text: string;
  seen: Spans;
  /** it was cut, and the human opened it */
  opened: boolean;
}

// It stands in a node of the page at [from, to), and counts for [start, end) of
// its passage, which holds the blanks around it too.
interface Piece {
  of: Passage;
  start: number;
  end: number;
  node: Text;
  from: number;
  to: number;
}

// What was read is kept while the dialog is open in this tab, since a card is made anew
// when one of its calls is answered, and the other calls were read before.
const kept = new WeakMap<OpenDialog, Map<string, Passage>>();

/**
 * useRead watches which parts of a card have been in view. All that is marked with
 * data-read must have been, but within data-unread; data-call on an element around it names its call. That name
 * holds the hash of the call's input, so that a changed call starts unread, as does a
 * changed text. What was opened, marked with data-opened, is read also where the human
 * scrolled past it, however fast.
 */
export function useRead(box: RefObject<HTMLElement | null>, dialog: OpenDialog): Read {
  const [, draw] = useReducer((n: number) => n + 1, 0);
  const unread = useRef<ReadonlySet<string> | null>(null);
  const opened = useRef<ReadonlySet<string>>(new Set());
  const pieces = useRef<Piece[]>([]);
  useEffect(() => {
    const card = box.current!;
    const around = scrollerOf(card)!;
    let frame = 0;
    let passages: Passage[] = [];
    let last: Place | null = null;
    const gather = () => {
      const known = kept.get(dialog) ?? new Map<string, Passage>();
      kept.set(dialog, known);
      pieces.current = [];
      last = null; // another text stands there: nothing was scrolled past
      passages = [...card.querySelectorAll<HTMLElement>("[data-read]")].filter((el) => el.closest("[data-unread]") === null).map((el) => {
        const passage = passageOf(el, known);
        pieces.current.push(...piecesIn(el, passage));
        return passage;
      });
    };
    const look = () => {
      frame = 0;
      if (document.visibilityState !== "visible" || !card.isConnected || card.dataset["coming"] !== undefined) return;
      const view = viewOf(card, around), place = placeOf(card, around);
      const past = passed(view, last, place);
      last = place;
      for (let i = firstBelow(pieces.current, past.top); i < pieces.current.length; i++) {
        const p = pieces.current[i]!;
        const r = rectOf(p);
        if (r.top >= past.bottom) break;
        if (within(r, p.of.opened ? past : view, p.node)) p.of.seen.add(p.start, p.end);
      }
      const left = passages.filter((p) => !p.seen.has(0, p.text.length));
      const before = `${unread.current && [...unread.current].join()} ${[...opened.current].join()}`;
      unread.current = new Set(left.map((p) => p.call));
      const head = new Set(left.filter((p) => !p.opened).map((p) => p.call));
      opened.current = new Set([...unread.current].filter((c) => !head.has(c)));
      if (`${[...unread.current].join()} ${[...opened.current].join()}` !== before) draw(0);
    };
    // A frame later: the card has been scrolled into view by then.
    const soon = () => { frame ||= requestAnimationFrame(look); };
    const changed = new MutationObserver(() => { gather(); soon(); });
    changed.observe(card, { childList: true, subtree: true, characterData: true });
    const sized = new ResizeObserver(soon);
    sized.observe(card);
    sized.observe(around);
    around.addEventListener("scroll", soon, { passive: true });
    const more: [EventTarget | null, string][] = [[window, "resize"], [document, "visibilitychange"], [visualViewport, "scroll"], [visualViewport, "resize"]];
    for (const [on, type] of more) on?.addEventListener(type, soon);
    gather();
    soon();
    return () => {
      cancelAnimationFrame(frame);
      changed.disconnect();
      sized.disconnect();
      around.removeEventListener("scroll", soon);
      for (const [on, type] of more) on?.removeEventListener(type, soon);
    };
  }, []);
  const reveal = (call: string) => {
    const p = pieces.current.find((p) => p.of.call === call && !p.of.seen.has(p.start, p.end));
    const around = scrollerOf(box.current);
    if (!p || !around) return;
    scrollByUs(around, () => { around.scrollTop += rectOf(p).top - around.getBoundingClientRect().top - ABOVE; });
  };
  return { unread: unread.current, opened: opened.current, reveal };
}

// What stands above the first unread line when it is scrolled to, in px.
const ABOVE = 24;

// A text that grew at its end, as one that was opened, keeps what was read of it.
function passageOf(el: HTMLElement, known: Map<string, Passage>): Passage {
  const call = el.closest<HTMLElement>("[data-call]")!.dataset["call"]!;
  const key = `${call} ${el.dataset["read"]}`;
  const text = el.textContent ?? "";
  const old = known.get(key);
  const same = old !== undefined && (text.startsWith(old.text) || old.text.startsWith(text));
  const passage = same ? old : { call, text, seen: new Spans(), opened: false };
  passage.text = text;
  passage.opened = el.closest("[data-opened]") !== null;
  known.set(key, passage);
  return passage;
}

function piecesIn(el: HTMLElement, of: Passage): Piece[] {
  const out: Piece[] = [];
  const nodes = document.createTreeWalker(el, NodeFilter.SHOW_TEXT);
  for (let at = 0, node = nodes.nextNode() as Text | null; node !== null; at += node.length, node = nodes.nextNode() as Text | null) {
    for (const [from, to] of piecesOf(node.data, PIECE)) {
      const before = out.at(-1);
      if (before) before.end = at + from;
      out.push({ of, start: before ? at + from : 0, end: of.text.length, node, from, to });
    }
  }
  if (out.length === 0) of.seen.add(0, of.text.length);
  return out;
}

const range = document.createRange();

function rectOf(p: Piece): DOMRect {
  range.setStart(p.node, p.from);
  range.setEnd(p.node, p.to);
  return range.getBoundingClientRect();
}

interface View { top: number; bottom: number; left: number; right: number }

// The part of the page in which a card can be seen: where it scrolls, less the
// answers, which may stand over its text, and no more than a pinched window shows.
function viewOf(card: HTMLElement, around: HTMLElement): View {
  const a = around.getBoundingClientRect(), shown = shownIn(around);
  const foot = card.querySelector(":scope > .answers")?.getBoundingClientRect().top ?? Infinity;
  const v = visualViewport;
  const [x, y, width, height] = v ? [v.offsetLeft, v.offsetTop, v.width, v.height] : [0, 0, innerWidth, innerHeight];
  return { top: Math.max(a.top, y), bottom: Math.min(shown.bottom, y + height, foot), left: Math.max(a.left, x), right: Math.min(a.right, x + width) };
}

// Where a card stands: on the page, how far its scroller is scrolled, and how often our code did that.
interface Place { top: number; scroll: number; byUs: number }

function placeOf(card: HTMLElement, around: HTMLElement): Place { return { top: card.getBoundingClientRect().top, scroll: around.scrollTop, byUs: windowScrolls(around) }; }

// What the human has scrolled past since the last look, with the view that it led to. What
// moved the card without that, or our own code, led past nothing.
function passed(view: View, last: Place | null, now: Place): View {
  if (last === null || last.byUs !== now.byUs) return view;
  const moved = last.top - now.top, scrolled = now.scroll - last.scroll;
  const by = moved > 0 ? Math.max(0, Math.min(moved, scrolled)) : Math.min(0, Math.max(moved, scrolled));
  return { ...view, top: view.top - Math.max(0, by), bottom: view.bottom - Math.min(0, by) };
}

const NEAR = 1; // px that rounding may take

function within(r: DOMRect, v: View, node: Text): boolean {
  if (r.top <= v.top && r.bottom >= v.bottom) return v.bottom > v.top;
  // Blanks may hang out of a box, and are invisible.
  const own = node.parentElement!.closest("[data-read]")!.getBoundingClientRect();
  const [left, right] = [Math.max(r.left, own.left), Math.min(r.right, own.right)];
  return r.top >= v.top - NEAR && r.bottom <= v.bottom + NEAR && left >= v.left - NEAR && right <= v.right + NEAR;
}

// Pieces stand one below the other, in their order.
function firstBelow(pieces: Piece[], top: number): number {
  let [low, high] = [0, pieces.length];
  while (low < high) {
    const mid = (low + high) >> 1;
    if (rectOf(pieces[mid]!).bottom > top) high = mid;
    else low = mid + 1;
  }
  return low;
}

