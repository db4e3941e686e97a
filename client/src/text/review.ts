import type { CallChange, ChangeHunk } from "../types.ts";
import { diffLines, type DiffLine } from "./diff.ts";
import type { Item } from "./items.ts";
import { review as say } from "./strings.ts";

/** turnEnds returns the last entry of each turn, by its key, with the id of the message that the turn began with. */
export function turnEnds(items: Item[]): Map<string, string> {
  const out = new Map<string, string>();
  let turn = "";
  items.forEach((item, i) => {
    if (item.kind === "user") turn = item.section.id;
    if (item.kind === "summary") turn = ""; // what it stands for is within it
    const next = items[i + 1];
    if (turn !== "" && (next === undefined || next.kind === "user" || next.kind === "summary")) out.set(item.key, turn);
  });
  return out;
}

/** What calls made of one file, in their order. */
export interface ReviewedFile {
  path: string;
  changes: CallChange[];
}

const NATURAL = new Intl.Collator("en", { numeric: true });

/** byFile puts changes of the same file together, by path, with numbers in their order. */
export function byFile(all: CallChange[]): ReviewedFile[] {
  const files = new Map<string, ReviewedFile>();
  for (const c of all) {
    const f = files.get(c.path);
    if (f === undefined) files.set(c.path, { path: c.path, changes: [c] });
    else f.changes.push(c);
  }
  return [...files.values()].sort((a, b) => NATURAL.compare(a.path, b.path));
}

/** modeOf says what a call made of who may run or use a file; "" where that is as it was. */
export function modeOf({ mode, modeWas }: Pick<CallChange, "mode" | "modeWas">): string {
  if (mode === undefined && modeWas === undefined) return "";
  const runs = (octal = "") => (Number.parseInt(octal || "644", 8) & 0o111) !== 0;
  return runs(mode) === runs(modeWas) ? say.mode : runs(mode) ? say.runs : say.runsNot;
}

/** A line of a change: of the file as it was before, or as the call left it. */
export interface ReviewLine extends DiffLine {
  side: Side;
}

export type Side = "before" | "after";

/** linesOf returns a hunk's lines, with those around it. */
export function linesOf(h: ChangeHunk): ReviewLine[] {
  const lines = (kind: DiffLine["kind"], side: Side, texts: string[], from: number) => texts.map((text, i): ReviewLine => ({ kind, text: bare(text), marks: [], side, at: from + i }));
  return [
    ...lines("same", "after", h.above, h.from - h.above.length),
    ...lines("del", "before", h.old, h.was),
    ...lines("add", "after", h.new, h.from),
    ...lines("same", "after", h.below, h.to + 1),
  ];
}

/** markedLines is linesOf with the words marked that changed, where the lines of both sides stand against each other. */
export function markedLines(h: ChangeHunk): ReviewLine[] {
  const marks = marksOf(h);
  let del = 0, add = 0;
  return linesOf(h).map((l) => (marks === null || l.kind === "same" ? l : { ...l, marks: (l.kind === "del" ? marks.del[del++] : marks.add[add++]) ?? [] }));
}

// A line feed that follows is no part of a line, nor is the CR before it.
const bare = (text: string) => (text.endsWith("\r") ? text.slice(0, -1) : text);

// How many lines a hunk has at most in which words are marked.
const MARKED = 400;

function marksOf(h: ChangeHunk): { del: DiffLine["marks"][]; add: DiffLine["marks"][] } | null {
  if (h.old.length === 0 || h.new.length === 0 || h.old.length + h.new.length > MARKED) return null;
  const lines = diffLines(h.old.map(bare).join("\n") + "\n", h.new.map(bare).join("\n") + "\n");
  const of = (kind: DiffLine["kind"]) => lines.filter((l) => l.kind === kind).map((l) => l.marks);
  const del = of("del"), add = of("add");
  return del.length === h.old.length && add.length === h.new.length ? { del, add } : null;
}

/** lineKey names a line of a change, for the comment on it. */
export function lineKey(c: CallChange, l: Pick<ReviewLine, "side" | "at">): string { return [c.call, l.side, l.at, c.path].join(" "); }

/** A comment on a line, with what it was made at: the file's hash and the line's words, which stay with it when the file changes. */
export interface Comment {
  text: string;
  sha256: string;
  quote: string;
}

/** Comments are by the line's key. */
export type Comments = Record<string, Comment>;

/** placeOf is what a comment on a line is made at. */
export function placeOf(c: CallChange, l: ReviewLine): Omit<Comment, "text"> { return { sha256: l.side === "after" ? c.sha256 : c.replaced, quote: l.text }; }

/** readComments reads what was kept of comments; what can't be read is none. */
export function readComments(kept: string | null): Comments {
  try {
    const v = JSON.parse(kept ?? "{}") as Record<string, unknown> | null;
    return Object.fromEntries(Object.entries(v ?? {}).flatMap(([key, c]) => {
      const read = commentOf(c);
      return read === null || lineOf(key) === null ? [] : [[key, read]];
    }));
  } catch {
    return {};
  }
}

function commentOf(v: unknown): Comment | null {
  if (typeof v === "string") return { text: v, sha256: "", quote: "" }; // as they were kept formerly
  const { text, sha256, quote } = (v ?? {}) as Record<string, unknown>;
  return typeof text === "string" && typeof sha256 === "string" && typeof quote === "string" ? { text, sha256, quote } : null;
}

/** withComment returns comments with the one on a line as it is now; an empty one is none. */
export function withComment(all: Comments, key: string, comment: Comment): Comments {
  const { [key]: _, ...others } = all;
  return comment.text === "" ? others : { ...others, [key]: comment };
}

/** without returns what is left of comments once these were sent: also one that was written on meanwhile. */
export function without(all: Comments, sent: Comments): Comments { return Object.fromEntries(Object.entries(all).filter(([key, c]) => c.text.trim() !== "" && sent[key]?.text !== c.text)); }

/** The line that a comment is on, as its key tells. */
export interface CommentedLine {
  path: string;
  side: Side;
  at: number;
}

/** lineOf reads a line's key; null for what is none. */
export function lineOf(key: string): CommentedLine | null {
  const [, side, at, path] = /^\S+ (before|after) (\d+) (.+)$/s.exec(key) ?? [];
  return path === undefined ? null : { path, side: side as Side, at: Number(at) };
}

/** A comment on a line that is not shown any more. */
export interface Stray extends CommentedLine {
  key: string;
  comment: Comment;
}

/** straysOf returns the comments on lines that are not among these, by path and line. */
export function straysOf(keys: Set<string>, comments: Comments): Stray[] {
  const all = Object.entries(comments).filter(([key]) => !keys.has(key)).map(([key, comment]) => ({ key, comment, ...lineOf(key)! }));
  return all.sort((a, b) => NATURAL.compare(a.path, b.path) || a.at - b.at);
}

/** messageOf makes one message of all comments that say something, in the order of the lines, behind them those on lines that are not shown any more; "" where there are none. Each has the file, its hash and the line. */
export function messageOf(files: ReviewedFile[], comments: Comments): string {
  const shown = keysOf(files);
  const keys = [...[...shown].filter((key) => comments[key] !== undefined), ...straysOf(shown, comments).map((s) => s.key)];
  const parts = keys.flatMap((key) => {
    const { text, sha256, quote } = comments[key]!, { path, side, at } = lineOf(key)!;
    return text.trim() === "" ? [] : [say.on(path, sha256, at, side === "before", quote, text.trim())];
  });
  return parts.length === 0 ? "" : [say.opening, ...parts].join("\n\n");
}

/** withoutHashes returns such a message as a human reads it: the hashes are the agent's. It may be markdown or the HTML of it. */
export function withoutHashes(text: string): string {
  return text.replace(/^\s*<p[^>]*>/, "").startsWith(say.opening) ? text.replace(/ \(sha256 [0-9a-f]{64}\)(?=, line \d+:)/g, "") : text;
}

/** keysOf returns the keys of all lines that are shown. */
export function keysOf(files: ReviewedFile[]): Set<string> { return new Set(files.flatMap((f) => f.changes.flatMap((c) => c.hunks.flatMap((h) => linesOf(h).map((l) => lineKey(c, l)))))); }

/** countComments counts the comments that say something: those that messageOf sends. */
export function countComments(comments: Comments): number { return Object.values(comments).filter((c) => c.text.trim() !== "").length; }
