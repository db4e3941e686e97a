import type { RefObject } from "preact";
import { useEffect, useReducer, useRef } from "preact/hooks";
import { toast } from "../state/toast.ts";

/** STILL is how long something must have stood where it stands before a click on it counts, in ms. */
export const STILL = 500;

/** Still is what useStill knows of a part of the page. */
export interface Still {
  /** it has stood where it stands for long enough */
  ready: boolean;
  /** it has been so once */
  wasReady: boolean;
  /** for how long it has stood at the time of an event */
  stood: (e: Event) => number;
}

interface Stand {
  key: string;
  where: string;
  since: number;
  ready: boolean;
  wasReady: boolean;
  timer: ReturnType<typeof setTimeout> | undefined;
}

/**
 * useStill watches where a part of the page stands. A click that was meant for
 * what stood there before falls on what has just come, or has just moved there:
 * whoever decides by a click asks this first. Another key means another thing.
 */
export function useStill(box: RefObject<Element | null>, key = ""): Still {
  const [, draw] = useReducer((n: number) => n + 1, 0);
  const s = useRef<Stand | null>(null);
  if (s.current?.key !== key) s.current = { key, where: "", since: Infinity, ready: false, wasReady: false, timer: undefined };
  const look = () => {
    const now = s.current!;
    const where = whereOf(box.current);
    if (where === "") return;
    if (where !== now.where) {
      now.where = where;
      now.since = performance.now();
    }
    const left = STILL - (performance.now() - now.since);
    clearTimeout(now.timer);
    if (left > 0) now.timer = setTimeout(look, left + 1);
    if (left <= 0 === now.ready) return;
    now.ready = left <= 0;
    now.wasReady ||= now.ready;
    draw(0);
  };
  // An effect runs after what it belongs to was painted.
  useEffect(() => {
    look();
    const seen = new ResizeObserver(look);
    for (let el: Element | null = box.current; el !== null; el = el.matches(SCROLLER) ? null : el.parentElement) seen.observe(el);
    const around = box.current?.closest(".scroll");
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

const SCROLLER = ".scroll, .strip, dialog";

// Counts how often the window itself scrolled.
let scrolled = 0;

/** windowScrolled tells that the window scrolled by itself, and so put other things under a pointer that rests. */
export function windowScrolled(): void { scrolled++; }

// Where a part stands on the page. What a reader scrolls has not moved by that:
// who scrolls sees it.
function whereOf(el: Element | null): string {
  if (el === null) return "";
  const r = el.getBoundingClientRect();
  const around = el.closest(".scroll");
  const a = around?.getBoundingClientRect();
  return [r.x, r.y + (around?.scrollTop ?? 0), r.width, r.height, a?.y, a?.height, scrolled].map((n) => Math.round(n ?? 0)).join(" ");
}

/** refuse takes a click back and says why. */
export function refuse(e: Event, why: string): void {
  e.preventDefault();
  e.stopPropagation();
  toast(why);
}

/** useSettled is a listener that lets only clicks through that were meant for what stands there. */
export function useSettled(box: RefObject<Element | null>, key = ""): { settled: boolean; onClickCapture: (e: MouseEvent) => void } {
  const still = useStill(box, key);
  const onClickCapture = (e: MouseEvent) => {
    if (still.stood(e) < STILL) refuse(e, "This had only just come there. Look, and click again.");
  };
  return { settled: still.ready, onClickCapture };
}
