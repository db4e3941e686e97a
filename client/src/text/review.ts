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

/** byFile puts changes of the same file together; files stand as they were first changed. */
export function byFile(all: CallChange[]): ReviewedFile[] {
  const files = new Map<string, ReviewedFile>();
  for (const c of all) {
    const f = files.get(c.path);
    if (f === undefined) files.set(c.path, { path: c.path, changes: [c] });
    else f.changes.push(c);
  }
  return [...files.values()];
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

/** A comment that is written on a line, by the line's key. */
export type Comments = Record<string, string>;

/** readComments reads what was kept of comments; what can't be read is none. */
export function readComments(kept: string | null): Comments {
  try {
    const v = JSON.parse(kept ?? "{}") as Record<string, unknown> | null;
    return Object.fromEntries(Object.entries(v ?? {}).filter((e): e is [string, string] => typeof e[1] === "string"));
  } catch {
    return {};
  }
}

/** withComment returns comments with the one on a line as it is now; an empty one is none. */
export function withComment(all: Comments, key: string, text: string): Comments {
  const { [key]: _, ...others } = all;
  return text === "" ? others : { ...others, [key]: text };
}

/** messageOf makes one message of the comments on what is shown, in the order of the lines; "" where there are none. Each has the file, its hash and the line. */
export function messageOf(files: ReviewedFile[], comments: Comments): string {
  const parts: string[] = [];
  for (const { path, changes } of files) {
    for (const c of changes) {
      for (const h of c.hunks) {
        for (const l of linesOf(h)) {
          const words = comments[lineKey(c, l)]?.trim();
          if (words) parts.push(say.on(path, l.side === "after" ? c.sha256 : c.replaced, l.at, l.side === "before", l.text, words));
        }
      }
    }
  }
  return parts.length === 0 ? "" : [say.opening, ...parts].join("\n\n");
}

/** keysOf returns the keys of all lines that are shown. */
export function keysOf(files: ReviewedFile[]): Set<string> { return new Set(files.flatMap((f) => f.changes.flatMap((c) => c.hunks.flatMap((h) => linesOf(h).map((l) => lineKey(c, l)))))); }

/** countComments counts the comments on these lines that say something: those that messageOf sends. */
export function countComments(keys: Set<string>, comments: Comments): number { return Object.entries(comments).filter(([key, text]) => keys.has(key) && text.trim() !== "").length; }
