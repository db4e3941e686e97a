import type { ChangeHunk } from "../types.ts";
import { diffProse, isChanged, isProse, type Paragraph, type Words } from "./prosediff.ts";
import { linesOf, markedLines, type ReviewLine } from "./review.ts";

/** A row of a hunk as it is drawn, a line or a paragraph, at which a comment can be written. */
export interface HunkRow {
  /** the line that a new comment is on: of a paragraph the first that changed, as it is now where it is still there */
  line: ReviewLine;
  /** the lines that begin in the row, of both sides */
  lines: ReviewLine[];
  /** the words of a paragraph; null for a line by itself */
  paragraph: Paragraph | null;
}

/** hunkRows returns the rows of a hunk: of a doc its paragraphs, where words of it changed, and one around them, else its lines. */
export function hunkRows(path: string, h: ChangeHunk): HunkRow[] {
  const all = isProse(path) ? paragraphsOf(h) : [];
  const first = all.findIndex(rowChanged), last = all.findLastIndex(rowChanged);
  if (first < 0) return markedLines(h).map((line) => ({ line, lines: [line], paragraph: null }));
  const from = Math.max(0, first - 1), to = Math.min(all.length - 1, last + 1);
  // A comment on what is further away is shown at the one around.
  all[from]!.lines = all.slice(0, from + 1).flatMap((r) => r.lines);
  all[to]!.lines = all.slice(to).flatMap((r) => r.lines);
  return all.slice(from, to + 1);
}

/** rowChanged reports whether something in a row came or went. */
export function rowChanged({ line, paragraph }: HunkRow): boolean { return paragraph === null ? line.kind !== "same" : isChanged(paragraph); }

function paragraphsOf(h: ChangeHunk): HunkRow[] {
  const lines = linesOf(h), before = lines.filter((l) => l.kind !== "add"), after = lines.filter((l) => l.kind !== "del");
  const nextBefore = beginning(before), nextAfter = beginning(after);
  const out: Part[] = [];
  for (const { words } of diffProse(textOf(before), textOf(after))) {
    // A line that stayed is one of the text after.
    const part = { words, lines: [...nextBefore(lettersOf(words, "add")).filter((l) => l.kind === "del"), ...nextAfter(lettersOf(words, "del"))] };
    const last = out.at(-1);
    if (last === undefined || (stands(last) && stands(part))) out.push(part);
    else out.splice(-1, 1, { words: [...last.words, ...words], lines: [...last.lines, ...part.lines] });
  }
  return out.map((p) => ({ line: commented(p.lines) ?? lines[0]!, lines: p.lines, paragraph: { words: p.words } }));
}

interface Part { words: Words[]; lines: ReviewLine[] }

const textOf = (lines: ReviewLine[]) => lines.map((l) => `${l.text}\n`).join("");
const lettersOf = (words: Words[], not: Words["kind"]) => words.reduce((sum, w) => sum + (w.kind === not ? 0 : w.text.length), 0);
const says = (l: ReviewLine) => l.text.trim() !== "";

// What is a row by itself. Blank lines that stayed, and words in which no line begins, are a part of the one beside them.
const stands = ({ words, lines }: Part) => lines.some(says) || (lines.length > 0 && isChanged({ words }));

// Returns what gives the lines of a text that begin within its next so many letters.
function beginning(lines: ReviewLine[]): (letters: number) => ReviewLine[] {
  let next = 0, start = 0, at = 0;
  return (letters) => {
    const from = next;
    for (at += letters; next < lines.length && start < at; next++) start += lines[next]!.text.length + 1;
    return lines.slice(from, next);
  };
}

function commented(lines: ReviewLine[]): ReviewLine | undefined {
  const all = lines.some(says) ? lines.filter(says) : lines;
  return all.find((l) => l.kind === "add") ?? all.find((l) => l.kind === "del") ?? all[0];
}
