import type { Cover, Section } from "../types.ts";
import { allowWords } from "./allow.ts";
import { readControl } from "./control.ts";
import { continues, saysNothing, stops } from "./notes.ts";
import { items as say } from "./strings.ts";
import { whyAllowed } from "./why.ts";

/** One entry of the column of a dialog. */
export type Item =
  | { kind: "user"; key: string; section: Section; text: string }
  | { kind: "agent"; key: string; section: Section; text: string; model: string; unbacked: Section | null }
  | { kind: "tool"; key: string; request: Section; result: Section | null; why: string; started: boolean; /** the name that the model called where there is no such tool, or "" */ unknown: string }
  | { kind: "note"; key: string; section: Section; text: string; /** it is the stop at which the dialog stands, or says that what was changed is not checked */ stands: boolean }
  | { kind: "summary"; key: string; section: Section; text: string; first: number; last: number; items: Item[] }
  | { kind: "aside"; key: string; section: Section; title: string; text: string }
  | { kind: "grant"; key: string; section: Section; text: string };

/**
 * itemsOf folds sections into the entries of the column: a call and its result are one, a
 * claim that no result bears out stands with its answer, Notes that tell nothing more are left
 * out, and what a Summary stands for is within it. `first` is the number of the first section
 * in the file, so that a section keeps its key when earlier ones come.
 */
export function itemsOf(sections: Section[], model = "", covers: Cover[] = [], first = 0): Item[] {
  const whole = sections.filter((s) => !s.torn);
  const why = whyAllowed(whole);
  const results = new Map<string, Section>();
  const started = new Set<string>();
  for (const s of whole) {
    if (s.role === "Tool Result") results.set(s.id, s);
    if (s.role === "Note" && s.meta?.["Kind"] === "started") started.add(s.meta["Parent"] ?? "");
  }
  const requests = new Set(whole.filter((s) => s.role === "Tool Request").map((s) => s.id));
  const unknown = new Map<string, string>();
  for (const s of whole) {
    const parent = s.meta?.["Parent"] ?? "", name = unknownTool(s);
    if (name !== "" && requests.has(parent)) unknown.set(parent, name);
  }
  const asked = new Set<string>();
  const stand = standsAt(whole);
  const unchecked = uncheckedAt(whole);
  const folds = foldsOf(sections, covers);
  const standing = new Set(folds.map((f) => f.by));
  const top: Item[] = [];
  let out = top;
  let now = model;
  sections.forEach((section, i) => {
    const fold = folds.find((f) => f.from <= i && i <= f.to);
    if (fold?.from === i) top.push({ kind: "summary", key: `fold/${fold.by.id}`, section: fold.by, text: textOf(fold.by), first: fold.first, last: fold.last, items: fold.items });
    out = fold ? fold.items : top;
    const key = section.torn ? `torn/${first + i}` : `${section.role}/${section.id || first + i}`;
    const text = textOf(section);
    if (section.torn) {
      // Its heading is not to be trusted.
      out.push({ kind: "aside", key, section, title: /^<{7} /m.test(text) ? say.merged : say.torn, text });
      return;
    }
    switch (section.role) {
      case "User":
        now = section.meta?.["Model"] ?? now;
        out.push({ kind: "user", key, section, text });
        break;
      case "Assistant":
        now = section.meta?.["Model"] ?? now;
        out.push({ kind: "agent", key, section, text, model: now, unbacked: null });
        break;
      case "Tool Request":
        asked.add(section.id);
        out.push({ kind: "tool", key, request: section, result: results.get(section.id) ?? null, why: why.get(section.id) ?? "", started: started.has(section.id), unknown: unknown.get(section.id) ?? "" });
        break;
      case "Tool Result":
        // A result without a request is shown too.
        if (!asked.has(section.id)) out.push({ kind: "tool", key, request: section, result: section, why: "", started: true, unknown: "" });
        break;
      case "Authorization": {
        const said = grantWords(section);
        if (said !== "") out.push({ kind: "grant", key, section, text: said });
        break;
      }
      case "Note": {
        if (section.meta?.["Kind"] === "started" || waits(section) || saysNothing(section) || (unknown.has(section.meta?.["Parent"] ?? "") && unknownTool(section) !== "")) break;
        const answer = section.meta?.["Kind"] === "unbacked" ? lastAnswer(out) : null;
        if (answer) answer.unbacked = section;
        else out.push({ kind: "note", key, section, text, stands: section === stand || section === unchecked });
        break;
      }
      case "Reasoning":
        if (text.trim() !== "") out.push({ kind: "aside", key, section, title: say.thinking, text });
        break;
      case "System":
        out.push({ kind: "aside", key, section, title: say.system, text });
        break;
      case "Summary":
        // A Summary that counts is shown with the turns that it stands for.
        if (!standing.has(section)) out.push({ kind: "aside", key, section, title: say.oldSummary, text });
    }
  });
  return top;
}

// The answer of the turn that out ends with, or null.
function lastAnswer(out: Item[]): (Item & { kind: "agent" }) | null {
  for (let i = out.length - 1; i >= 0; i--) {
    const item = out[i]!;
    if (item.kind === "agent" && item.text.trim() !== "") return item;
    if (item.kind === "user") return null;
  }
  return null;
}

/** standsAt returns the Note of the stop that nothing has followed which lets the dialog go on, or undefined. */
export function standsAt(sections: Section[]): Section | undefined {
  for (let i = sections.length - 1; i >= 0; i--) {
    const s = sections[i]!;
    if (s.role === "User" || continues(s)) return undefined;
    if (stops(s)) return s;
  }
  return undefined;
}

// The Note that says that what was changed is not checked, unless a message followed it.
function uncheckedAt(sections: Section[]): Section | undefined {
  return sections.slice(sections.findLastIndex((s) => s.role === "User") + 1).findLast((s) => s.role === "Note" && s.meta?.["Kind"] === "unverified");
}

interface Fold { from: number; to: number; by: Section; first: number; last: number; items: Item[] }

// The ranges that Summaries stand for. An id may be that of a call and of its result: the first counts.
function foldsOf(sections: Section[], covers: Cover[]): Fold[] {
  if (covers.length === 0) return [];
  const at = new Map<string, number>();
  sections.forEach((s, i) => { if (s.id !== "" && !at.has(s.id)) at.set(s.id, i); });
  const turns = (end: number) => sections.slice(0, end).filter((s) => s.role === "User" && !s.torn).length;
  const out: Fold[] = [];
  for (const c of covers) {
    const from = at.get(c.from), to = at.get(c.to), by = at.get(c.by);
    if (from === undefined || to === undefined || by === undefined) continue; // they have not come yet
    out.push({ from, to, by: sections[by]!, first: turns(from) + 1, last: turns(to + 1), items: [] });
  }
  return out;
}

/** sectionsOf returns the ids of the sections that entries show, with a blank between each. */
export function sectionsOf(items: Item[]): string { return items.map((i) => (i.kind === "tool" ? i.request.id : i.kind === "summary" ? sectionsOf(i.items) : i.section.id)).join(" "); }

/** textOf returns what is shown of a section: its markdown, or the text of an input/json. */
export function textOf(s: Section): string {
  const json = s.payloads?.find((p) => p.type === "input/json");
  if (json && s.role === "User") {
    try {
      const v: unknown = JSON.parse(json.text);
      if (typeof v === "object" && v !== null && "text" in v && typeof v.text === "string") return v.text;
    } catch {
      // no JSON: it is shown as it is
    }
    return json.text;
  }
  return (s.payloads?.find((p) => p.type.endsWith("/markdown")) ?? s.payloads?.[0])?.text ?? "";
}

// Whether a Note keeps what a tried command did. Its card shows that while it waits, and its result tells what came of it.
function waits(s: Section): boolean { return s.meta?.["Kind"] === "effect" && /^\s*\{\s*"effect"/.test(payload(s, "note/json")); }

// The name of the tool of which a Note says that it is not there, or "".
function unknownTool(s: Section): string {
  if (s.role !== "Note" || s.meta?.["Failure"] !== "tool_not_found") return "";
  try {
    const v = JSON.parse(payload(s, "note/json")) as { name?: unknown } | null;
    return typeof v?.name === "string" ? v.name : "";
  } catch {
    return "";
  }
}

/** payload returns a section's first payload of a type, or "". */
export function payload(s: Section | null, type: string): string {
  return s?.payloads?.find((p) => p.type === type)?.text ?? "";
}

// Decisions on single calls are shown with their calls; only standing rules get an entry.
function grantWords(s: Section): string {
  if (s.void) return say.void;
  const lines = readControl(payload(s, "control/v1"));
  const tools = (verb: string) => lines.flatMap((l) => (l.kind === "tool" && l.verb === verb ? [allowWords(l.folder === "" ? l.tool : `${l.tool} ${l.folder}`)] : []));
  const parts: string[] = [];
  const allow = tools("allow"), deny = tools("deny"), ask = tools("ask");
  const project = s.meta?.["Scope"] === "project";
  if (allow.length > 0) parts.push(say.allows(project, allow));
  if (deny.length > 0) parts.push(say.denies(project, deny));
  if (ask.length > 0) parts.push(say.asks(project, ask));
  if (lines.some((l) => l.kind === "tool" && l.verb === "try")) parts.push(say.tries(project));
  return parts.length === 0 ? "" : say.by(project, parts);
}

/** lastId returns the id of the last section that the human was shown, or "". */
export function lastId(sections: Section[]): string {
  for (let i = sections.length - 1; i >= 0; i--) if (sections[i]!.id !== "") return sections[i]!.id;
  return "";
}

/** totals sums what the dialog took so far: tokens in and out, and ms. */
export function totals(sections: Section[]): { in: number; out: number; ms: number } {
  const all = { in: 0, out: 0, ms: 0 };
  for (const s of sections) {
    all.in += s.resources?.in ?? 0;
    all.out += s.resources?.out ?? 0;
    all.ms += s.resources?.ms ?? 0;
  }
  return all;
}
