import { clip, countLines, more } from "./clip.ts";
import { counts, diffLines, fold, type DiffLine, type Run } from "./diff.ts";
import { foreignParts } from "./foreign.ts";
import { planTold, readInput, restOf } from "./calls.ts";
import { parts as say } from "./strings.ts";

/** A part of a call's input, as the card shows it. */
export type Part =
  | { key: string; label: string; kind: "text"; text: string }
  | { key: string; label: string; kind: "diff"; lines: DiffLine[]; endOnly: boolean };

/** How much a card shows before it is opened: lines of a text or rows of a diff, and characters in all. */
export const LIMIT = { lines: 24, chars: 4000 };

const MAIN: Record<string, [string, string][]> = {
  run_command: [["command", ""]],
  start_server: [["command", ""]],
  write_file: [["content", ""]],
  launch_agent: [["prompt", say.prompt]],
  message_agent: [["text", say.message]],
  plan_decision_log: [["why", say.why]],
};

/** HEAD lists the members that are part of the question. */
const HEAD: Record<string, string[]> = {
  write_file: ["path"],
  edit_file: ["path"],
  launch_agent: ["provider", "model", "slug"],
  read_file: ["path"],
};

/**
 * partsOf splits a call's exact input into parts, so that every member of it is shown once.
 * before is what the file holds that the call would write over, where that is known: the
 * text is shown against it.
 */
export function partsOf(tool: string, inputText: string, before?: string): { parts: Part[]; warning: string } {
  const { fields, warning } = readInput(inputText);
  const raw: Part = { key: "raw", label: say.input, kind: "text", text: inputText };
  if (fields === null) return { parts: [raw], warning };
  const parts: Part[] = [];
  const shown = (tool === "plan_decision_log" ? planTold(fields) : (HEAD[tool] ?? [])).filter((k) => typeof fields[k] === "string");
  for (const [name, label] of MAIN[tool] ?? []) {
    const value = fields[name];
    if (typeof value !== "string") continue;
    parts.push(tool === "write_file" && before !== undefined ? against(name, before, value) : { key: name, label, kind: "text", text: value });
    shown.push(name);
  }
  if (tool === "edit_file" && typeof fields["old_string"] === "string" && typeof fields["new_string"] === "string") {
    parts.push(against("diff", fields["old_string"], fields["new_string"]));
    shown.push("old_string", "new_string");
  }
  const foreign = foreignParts(tool, fields);
  parts.push(...foreign.parts);
  shown.push(...foreign.shown);
  if (typeof fields["description"] === "string") shown.push("description");
  for (const f of restOf(fields, shown)) parts.push({ key: `member ${f.name}`, label: f.name, kind: "text", text: f.value });
  if (warning !== "") parts.push(raw);
  return { parts, warning };
}

function against(key: string, before: string, after: string): Part {
  const lines = diffLines(before, after);
  const { del, add } = counts(lines);
  return { key, label: "", kind: "diff", lines, endOnly: del + add === 0 && before !== after };
}

/** A row of a diff: a line, or a fold of n unchanged ones. */
export type Row = { fold: number } | DiffLine;

/** rowsOf returns a diff's rows: all lines if full, else three of context around each change. */
export function rowsOf(lines: DiffLine[], full: boolean): Row[] {
  if (full) return lines;
  return fold(lines).flatMap((r: Run): Row[] => (r.folded ? [{ fold: r.lines.length }] : r.lines));
}

/** clipRows keeps the first rows within the limit; the last one may be cut. */
export function clipRows(rows: Row[], limit = LIMIT): { rows: Row[]; more: string } {
  const out: Row[] = [];
  let chars = 0;
  for (const [i, row] of rows.entries()) {
    const room = limit.chars - chars;
    if (i >= limit.lines || room <= 0) return { rows: out, more: moreRows(rows.slice(i)) };
    if (!("fold" in row) && row.text.length > room) {
      out.push({ ...row, text: row.text.slice(0, room), marks: row.marks.filter(([f]) => f < room) });
      const rest = rows.length - i - 1;
      return { rows: out, more: rest > 0 ? moreRows(rows.slice(i + 1)) : say.moreChars(row.text.length - room) };
    }
    out.push(row);
    if (!("fold" in row)) chars += row.text.length;
  }
  return { rows: out, more: "" };
}

function moreRows(rows: Row[]): string {
  return say.moreLines(rows.reduce((sum, r) => sum + ("fold" in r ? r.fold : 1), 0));
}

/** leftOut says what a card does not show of a part before it is opened, or "". */
export function leftOut(p: Part): string {
  if (p.kind === "diff") return clipRows(rowsOf(p.lines, false)).more;
  const c = clip(p.text, LIMIT.lines, LIMIT.chars);
  return c.moreChars > 0 ? more(c) : "";
}

/** size says how long a text is, for the line of a card. */
export function size(text: string): string { return say.lines(countLines(text)); }
