import type { DocHistory } from "../types.ts";
import type { DiffLine } from "./diff.ts";
import { plainTitle } from "./links.ts";
import { clock } from "./time.ts";
import { uncommented } from "./uncommented.ts";

/** UNSAVED stands for the version of a line that is not in the file yet, UNKNOWN for one that can't be told. */
export const UNSAVED = -2, UNKNOWN = -1;

/** Said is a stretch of neighbouring lines that came in with one version. */
export interface Said { text: string; version: number }

/** paragraphAt returns the lines, counted from 1, from the first to the last that stand together with those from `from` to `to`, and to the blank lines around them; null where all are blank. */
export function paragraphAt(lines: string[], from: number, to: number): { from: number; to: number } | null {
  const blank = (n: number) => (lines[n - 1] ?? "").trim() === "";
  while (from <= to && blank(from)) from++;
  while (to >= from && blank(to)) to--;
  if (from > to) return null;
  while (from > 1 && !blank(from - 1)) from--;
  while (to < lines.length && !blank(to + 1)) to++;
  return { from, to };
}

/** whoWrote returns what is said of lines of the text that is shown, of which `diff` tells how it came from the file's. Blank lines are nobody's. */
export function whoWrote(h: DocHistory, diff: DiffLine[], from: number, to: number): Said[] {
  const out: Said[] = [];
  let inFile = 0, shown = 0;
  let outOf: { text: string; line: number }[] = []; // what a change took out, in its order: a line may stand in it unchanged
  for (const d of diff) {
    if (d.kind !== "add") inFile++;
    if (d.kind === "same") outOf = [];
    if (d.kind === "del") {
      outOf.push({ text: d.text, line: inFile });
      continue;
    }
    shown++;
    let line = d.kind === "same" ? inFile : 0;
    const stays = d.kind === "add" ? outOf.findIndex((o) => o.text === d.text) : -1;
    if (stays >= 0) line = outOf.splice(0, stays + 1).at(-1)!.line;
    if (shown < from || shown > to || d.text.trim() === "") continue;
    const version = line === 0 ? UNSAVED : versionOf(h, line);
    const last = out.at(-1);
    if (last?.version === version) last.text += ` ${d.text}`;
    else out.push({ text: d.text, version });
  }
  return out;
}

function versionOf(h: DocHistory, line: number): number {
  return h.lines.find((l) => l.from <= line && line <= l.to)?.version ?? UNKNOWN;
}

/** choose returns which versions are chosen once one more is, or is not any more: the last two. */
export function choose(chosen: number[], version: number): number[] {
  return chosen.includes(version) ? chosen.filter((v) => v !== version) : [...chosen, version].slice(-2);
}

/** timesOf returns when each version came to be: to the second where another one came in the same minute. */
export function timesOf(versions: { at: string }[], now: Date = new Date()): string[] {
  const times = versions.map((v) => clock(v.at, now)), often = new Map<string, number>();
  for (const t of times) often.set(t, (often.get(t) ?? 0) + 1);
  return versions.map((v, i) => (often.get(times[i]!)! > 1 ? clock(v.at, now, true) : times[i]!));
}

// A mark may begin or end in another paragraph.
const SIGNS = /\{(?:==|--|\+\+|~~|>>)|(?:==|--|\+\+|~~|<<)\}/g, HEAD = /^(?:>\s?|#{1,6}\s+|(?:[-*+]|\d{1,9}[.)])\s+(?:\[[ xX]\]\s+)?)+/;

/** wordsIn returns the words of a passage as they are read, without marks and comments. */
export function wordsIn(text: string): string { return plainTitle(uncommented(text).replace(SIGNS, "").trim().replace(HEAD, "")); }
