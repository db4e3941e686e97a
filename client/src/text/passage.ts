import type { Passage, Section } from "../types.ts";

/** Range is a piece of a text, by its positions. */
export interface Range { from: number; to: number }

/** SHOWN is the event by which an element that stands below a line of a text is told that it is in the page. */
export const SHOWN = "shown";

const JOINER = "\u200d";
const MARK = /^\p{M}/u, TONE = /^[\u{1F3FB}-\u{1F3FF}]/u;

/** letterStarts reports whether a letter begins at a position of a text, or the text ends there, as the server tells it (dialog.LetterStarts). */
export function letterStarts(text: string, at: number): boolean {
  if (at <= 0 || at >= text.length) return true;
  const before = text[at - 1]!, next = String.fromCodePoint(text.codePointAt(at)!);
  if (/[\udc00-\udfff]/.test(text[at]!) && /[\ud800-\udbff]/.test(before)) return false;
  if (before === "\r" && next === "\n") return false;
  if (/\p{Cc}/u.test(before)) return true;
  return before !== JOINER && next !== JOINER && !MARK.test(next) && !TONE.test(next);
}

/** atLetters widens a range to whole letters, but for half of a line's end, which it leaves out. */
export function atLetters(text: string, { from, to }: Range): Range {
  if (text[to - 1] === "\r" && text[to] === "\n") to--;
  if (text[from - 1] === "\r" && text[from] === "\n") from++;
  while (!letterStarts(text, from)) from--;
  while (!letterStarts(text, to)) to++;
  return { from, to: Math.max(from, to) };
}

const bytes = (text: string) => new TextEncoder().encode(text).length;

/** passageIn returns a range of a file's text as a message names it. */
export function passageIn(file: string, etag: string, text: string, { from, to }: Range): Passage {
  const start = bytes(text.slice(0, from));
  return { file, sha256: etag.replace(/^(W\/)?"|"$/g, ""), from: start, to: start + bytes(text.slice(from, to)) };
}

/** findPassage returns where words stand in a text, nearest to a position; null where they do not, or do within a letter alone. */
export function findPassage(text: string, words: string, near: number): Range | null {
  let best: Range | null = null;
  for (let at = text.indexOf(words); at >= 0 && words !== ""; at = text.indexOf(words, at + 1)) {
    if (!letterStarts(text, at) || !letterStarts(text, at + words.length)) continue;
    if (best !== null && Math.abs(at - near) >= Math.abs(best.from - near)) break; // it only gets further
    best = { from: at, to: at + words.length };
  }
  return best;
}

/** Quoted is a passage that a message is about: its file and lines as the section tells them, "" where it does not. */
export interface Quoted { file: string; lines: string; text: string }

/** quotedIn returns the passages of a human's message, as dialog.Passages reads them. */
export function quotedIn(s: Section): Quoted[] {
  const places = (s.meta?.["On"] ?? "").split("; "), lines = (s.meta?.["Lines"] ?? "").split("; ");
  return (s.payloads ?? []).filter((p) => p.type === "passage/text").map((p, i) => {
    const place = /^(\S+) sha256:[0-9a-f]{64} \d+-\d+$/.exec(places[i] ?? "");
    return { file: place === null ? "" : place[1]!.replace(/%20|%3B|%25/gi, decodeURIComponent), lines: place !== null && /^\d+(-\d+)?$/.test(lines[i] ?? "") ? lines[i]! : "", text: p.text };
  });
}

/** placeOf returns where the one passage of a file that a message is about stands in its text by now; null where that is none, or several were named. */
export function placeOf(s: Section, file: string, text: string): Range | null {
  const [one, more] = quotedIn(s), from = Number(/ (\d+)-\d+$/.exec(s.meta?.["On"] ?? "")?.[1]);
  if (one?.file !== file || more !== undefined) return null;
  return findPassage(text, one.text, new TextDecoder().decode(new TextEncoder().encode(text).subarray(0, from)).length);
}
