import type { RefObject } from "preact";
import { useEffect, useReducer, useRef, useState } from "preact/hooks";
import { toast } from "../../state/toast.ts";
import { app } from "../../text/strings.ts";

/** STILL is how long in ms an element must not have moved before a click on it counts. */
export const STILL = 500;

/** Still is what useStill returns. */
export interface Still {
  /** it has not moved for STILL ms */
  ready: boolean;
  /** that has been true once */
  wasReady: boolean;
  /** for how long in ms it had not moved at the time of an event */
  stood: (e: Event) => number;
}

interface Stand {
  key: string;
  where: string;
  top: Top;
  since: number;
  ready: boolean;
  wasReady: boolean;
  timer: ReturnType<typeof setTimeout> | undefined;
}

/**
 * useStill watches whether a part of the page moves. A click on what has just appeared, or
 * has just moved, may have been meant for what was there before: a control that decides
 * asks this first. Another key means another element. `time` is how long it must not have
 * moved to be ready, in ms; `where` writes down what must stay the same beside its top, its
 * size by default.
 */
export function useStill(box: RefObject<Element | null>, key = "", time = STILL, where: (el: Element) => string = whereOf): Still {
  const [, draw] = useReducer((n: number) => n + 1, 0);
  const s = useRef<Stand | null>(null);
  if (s.current?.key !== key) s.current = { key, where: "", top: { onPage: NaN, inText: NaN }, since: Infinity, ready: false, wasReady: false, timer: undefined };
  const look = () => {
    const now = s.current!;
    if (box.current === null) return;
    const at = where(box.current), top = topOf(box.current);
    // Scrolling by the human is no move, since the human sees it, nor is what leaves it where it is on the screen.
    if (at !== now.where || (differs(top.onPage, now.top.onPage) && differs(top.inText, now.top.inText))) now.since = performance.now();
    now.where = at;
    now.top = top;
    const left = time - (performance.now() - now.since);
    clearTimeout(now.timer);
    if (left > 0) now.timer = setTimeout(look, left + 1);
    if (left <= 0 === now.ready) return;
    now.ready = left <= 0;
    now.wasReady ||= now.ready;
    draw(0);
  };
  // An effect runs after its element was painted.
  useEffect(() => {
    look();
    const seen = new ResizeObserver(look);
    for (let el: Element | null = box.current; el !== null; el = el.matches(SCROLLER) ? null : el.parentElement) seen.observe(el);
    const around = scrollerOf(box.current);
    around?.addEventListener("scroll", look, { passive: true });
    const own = s.current!;
    return () => {
      clearTimeout(own.timer);
      around?.removeEventListener("scroll", look);
      seen.disconnect();
    };
  }, [key]);
  const stood = (e: Event) => {
    look();
    return e.timeStamp - s.current!.since;
  };
  return { ready: s.current.ready, wasReady: s.current.wasReady, stood };
}

const SCROLLER = ".scroll, .cm-scroller, .strip, dialog";

/** scrollerOf returns what an element scrolls in: a part of the window, or the text of a doc. */
export function scrollerOf(el: Element | null): HTMLElement | null { return el?.closest<HTMLElement>(".scroll, .cm-scroller") ?? null; }

/** shownIn returns where on the page a scroller can be seen: in a doc, less what lies over the foot of its text. */
export function shownIn(around: HTMLElement): { top: number; bottom: number; height: number } {
  const { top } = around.getBoundingClientRect();
  const over = around.matches(".cm-scroller") ? parseFloat(around.closest<HTMLElement>(".pane")?.style.getPropertyValue("--foot") || "0") : 0;
  return { top, bottom: top + around.clientHeight - over, height: around.clientHeight - over };
}

// Counts how often our code scrolled each scroller.
const scrolled = new WeakMap<Element, number>();

/** scrollByUs runs our own code that scrolls the scroller around an element. If that scrolled it, other parts of it stand under a resting pointer. */
export function scrollByUs(within: Element, scroll: () => void): void {
  const around = scrollerOf(within), was = around?.scrollTop;
  scroll();
  if (around !== null && around.scrollTop !== was) scrolled.set(around, windowScrolls(around) + 1);
}

/** windowScrolls returns how often our code has scrolled a scroller. */
export function windowScrolls(around: Element): number { return scrolled.get(around) ?? 0; }

function whereOf(el: Element): string {
  const { width, height } = el.getBoundingClientRect();
  return `${headOf(el)} ${Math.round(width)} ${Math.round(height)}`;
}

/** headOf writes down what must stay the same around a part of the page, but for its top. */
export function headOf(el: Element): string {
  const around = scrollerOf(el);
  return [el.getBoundingClientRect().x, around?.clientHeight, around && windowScrolls(around)].map((n) => Math.round(n ?? 0)).join(" ");
}

// Where the top of a part of the page is, in px: on the screen, and in all that it scrolls in.
interface Top { onPage: number; inText: number }

function topOf(el: Element): Top {
  const onPage = el.getBoundingClientRect().y;
  let inText = onPage;
  for (let at = el.parentElement; at !== null; at = at.parentElement) inText += at.scrollTop;
  return { onPage, inText };
}

// Sums of fractions of a px differ by less.
const differs = (a: number, b: number) => !(Math.abs(a - b) < 0.1);

/** refuse cancels a click and says why. */
export function refuse(e: Event, why: string): void {
  e.preventDefault();
  e.stopPropagation();
  toast(why);
}

/** useSettled returns a listener that cancels clicks on an element that has just appeared or moved. */
export function useSettled(box: RefObject<Element | null>, key = ""): { settled: boolean; onClickCapture: (e: MouseEvent) => void } {
  const still = useStill(box, key);
  const onClickCapture = (e: MouseEvent) => {
    if (still.stood(e) < STILL) refuse(e, app.moved);
  };
  return { settled: still.ready, onClickCapture };
}

/** uncovered is called as what lay over a part of the page goes. The second click of a double click on it was not meant for what was below. */
export function uncovered(): void {
  const second = (e: MouseEvent) => {
    if (e.detail > 1 && (e.target as Element).closest("button, a, input, label, summary, [role=menuitem]") !== null) refuse(e, app.moved);
  };
  addEventListener("click", second, true);
  setTimeout(() => removeEventListener("click", second, true), STILL);
}

/**
 * useRested reports whether what calls it has been there for STILL ms. A menu of choices that is on when it
 * comes is told to a screen reader as something chosen (Chromium), which leaves what it reads for that.
 */
export function useRested(): boolean {
  const [rested, set] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => set(true), STILL);
    return () => clearTimeout(timer);
  }, []);
  return rested;
}
