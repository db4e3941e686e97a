import { changesBetween, foldFrom, joined, wholeWords, type Change, type DiffLine, type Run } from "./diff.ts";
import { cleanPath } from "./names.ts";

/** A stretch of words of a diff. */
export interface Words { kind: DiffLine["kind"]; text: string }

/** A paragraph of both texts at once: the words that went stand before those that came. The line breaks behind it are its own. */
export interface Paragraph { words: Words[] }

/** isProse reports whether a call's path names a doc, which is read as prose. */
export function isProse(path: string): boolean { return /^[^/]+\.md$/i.test(cleanPath(path)); }

/** isChanged reports whether something in a paragraph came or went. */
export function isChanged(p: Paragraph): boolean { return p.words.some((w) => w.kind !== "same"); }

/** foldProse folds what is further than one paragraph from a change. */
export function foldProse(all: Paragraph[]): Run<Paragraph>[] { return foldFrom(all, isChanged, 1); }

// Between paragraphs: blank lines, or the line break before an item, a heading, a row, a quotation, a fence.
const BETWEEN = /\n(?:[ \t\r]*\n)+|\n(?=[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]|#{1,6}[ \t]|[ \t]*[>|]|[ \t]*(?:```|~~~|əəə))/g;

/** diffProse is the diff of two texts by words, in paragraphs. */
export function diffProse(a: string, b: string): Paragraph[] {
  const all = wordsOf(a, b);
  const out: Paragraph[] = [];
  let open: Words[] = [], at = 0;
  const ends = [...all.map((w) => w.text).join("").matchAll(BETWEEN)].map((m) => m.index + m[0].length);
  const close = () => {
    if (open.length > 0) out.push({ words: open });
    open = [];
  };
  let next = 0;
  for (const { kind, text } of all) {
    for (let from = 0; from < text.length; ) {
      while (next < ends.length && ends[next]! <= at + from) next++;
      const end = Math.min(text.length, (ends[next] ?? Infinity) - at);
      open.push({ kind, text: text.slice(from, end) });
      from = end;
      if (at + end === ends[next]) close();
    }
    at += text.length;
  }
  close();
  return lent(out);
}

// The blank line before a paragraph that came whole, or went, is its own.
function lent(all: Paragraph[]): Paragraph[] {
  all.forEach((p, i) => {
    const last = p.words.at(-1)!, next = all[i + 1]?.words ?? [];
    if (p.words.length < 2 || last.kind === "same" || last.text.trim() !== "" || next.length === 0 || next.some((w) => w.kind !== last.kind)) return;
    p.words.pop();
    next[0] = { kind: last.kind, text: last.text + next[0]!.text };
  });
  return all;
}

function wordsOf(a: string, b: string): Words[] {
  const out: Words[] = [];
  const put = (kind: Words["kind"], text: string) => { if (text !== "") out.push({ kind, text }); };
  let row = 0;
  const changes = changesBetween(a, b);
  for (const c of joined(changes.map((c, i) => withMark(wholeWords(settled(c, a, b, changes[i - 1]), a, b, changes[i - 1], changes[i + 1]), a, changes[i + 1])))) {
    put("same", a.slice(row, c.fromA));
    put("del", a.slice(c.fromA, c.toA));
    put("add", b.slice(c.fromB, c.toB));
    row = c.toA;
  }
  put("same", a.slice(row));
  return out;
}

// A word that another replaces takes the mark behind it along.
function withMark(c: Change, a: string, after?: Change): Change {
  const by = c.fromA < c.toA && c.fromB < c.toB ? /^[.,;:!?…]+(?=\s|$)/.exec(a.slice(c.toA, Math.min(c.toA + 4, after?.fromA ?? a.length)))?.[0].length ?? 0 : 0;
  return { ...c, toA: c.toA + by, toB: c.toB + by };
}

// Lines that only came, or only went, begin where a paragraph does, as far as the text allows.
function settled(c: Change, a: string, b: string, before?: Change): Change {
  const [text, from, to] = c.fromA === c.toA ? [b, c.fromB, c.toB] : c.fromB === c.toB ? [a, c.fromA, c.toA] : ["", 0, 0];
  if (!text.slice(from, to).includes("\n")) return c;
  let best = 0, rank = -1;
  for (let by = 0; by <= to - from && by <= c.fromA - (before?.toA ?? 0); by++) {
    const at = from - by, here = at === 0 || /\n[ \t\r]*\n$/.test(text.slice(Math.max(0, at - 40), at)) ? 2 : text[at - 1] === "\n" ? 1 : 0;
    if (here > rank) [best, rank] = [by, here];
    if (at === 0 || text[at - 1] !== text[to - by - 1]) break;
  }
  return { fromA: c.fromA - best, toA: c.toA - best, fromB: c.fromB - best, toB: c.toB - best };
}
