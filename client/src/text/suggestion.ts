import type { Call } from "../types.ts";
import { countLines } from "./clip.ts";
import { marksIn, type Mark } from "./critic.ts";
import { changedWords } from "./diff.ts";
import { hiddenCount } from "./hidden.ts";
import { readInput } from "./input.ts";
import { LIMIT } from "./part.ts";
import type { Range } from "./passage.ts";

/** A piece of a text that goes, and what comes behind it. */
export interface Piece extends Range { add: string }

/** Suggestion is what a call would change, where that stands in a text. */
export interface Suggestion extends Range { pieces: Piece[] }

/** isAbout reports whether a call that waits would edit a doc. */
export function isAbout(call: Call, doc: string): boolean { return call.tool === "edit_file" && !call.effect && call.target?.path === doc && call.target.exists; }

// The members that are shown where the change is drawn in the text.
const SHOWN = new Set(["path", "old_string", "new_string", "description"]);

/**
 * suggestionIn returns what an edit changes in a text, to be drawn there; null where that is
 * not all that is to be seen of the call: the words stand there otherwise now, or twice, some
 * would be hidden, it is long, or lies where the page shows something else than its words.
 */
export function suggestionIn(call: Call, text: string): Suggestion | null {
  const { fields, warning } = readInput(call.inputText);
  const { path, old_string: before, new_string: after, description = "" } = fields ?? {};
  if (warning !== "" || Object.keys(fields ?? {}).some((k) => !SHOWN.has(k)) || path !== call.target?.path) return null;
  if (typeof before !== "string" || typeof after !== "string" || typeof description !== "string" || before === "") return null;
  if (before.length + after.length > LIMIT.chars || countLines(before) + countLines(after) > LIMIT.lines || hiddenCount(before + after) > 0) return null;
  const from = text.indexOf(before);
  if (from < 0 || text.indexOf(before, from + 1) >= 0 || !isProse(text, from, from + before.length)) return null;
  const marks = marksIn(text);
  const pieces = changedWords(before, after).map((c) => ({ from: from + c.fromA, to: from + c.toA, add: after.slice(c.fromB, c.toB) }));
  if (pieces.length === 0 || pieces.some((p) => (text.slice(p.from, p.to) + p.add).trim() === "" || inSigns(marks, p))) return null;
  return { from, to: from + before.length, pieces };
}

// Whether a piece lies in what is shown otherwise than it reads: a comment, a suggestion, or the signs around a passage.
function inSigns(marks: readonly Mark[], { from, to }: Piece): boolean {
  const meets = (a: number, b: number) => (from < b && to > a) || (from === to && from > a && from < b);
  return marks.some((m) => (m.kind === "mark" ? meets(m.from, m.inner.from) || meets(m.inner.to, m.to) : meets(m.from, m.to)));
}

// A table, a line across, a picture, a fence: what stands there is drawn as something else. A mark of CriticMarkup is none of these.
const DRAWN = /^\s*\||^\s{0,3}([-*_])(?:\s*\1){2,}\s*$|^\s*(?:əəə|```|~~~)|!\[|^\s*\{(?!\+\+|--|~~|>>|==)/;

function isProse(text: string, from: number, to: number): boolean {
  const start = text.lastIndexOf("\n", from - 1) + 1, end = text.indexOf("\n", to);
  if (text.slice(start, end < 0 ? undefined : end).split("\n").some((l) => DRAWN.test(l))) return false;
  // Within a block of schwas, or the front matter, which are folded.
  let within = text.startsWith("---\n") || text.startsWith("---\r\n") ? "---" : "";
  let first = true;
  for (const line of text.slice(0, start).split("\n")) {
    const bare = line.trimEnd();
    if (first && within === "---") first = false;
    else if (within === "---" && (bare === "---" || bare === "...")) within = "";
    else if (within === "" && /^əəə[^ə]/.test(bare)) within = "əəə";
    else if (within === "əəə" && bare === "əəə") within = "";
    first = false;
  }
  return within === "";
}
