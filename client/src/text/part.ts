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
