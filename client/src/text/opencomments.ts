import type { Note, Range } from "./critic.ts";
import { atLetters } from "./passage.ts";
import { unsentNotes } from "./sentcomments.ts";
import { comments as say } from "./strings.ts";

// How many passages a message may name.
const MOST = 50;

/** sayComments makes one message of the comments of a text: the passage of each, and the words, in their order, but of those that were sent. It is null where there is none. */
export function sayComments(text: string, sent: readonly string[] = []): { prompt: string; on: Range[] } | null {
  const notes = unsentNotes(text, sent);
  if (notes.length === 0) return null;
  const on = notes.slice(0, MOST).map((n) => passageOf(text, n));
  if (notes.length === 1) return { prompt: notes[0]!.words, on };
  const words = notes.map((n, i) => `${i + 1}. ${i < MOST ? "" : say.at(lineOf(text, n), quoted(text, n))}${n.words}`);
  return { prompt: `${say.head(Math.min(notes.length, MOST))}\n\n${words.join("\n")}`, on };
}

// The passage that a comment is about; of one that stands alone the words of its line, or itself.
function passageOf(text: string, { mark, about }: Note): Range {
  const r = about === null ? lineAround(text, mark) : about.kind === "mark" ? about.inner : { from: about.from, to: about.to };
  return atLetters(text, text.slice(r.from, r.to).trim() === "" ? { from: mark.from, to: mark.to } : r);
}

function lineAround(text: string, { from, to }: Range): Range {
  const end = text.indexOf("\n", to);
  const line = { from: text.lastIndexOf("\n", from - 1) + 1, to: end < 0 ? text.length : end };
  return { from: line.from, to: line.from + text.slice(line.from, line.to).trimEnd().length };
}

function lineOf(text: string, n: Note): number { return text.slice(0, n.mark.from).split("\n").length; }

function quoted(text: string, n: Note): string { return n.about === null ? "" : text.slice(n.about.inner.from, n.about.inner.to).replace(/\s+/g, " ").slice(0, 200); }
