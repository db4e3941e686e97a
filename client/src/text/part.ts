import { clip, countLines, more } from "./clip.ts";
import { counts, diffLines, fold, type DiffLine, type Run } from "./diff.ts";
import { parts as say } from "./strings.ts";

/** A part of a call's input, as the card shows it. */
export type Part =
  | { key: string; label: string; kind: "text"; text: string }
  | { key: string; label: string; kind: "diff"; lines: DiffLine[]; endOnly: boolean };

/** How much a card shows before it is opened: lines of a text or rows of a diff, and characters in all. */
export const LIMIT = { lines: 24, chars: 4000 };

/** diffPart returns the part that shows a change of a text. */
export function diffPart(key: string, label: string, before: string, after: string): Part {
  const lines = diffLines(before, after);
  const { del, add } = counts(lines);
  return { key, label, kind: "diff", lines, endOnly: del + add === 0 && before !== after };
}

/** A row of a diff: a line, or a fold of n unchanged ones. */
export type Row = { fold: number } | DiffLine;

/** rowsOf returns a diff's rows: all lines if full, else three of context around each change. */
export function rowsOf(lines: DiffLine[], full: boolean): Row[] {
  if (full) return lines;
  return fold(lines).flatMap((r: Run): Row[] => (r.folded ? [{ fold: r.lines.length }] : r.lines));
}

/** clipRows keeps the first rows within the limit; the last one may be cut. */
export function clipRows(rows: Row[], limit = LIMIT): { rows: Row[]; more: string } {
  const out: Row[] = [];
  let chars = 0;
  for (const [i, row] of rows.entries()) {
    const room = limit.chars - chars;
    if (i >= limit.lines || room <= 0) return { rows: out, more: moreRows(rows.slice(i)) };
    if (!("fold" in row) && row.text.length > room) {
      out.push({ ...row, text: row.text.slice(0, room), marks: row.marks.filter(([f]) => f < room) });
      const rest = rows.length - i - 1;
      return { rows: out, more: rest > 0 ? moreRows(rows.slice(i + 1)) : say.moreChars(row.text.length - room) };
    }
    out.push(row);
    if (!("fold" in row)) chars += row.text.length;
  }
  return { rows: out, more: "" };
}

function moreRows(rows: Row[]): string {
  return say.moreLines(rows.reduce((sum, r) => sum + ("fold" in r ? r.fold : 1), 0));
}

/** leftOut says what a card does not show of a part before it is opened, or "". */
export function leftOut(p: Part): string {
  if (p.kind === "diff") return clipRows(rowsOf(p.lines, false)).more;
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
