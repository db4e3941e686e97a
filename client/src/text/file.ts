import type { Call, FileTarget } from "../types.ts";
import { callWords } from "./calls.ts";
import { readInput } from "./input.ts";
import { countLines } from "./clip.ts";
import { edited } from "./edit.ts";
import { counts } from "./diff.ts";
import { cleanPath } from "./names.ts";
import type { Part } from "./part.ts";
import { write } from "./strings.ts";

/** targetWord returns the word of an approval that binds it to the file which the call would write, as it was shown; "" where the server told none. */
export function targetWord(t: FileTarget | undefined): string {
  if (!t) return "";
  if (!t.exists) return "target:none";
  return t.sha256 ? `target:${t.sha256}` : "";
}

/** placeWord returns the word, the last of its line, of an approval that binds it to where the file was shown to lie; "" where the server told nothing that a line can hold. */
export function placeWord(t: FileTarget | undefined): string {
  return t && t.path !== "" && t.path === t.path.trim() && !/[\p{Cc}\u2028\u2029\ufffd]/u.test(t.path) ? `path:${t.path}` : "";
}

/** Before is what the file holds that a call would write over. */
export type Before =
  /** there is no such file, or the call replaces none */
  | { is: "none" }
  | { is: "reading" }
  | { is: "text"; text: string }
  /** it is no text, or too large to be shown */
  | { is: "unshown" }
  /** it could not be read */
  | { is: "failed" };

export const READING: Before = { is: "reading" };

/** Effect says what a call does to its file; loses is true where nothing comes in place of what goes, or nothing of it stays. */
export interface Effect {
  words: string;
  loses: boolean;
}

const NOTHING: Effect = { words: "", loses: false };

/** questionOf is the question of a call that waits, in words. */
export function questionOf(call: Call, sandbox: string): string {
  const { fields } = readInput(call.inputText);
  const path = fields?.["path"];
  if (call.effect) return write.keep;
  return call.tool === "write_file" && call.target?.exists && typeof path === "string" ? write.over(path) : callWords(call.tool, fields, sandbox).question;
}

/** fileEffect says what a call does to the file that it would write, as that stands now, and where that lies if the call's path is another one. */
export function fileEffect(call: Call, parts: Part[], before: Before): Effect {
  const effect = effectOn(call, parts, before);
  const path = readInput(call.inputText).fields?.["path"];
  if (!call.target || effect.words === "" || typeof path !== "string" || cleanPath(path) === call.target.path) return effect;
  return { ...effect, words: `${write.leads(call.target.path)} ${effect.words}` };
}

/** fails reports whether a write or an edit that is allowed would be refused, as its file stands now. */
export function fails(call: Call, before: Before): boolean {
  if (call.target?.stale) return true;
  if (call.tool !== "edit_file" || call.effect) return false;
  return call.target?.exists === false || (before.is === "text" && after(call, before.text) === null);
}

/** clashes reports whether an edit can't change its file any more once another one that waits has, though both could alone. */
export function clashes(call: Call, others: readonly Call[], before: Before): boolean {
  if (before.is !== "text" || call.tool !== "edit_file" || after(call, before.text) === null) return false;
  return others.some((o) => {
    if (o.id === call.id || o.tool !== "edit_file" || o.effect || o.target?.path !== call.target?.path) return false;
    const first = after(o, before.text);
    return first !== null && after(call, first) === null;
  });
}

// A text as an edit leaves it; null where the edit does not apply.
function after(call: Call, text: string): string | null {
  const { old_string: old, new_string: now } = readInput(call.inputText).fields ?? {};
  return typeof old === "string" && typeof now === "string" ? edited(text, old, now) : null;
}

function effectOn(call: Call, parts: Part[], before: Before): Effect {
  const t = call.target;
  if (t?.stale) return { words: write.stale, loses: false };
  if (call.tool === "edit_file") return t && !t.exists ? { words: write.missing, loses: false } : editEffect(parts, readInput(call.inputText).fields, before);
  if (call.tool !== "write_file") return NOTHING;
  const { fields } = readInput(call.inputText);
  const content = typeof fields?.["content"] === "string" ? fields["content"] : "";
  const lines = countLines(content), size = new TextEncoder().encode(content).length;
  if (!t) return { words: write.unknown(lines, size), loses: true };
  if (!t.exists) return { words: write.made(lines, size), loses: false };
  switch (before.is) {
    case "text": return overEffect(t.path, parts, before.text, content);
    case "unshown": return { words: write.unshown(t.bytes, size), loses: true };
    case "failed": return { words: write.failed(t.bytes, size), loses: true };
    default: return { words: write.reading, loses: false };
  }
}

function overEffect(path: string, parts: Part[], before: string, content: string): Effect {
  if (before === content) return { words: write.same, loses: false };
  const d = parts.find((p) => p.kind === "diff");
  if (d?.kind !== "diff") return NOTHING;
  const { del, add } = counts(d.lines);
  const stay = d.lines.length - del - add;
  if (del + add === 0) return { words: write.lineBreak, loses: false };
  if (content === "") return { words: write.empties(path, del), loses: true };
  if (del === 0) return { words: write.adds(path, add), loses: false };
  if (stay === 0) return { words: write.replaces(path, del, add), loses: true };
  return add === 0 ? { words: write.takes(path, del, stay), loses: true } : { words: write.changes(path, del, add, stay), loses: false };
}

/** editEffect says in words what the diff of an edit does. What stands in one line may be a part of it. */
export function editEffect(parts: Part[], fields: Record<string, unknown> | null = null, before: Before = { is: "none" }): Effect {
  if (before.is === "reading") return { words: write.reading, loses: false };
  const d = parts.find((p) => p.kind === "diff");
  if (d?.kind !== "diff") return NOTHING;
  if (before.is === "text" && !d.whole) return { words: write.nowhere, loses: false };
  if (d.endOnly) return { words: write.lineBreak, loses: false };
  const { del, add } = counts(d.lines), [old, now] = [fields?.["old_string"], fields?.["new_string"]];
  const within = [old, now].every((s) => typeof s === "string" && !s.includes("\n"));
  return { words: within ? write.within(now !== "") : write.edits(del, add), loses: del > 0 && (add === 0 || now === "") };
}
