import { codeIn, marksIn, notesIn, type Mark, type Note, type Range } from "./critic.ts";

/** Edit is a piece of a text that is replaced. */
export interface Edit extends Range { insert: string }

/** cut is the edit that takes a piece out. */
export const cut = (from: number, to: number): Edit => ({ from, to, insert: "" });

/** signsOf returns the signs of a mark. */
export function signsOf(m: Mark): Range[] {
  return [{ from: m.from, to: m.inner.from }, ...(m.now ? [{ from: m.inner.to, to: m.now.from }] : []), { from: m.now?.to ?? m.inner.to, to: m.to }];
}

const unsigned = (m: Mark): Edit[] => signsOf(m).map((r) => cut(r.from, r.to));

/** keep returns the edits by which a suggestion holds. */
export function keep(m: Mark): Edit[] {
  switch (m.kind) {
    case "add": return unsigned(m);
    case "del": return [cut(m.from, m.to)];
    case "sub": return [cut(m.from, m.now!.from), cut(m.now!.to, m.to)];
    default: return [];
  }
}

/** drop returns the edits by which all is as before a suggestion. */
export function drop(m: Mark): Edit[] {
  switch (m.kind) {
    case "add": return [cut(m.from, m.to)];
    case "del": return unsigned(m);
    case "sub": return [cut(m.from, m.inner.from), cut(m.inner.to, m.to)];
    default: return [];
  }
}

/** standing returns a stretch of a text as it stands: without comments, and as before suggestions. */
export function standing(text: string, { from, to }: Range): string {
  const out = marksIn(text).flatMap((m): Range[] => (m.kind === "note" ? [m] : m.kind === "mark" ? unsigned(m) : drop(m))).sort((a, b) => a.from - b.from);
  let words = "", at = from;
  for (const r of out) {
    if (r.to <= at || r.from >= to) continue;
    words += text.slice(at, Math.max(at, r.from));
    at = r.to;
  }
  return words + text.slice(at, Math.max(at, to));
}

/** done returns the edits that take a comment out, and with the last one of a passage that one's signs. */
export function done(n: Note, all: readonly Note[]): Edit[] {
  const out = [cut(n.mark.from, n.mark.to)], p = n.about;
  if (p?.kind === "mark" && all.filter((o) => o.about === p).length === 1) out.unshift(...unsigned(p));
  return out;
}

// What a line begins with that is no word of it: quotations, items and their boxes, headings, the first bar of a row.
const HEAD = /^[ \t]*(?:>[ \t]?|(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?|#{1,6}[ \t]+|\|[ \t]*)*/;

/**
 * comment returns the edits that put a comment on a passage into a text. They are null where
 * it would not be read as one: in a block of code, or on no word. `inline` lists the marks
 * of markdown, such as emphasis, of which it would cut some.
 */
export function comment(text: string, marks: readonly Mark[], passage: Range, words: string, inline: readonly Inline[] = []): Edit[] | null {
  const p = placed(text, marks, passage, inline);
  if (p === null) return null;
  const row = /^[ \t>]*\|/.test(text.slice(text.lastIndexOf("\n", p.to - 1) + 1, p.to));
  const note = inNote(words, row);
  const out: Edit[] = [{ from: p.from, to: p.from, insert: "{==" }, { from: p.to, to: p.to, insert: `==}{>>${note}<<}` }];
  const after = edited(text, out), now = marksIn(after), at = p.to + "{====}".length;
  const put = notesIn(after, now).find((n) => n.mark.from === at);
  return note !== "" && now.length === marks.length + 2 && put?.mark.to === at + note.length + 6 && put.about?.from === p.from ? out : null;
}

/** Inline is a mark of markdown within a line: emphasis, code, a link; inner is what is between its signs, null where nothing may stand. */
export interface Inline extends Range { inner: Range | null }

/** placed returns the passage that a comment would stand on: at words, around marks that it would cut, within no code. */
export function placed(text: string, marks: readonly Mark[], { from, to }: Range, inline: readonly Inline[] = []): Range | null {
  for (let moved = true; moved; ) {
    moved = false;
    while (from < to && /\s/.test(text[from]!)) from++;
    while (to > from && /\s/.test(text[to - 1]!)) to--;
    const start = text.lastIndexOf("\n", from - 1) + 1, first = lineAt(text, start), head = start + (RULE.test(first) ? first.length : HEAD.exec(first)![0].length);
    if (from < head) {
      from = Math.min(head, to);
      moved = from < to && /\s/.test(text[from]!);
    }
    const last = text.lastIndexOf("\n", to - 1) + 1;
    if (from < last && RULE.test(lineAt(text, last))) {
      to = last;
      moved = true;
      continue;
    }
    if (escapes(text, from)) from--;
    if (escapes(text, to)) to += /[^\s]/.test(text[to] ?? " ") ? 1 : -1;
    const foot = /^[ \t>]*\|/.test(text.slice(last, to)) ? /[ \t]*\|[ \t]*$/.exec(text.slice(last, to)) : null;
    if (foot && last + foot.index > from) to = last + foot.index;
    for (const r of [...marks.filter((m) => cuts(m, from, to)), ...spansCut(text, from, to), ...inline.filter((m) => splits(text, m, from, to))]) {
      if (r.from < from || r.to > to) moved = true;
      from = Math.min(from, r.from);
      to = Math.max(to, r.to);
    }
  }
  if (to <= from || codeIn(text).some((c) => (c.from <= from && from < c.to) || (c.from < to && to <= c.to))) return null;
  return { from, to };
}

// A line without words: a rule, the line below a heading, the one below the head of a table.
const RULE = /^[ \t>|:=*_-]*[=*_-][ \t|:=*_-]*\r?$/;

// Whether what stands at a position is escaped.
function escapes(text: string, at: number): boolean {
  let n = 0;
  while (text[at - 1 - n] === "\\") n++;
  return n % 2 === 1;
}

function lineAt(text: string, start: number): string {
  const end = text.indexOf("\n", start);
  return text.slice(start, end < 0 ? text.length : end);
}

// Whether a passage would begin or end in a mark's signs, in a note, or on one side of a mark alone.
function cuts(m: Mark, from: number, to: number): boolean {
  if (to <= m.from || from >= m.to || (from <= m.from && to >= m.to)) return false;
  const within = (r: Range | null) => r !== null && m.kind !== "note" && from >= r.from && to <= r.to;
  return !within(m.inner) && !within(m.now);
}

// Whether a passage would begin or end in a mark of markdown alone, or would end it: signs between a letter and a brace are none.
function splits(text: string, { from: start, to: end, inner }: Inline, from: number, to: number): boolean {
  if (to <= start || from >= end || (from <= start && to >= end)) return false;
  if (inner === null || from < inner.from || to > inner.to) return true;
  const letter = (at: number) => /[\p{L}\p{N}]/u.test(text[at] ?? "");
  return (from === inner.from && letter(start - 1)) || (to === inner.to && letter(end));
}

// The stretches of code within a paragraph that a passage would cut.
function spansCut(text: string, from: number, to: number): Range[] {
  const start = text.lastIndexOf("\n\n", from) + 1, end = text.indexOf("\n\n", to), out: Range[] = [];
  for (const m of text.slice(start, end < 0 ? text.length : end).matchAll(/(?<![\\`])(`+)(?!`)(?:(?!\n\s*\n)[\s\S])*?(?<!`)\1(?!`)/g)) {
    const r = { from: start + m.index, to: start + m.index + m[0].length };
    if ((r.from < from && from < r.to) || (r.from < to && to < r.to)) out.push(r);
  }
  return out;
}

// The words of a note, in which nothing ends it, or the row that it stands in.
function inNote(words: string, row: boolean): string {
  const line = words.trim().replace(/\s*[\r\n\u2028\u2029]+\s*/g, " ").replaceAll("<<}", "<< }").replaceAll("{>>", "{ >>");
  return row ? line.replace(/(?<!\\)\|/g, "\\|") : line;
}

/** edited returns a text with edits made, which are in its order. */
export function edited(text: string, edits: readonly Edit[]): string {
  let out = "", at = 0;
  for (const e of edits) {
    out += text.slice(at, e.from) + e.insert;
    at = e.to;
  }
  return out + text.slice(at);
}
