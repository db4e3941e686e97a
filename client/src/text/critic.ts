import { mayMark } from "./criticbegins.ts";

/** Range is a piece of a text, by its positions. */
export interface Range { from: number; to: number }

/**
 * Mark is a piece of CriticMarkup in a text: words to be set in {++…++}, to be taken out
 * {--…--}, to be replaced {~~…~>…~~}, a note {>>…<<}, a passage {==…==}.
 */
export interface Mark extends Range {
  kind: "add" | "del" | "sub" | "note" | "mark";
  /** what is between its signs; of words to be replaced those that stand there */
  inner: Range;
  /** the words in their place */
  now: Range | null;
}

/** Note is a comment: its words, and the passage that it is about. */
export interface Note {
  mark: Mark;
  words: string;
  /** the mark that it stands behind, or null where it stands alone */
  about: Mark | null;
}

const KINDS: Record<string, Mark["kind"]> = { "++": "add", "--": "del", "~~": "sub", "==": "mark" };
const SIGN = 3; // characters
// What a line may begin with before a fence: quotations and items that it stands in.
const FENCE = /^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*(`{3,}(?=[^`]*$)|~{3,})/;
const ITEM = /^ {0,3}(?:[-*+]|\d{1,9}[.)])(?:[ \t]|$)/;
const SCHWAS = "əəə";

/** codeIn lists the blocks of code of a text, its front matter and its blocks of schwas, each by its lines. */
export function codeIn(text: string): Range[] {
  const out: Range[] = [];
  let fence = "", from = 0, at = 0, blank = true, listed = false, n = 0;
  const close = (to: number) => {
    out.push({ from, to });
    fence = "";
  };
  for (const raw of text.split("\n")) {
    const line = raw.endsWith("\r") ? raw.slice(0, -1) : raw, end = at + raw.length, empty = line.trim() === "";
    if (fence === "---") {
      if (/^(?:---|\.\.\.)[ \t]*$/.test(line)) close(end);
    } else if (fence === SCHWAS) {
      if (line.trimEnd() === SCHWAS) close(end);
    } else if (fence !== "") {
      const mark = /^[ \t>]*(`{3,}|~{3,})[ \t]*$/.exec(line)?.[1];
      if (mark !== undefined && mark.startsWith(fence)) close(end);
    } else if (n === 0 && /^---[ \t]*$/.test(line) && /\n(?:---|\.\.\.)[ \t]*\r?(?:\n|$)/.test(text)) [fence, from] = ["---", at];
    else if (line.startsWith(SCHWAS) && line.length > 3 && line[3] !== "ə" && line.trim().length > 3) [fence, from] = [SCHWAS, at];
    else if (FENCE.test(line)) [fence, from] = [FENCE.exec(line)![1]!, at];
    else if (!empty && blank && !listed && /^(?: {4}|\t| {1,3}\t)/.test(line)) {
      const last = out.at(-1);
      if (last && text.slice(last.to, at).trim() === "" && /^(?: {4}|\t| {1,3}\t)/.test(text.slice(last.from, last.from + 4))) last.to = end;
      else out.push({ from: at, to: end });
      at = end + 1;
      n++;
      continue; // the next line goes on with it
    }
    if (ITEM.test(line)) listed = true;
    else if (!empty && blank && !/^[ \t]/.test(line)) listed = false;
    blank = empty || fence === "" && out.at(-1)?.to === end;
    at = end + 1;
    n++;
  }
  if (fence !== "" && fence !== SCHWAS && fence !== "---") close(text.length);
  return out;
}

interface Open { kind: Mark["kind"]; from: number; then: number }

const TOKENS = /\n[ \t\r]*(?=\n)|`+|\\[!-/:-@[-`{-~]|\{(?:\+\+|--|~~|>>|==)|(?:\+\+|--|~~|==)\}|~>/g;

/** marksIn lists the marks of a text, each before those within it. In code there are none, and what is never closed is text. */
export function marksIn(text: string): Mark[] {
  if (!mayMark(text)) return [];
  const code = codeIn(text), out: Mark[] = [];
  let open: Open[] = [], c = 0;
  const put = (kind: Mark["kind"], from: number, to: number, then = -1) =>
    out.push({ kind, from, to, inner: { from: from + SIGN, to: then < 0 ? to - SIGN : then }, now: then < 0 ? null : { from: then + 2, to: to - SIGN } });
  TOKENS.lastIndex = 0;
  for (let m = TOKENS.exec(text); m !== null; m = TOKENS.exec(text)) {
    const at = m.index, sign = m[0];
    while (c < code.length && code[c]!.to <= at) c++;
    if (c < code.length && code[c]!.from <= at) {
      TOKENS.lastIndex = code[c]!.to;
      continue;
    }
    if (sign[0] === "`") TOKENS.lastIndex = endOfCode(text, at, sign.length, code[c]?.from ?? text.length);
    else if (sign === "{>>") {
      const end = text.indexOf("<<}", at + SIGN), next = text.indexOf("{>>", at + SIGN);
      if (end < 0 || (next >= 0 && next < end)) continue;
      put("note", at, end + SIGN);
      TOKENS.lastIndex = end + SIGN;
      while (c < code.length && code[c]!.from < TOKENS.lastIndex) c++;
    } else if (sign === "~>") {
      const last = open.at(-1);
      if (last?.kind === "sub" && last.then < 0) last.then = at;
    } else if (sign[0] === "{") open.push({ kind: KINDS[sign.slice(1)]!, from: at, then: -1 });
    else if (sign[2] === "}") {
      const kind = KINDS[sign.slice(0, 2)]!, i = open.findLastIndex((o) => o.kind === kind);
      if (i < 0) continue;
      const o = open[i]!;
      open = open.slice(0, i);
      if (kind !== "sub" || o.then >= 0) put(kind, o.from, at + SIGN, o.then);
    }
  }
  return out.sort((a, b) => a.from - b.from || b.to - a.to);
}

// Returns where a stretch of code within a paragraph ends that so many backticks begin; the end of those where none does.
function endOfCode(text: string, at: number, n: number, limit: number): number {
  const runs = /`+|\n[ \t\r]*\n/g;
  runs.lastIndex = at + n;
  for (let m = runs.exec(text); m !== null && m.index < limit && m[0][0] === "`"; m = runs.exec(text)) if (m[0].length === n) return m.index + n;
  return at + n;
}

/** notesIn lists the comments among marks, in their order. Several may stand behind one passage. */
export function notesIn(text: string, marks: readonly Mark[]): Note[] {
  const ends = new Map<number, Mark>();
  for (const m of marks) if (m.kind !== "note" && !ends.has(m.to)) ends.set(m.to, m);
  const out: Note[] = [];
  for (const mark of marks) {
    if (mark.kind !== "note") continue;
    const last = out.at(-1);
    const about = ends.get(mark.from) ?? (last && last.mark.to === mark.from ? last.about : null);
    out.push({ mark, words: wordsOf(text.slice(mark.inner.from, mark.inner.to)), about });
  }
  return out;
}

// A bar in a row of a table is escaped in the file.
function wordsOf(inner: string): string { return inner.replaceAll("\\|", "|").trim(); }
