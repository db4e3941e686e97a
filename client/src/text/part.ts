import type { CallChange } from "../types.ts";
import { clip, countLines, more } from "./clip.ts";
import { counts, diffLines, fold, type DiffLine } from "./diff.ts";
import { diffProse, foldProse, isProse, type Paragraph } from "./prosediff.ts";
import { parts as say } from "./strings.ts";

/** A part of a call's input, as the card shows it. */
export type Part = { key: string; label: string; kind: "text"; text: string } | DiffPart;

/** A part that is a change of a text. */
export interface DiffPart {
  key: string;
  label: string;
  kind: "diff";
  lines: DiffLine[];
  /** the same by words, of a text that is read as prose; else null */
  prose: Paragraph[] | null;
  /** the lines are those of a whole file, so that they have its numbers */
  whole: boolean;
  endOnly: boolean;
  /** why there are no numbers, or "" */
  why: string;
}

/** How much a card shows before it is opened: lines of a text or rows of a diff, and characters in all. */
export const LIMIT = { lines: 24, chars: 4000 };

/** diffPart returns the part that shows a change of a text, which is that of the file at path, or with whole false a stretch of it. */
export function diffPart(key: string, label: string, before: string, after: string, { path = "", whole = false, why = "" } = {}): DiffPart {
  const lines = diffLines(before, after);
  const { del, add } = counts(lines);
  return { key, label, kind: "diff", lines, prose: isProse(path) ? diffProse(before, after) : null, whole, endOnly: del + add === 0 && before !== after, why };
}

/**
 * editedPart returns the part that shows an edit, of old to now, in its file: with the lines
 * around it and the numbers of all. It is null where it is not known where that stands, or
 * only the last line break changed.
 */
export function editedPart(c: CallChange | null, old: string, now: string): DiffPart | null {
  const hunks = c?.hunks ?? [], first = hunks[0], last = hunks.at(-1);
  if (c === null || first === undefined || last === undefined) return null;
  const known = new Map(hunks.flatMap((h) => [...h.above, ...h.new, ...h.below].map((text, i) => [h.from - h.above.length + i, text] as const)));
  const is = now.split("\n"), above = beginsAt(first.from, known, old.split("\n"), is);
  if (above === null) return null;
  // Of its first and its last line it may have a part alone, or nothing.
  const from = Math.min(first.from - first.above.length, above + (is[0] === "" ? 1 : 0)), to = Math.max(last.to + last.below.length, above + is.length - (is.at(-1) === "" ? 2 : 1));
  const after = Array.from({ length: to - from + 1 }, (_, i) => known.get(from + i) ?? is[from + i - above]!);
  const before = hunks.reduceRight((lines, h) => lines.toSpliced(h.from - from, h.new.length, ...h.old), after);
  const part = diffPart("diff", "", whole(before), whole(after), { path: c.path, whole: true });
  const lines = part.lines.map((l) => ({ ...l, at: l.at + from - 1 + (l.kind === "del" ? first.was - first.from : 0) }));
  return lines.some((l) => l.kind !== "same") ? { ...part, lines } : null;
}

const whole = (lines: string[]) => lines.map((l) => `${l}\n`).join("");

// Returns the number of the line at which the words begin that an edit set in, where the first line that changed has a number: that of as many lines before it as both begin with.
function beginsAt(changed: number, known: ReadonlyMap<number, string>, was: string[], is: string[]): number | null {
  const differs = is.findIndex((l, i) => l !== was[i]), same = differs < 0 ? is.length : differs;
  const fits = (at: number) => [...known].every(([n, text]) => {
    const i = n - at, l = is[i];
    return l === undefined || (i === 0 ? (is.length === 1 ? text.includes(l) : text.endsWith(l)) : i === is.length - 1 ? text.startsWith(l) : text === l);
  });
  return [changed - same, changed - same + 1].find(fits) ?? null; // the last of them may be a part of a line
}

/** A row of a diff: a line, a paragraph, or a fold of n unchanged ones. */
export type Row = { fold: number } | DiffLine | Paragraph;

/** rowsOf returns the rows of a diff: all if full, else those around each change, three lines or one paragraph. */
export function rowsOf({ lines, prose }: Pick<DiffPart, "lines" | "prose">, full: boolean): Row[] {
  if (full) return prose ?? lines;
  return (prose ? foldProse(prose) : fold(lines)).flatMap((r): Row[] => (r.folded ? [{ fold: r.lines.length }] : r.lines));
}

/** textOf returns the text of a row that is shown, of both sides. */
export function textOf(row: DiffLine | Paragraph): string { return "words" in row ? row.words.map((w) => w.text).join("") : row.text; }

/** clipRows keeps the first rows within the limit; the last one may be cut. */
export function clipRows(rows: Row[], limit = LIMIT): { rows: Row[]; more: string } {
  const out: Row[] = [];
  let chars = 0, lines = 0;
  for (const [i, row] of rows.entries()) {
    const room = limit.chars - chars;
    if (lines >= limit.lines || room <= 0) return { rows: out, more: moreRows(rows.slice(i)) };
    if ("fold" in row) {
      out.push(row);
      lines++;
      continue;
    }
    const text = textOf(row), fits = "words" in row ? clip(text, limit.lines - lines, room).shown.length : Math.min(text.length, room);
    if (text.slice(fits).trim() !== "" || ("text" in row && fits < text.length)) {
      out.push(cut(row, fits));
      const rest = rows.length - i - 1;
      return { rows: out, more: rest > 0 ? moreRows(rows.slice(i + 1)) : say.moreChars(text.length - fits) };
    }
    out.push(row);
    chars += text.length;
    lines += Math.max(1, countLines(text.trimEnd()));
  }
  return { rows: out, more: "" };
}

function cut(row: DiffLine | Paragraph, to: number): DiffLine | Paragraph {
  if (!("words" in row)) return { ...row, text: row.text.slice(0, to), marks: row.marks.filter(([f]) => f < to) };
  const words = [];
  for (const w of row.words) {
    if (to > 0) words.push({ ...w, text: w.text.slice(0, to) });
    to -= w.text.length;
  }
  return { words };
}

// Of paragraphs, each counts with its lines.
function moreRows(rows: Row[]): string {
  return say.moreLines(rows.reduce((sum, r) => sum + ("fold" in r ? r.fold : "words" in r ? Math.max(1, countLines(textOf(r).trimEnd())) : 1), 0));
}

/** leftOut says what a card does not show of a part before it is opened, or "". */
export function leftOut(p: Part): string {
  if (p.kind === "diff") return clipRows(rowsOf(p, false)).more;
  const c = clip(p.text, LIMIT.lines, LIMIT.chars);
  return c.moreChars > 0 ? more(c) : "";
}

/** linesIn counts the lines of parts; of a diff, those that change. */
export function linesIn(parts: Part[]): number {
  return parts.reduce((n, p) => {
    if (p.kind === "text") return n + countLines(p.text);
    const { del, add } = counts(p.lines);
    return n + del + add;
  }, 0);
}

/** size says how long a text is, for the line of a card. */
export function size(text: string): string { return say.lines(countLines(text)); }
