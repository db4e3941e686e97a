import type { Section } from "../types.ts";
import { readControl } from "./control.ts";
import { whyAllowed } from "./why.ts";

/** One entry of the column of a dialog. */
export type Item =
  | { kind: "user"; key: string; section: Section; text: string }
  | { kind: "agent"; key: string; section: Section; text: string; model: string }
  | { kind: "tool"; key: string; request: Section; result: Section | null; why: string; started: boolean }
  | { kind: "note"; key: string; section: Section; text: string }
  | { kind: "aside"; key: string; section: Section; title: string; text: string }
  | { kind: "grant"; key: string; section: Section; text: string };

/** itemsOf folds sections into the entries of the column: a call and its result are one, and Notes that a call started are left out. */
export function itemsOf(sections: Section[], model = ""): Item[] {
  const whole = sections.filter((s) => !s.torn);
  const why = whyAllowed(whole);
  const results = new Map<string, Section>();
  const started = new Set<string>();
  for (const s of whole) {
    if (s.role === "Tool Result") results.set(s.id, s);
    if (s.role === "Note" && s.meta?.["Kind"] === "started") started.add(s.meta["Parent"] ?? "");
  }
  const asked = new Set<string>();
  const out: Item[] = [];
  let now = model;
  sections.forEach((section, i) => {
    const key = section.torn ? `torn/${i}` : `${section.role}/${section.id || i}`;
    const text = textOf(section);
    if (section.torn) {
      // Its heading is not to be trusted.
      out.push({ kind: "aside", key, section, title: "Torn by a crash: this counts for nothing", text });
      return;
    }
    switch (section.role) {
      case "User":
        now = section.meta?.["Model"] ?? now;
        out.push({ kind: "user", key, section, text });
        break;
      case "Assistant":
        now = section.meta?.["Model"] ?? now;
        out.push({ kind: "agent", key, section, text, model: now });
        break;
      case "Tool Request":
        asked.add(section.id);
        out.push({ kind: "tool", key, request: section, result: results.get(section.id) ?? null, why: why.get(section.id) ?? "", started: started.has(section.id) });
        break;
      case "Tool Result":
        // A result without a request is shown too.
        if (!asked.has(section.id)) out.push({ kind: "tool", key, request: section, result: section, why: "", started: true });
        break;
      case "Authorization": {
        const said = grantWords(section);
        if (said !== "") out.push({ kind: "grant", key, section, text: said });
        break;
      }
      case "Note":
        if (section.meta?.["Kind"] !== "started") out.push({ kind: "note", key, section, text });
        break;
      case "Reasoning":
        if (text.trim() !== "") out.push({ kind: "aside", key, section, title: "Thinking", text });
        break;
      case "System":
        out.push({ kind: "aside", key, section, title: "What this agent was told", text });
        break;
      case "Summary":
        out.push({ kind: "aside", key, section, title: "Summary of earlier turns", text });
    }
  });
  return out;
}

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

/** payload returns a section's first payload of a type, or "". */
export function payload(s: Section | null, type: string): string {
  return s?.payloads?.find((p) => p.type === type)?.text ?? "";
}

// Decisions on single calls are shown with their calls; only standing rules get an entry.
function grantWords(s: Section): string {
  if (s.void) return "This permission is not as it was given here. It allows nothing, and ended what was always allowed above it.";
  const lines = readControl(payload(s, "control/v1"));
  const tools = (verb: string) => lines.filter((l) => l.kind === "tool" && l.verb === verb).map((l) => (l.kind === "tool" ? l.tool : ""));
  const parts: string[] = [];
  const allow = tools("allow"), deny = tools("deny"), ask = tools("ask");
  if (allow.length > 0) parts.push(`always allows ${allow.join(", ")} in this dialog`);
  if (deny.length > 0) parts.push(`never allows ${deny.join(", ")} in this dialog`);
  if (ask.length > 0) parts.push(`wants to be asked about ${ask.join(", ")} again`);
  if (parts.length === 0) return "";
  return `${s.meta?.["Scope"] === "project" ? "The project" : "You"}: ${parts.join("; ")}`;
}

/** lastId returns the id of the last section that the human was shown, or "". */
export function lastId(sections: Section[]): string {
  for (let i = sections.length - 1; i >= 0; i--) if (sections[i]!.id !== "") return sections[i]!.id;
  return "";
}

/** totals sums what the dialog cost so far. */
export function totals(sections: Section[]): { tokens: number; ms: number } {
  let tokens = 0, ms = 0;
  for (const s of sections) {
    tokens += s.resources?.total || (s.resources?.in ?? 0) + (s.resources?.out ?? 0);
    ms += s.resources?.ms ?? 0;
  }
  return { tokens, ms };
}
