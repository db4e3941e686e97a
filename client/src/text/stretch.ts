import type { Section } from "../types.ts";
import type { Item } from "./items.ts";

/** How many sections a stretch has. */
export const STRETCH = 50;

/** Stretch is what is shown of fifty sections. They are counted from the first of the file, so that earlier ones that come later change nothing of it. */
export interface Stretch {
  /** the number of its first section, by fifties */
  at: number;
  items: Item[];
}

/** stretchesOf puts items into stretches, by the numbers of their sections; `first` is the number of the first section. */
export function stretchesOf(items: Item[], sections: Section[], first: number): Stretch[] {
  const number = new Map(sections.map((s, i) => [s, first + i]));
  const out: Stretch[] = [];
  for (const item of items) {
    const at = Math.floor((number.get(sectionOf(item)) ?? first) / STRETCH) * STRETCH;
    const last = out.at(-1);
    if (last !== undefined && at <= last.at) last.items.push(item);
    else out.push({ at, items: [item] });
  }
  return out;
}

// What a Summary stands for comes before it.
function sectionOf(item: Item): Section {
  if (item.kind === "tool") return item.request;
  return item.kind === "summary" && item.items.length > 0 ? sectionOf(item.items[0]!) : item.section;
}

/** wordsOf returns what stands for a stretch before it is drawn: its texts, so that the browser finds them. */
export function wordsOf(s: Stretch): string { return s.items.map((i) => (i.kind === "user" || i.kind === "agent" ? i.text.trim() : "")).filter(Boolean).join("\n\n"); }

const LINE = 28, CHARS = 78, CARD = 52, HEAD = 52; // px, but for the characters of a line

/** heightOf guesses how high a stretch is, in px. */
export function heightOf(s: Stretch): number {
  return s.items.reduce((sum, i) => sum + (i.kind === "user" || i.kind === "agent" ? HEAD + i.text.split("\n").reduce((n, l) => n + Math.ceil(l.length / CHARS) * LINE, 0) : CARD), 0);
}
