import type { Section } from "../types.ts";
import { readControl, type ControlLine } from "./control.ts";
import { addRules, ruleOf, type Rules } from "./rules.ts";
import { foreign, whyRan as say } from "./strings.ts";

const FREE = new Set(["read_file", "list_files", "search_files", "plan_get", "checkpoint", "server_logs"]);
const ASKS = "";

interface Asked { tool: string; path: string }

/**
 * whyAllowed returns for each decided call, by its id, why it ran or not: "you
 * allowed it once", "always allowed here", "allowed by the project", "needs no
 * permission", or "you said no". It is a fold over the sections.
 */
export function whyAllowed(sections: Section[]): Map<string, string> {
  const why = new Map<string, string>();
  const calls = new Map<string, Asked>();
  const standing: Rules<string> = new Map();
  for (const s of sections) {
    if (s.role === "Tool Result" && s.meta?.["Asked"] === "no") why.set(s.id, foreign.unasked);
    if (s.role === "Tool Result" && s.meta?.["Within"]) why.set(s.id, foreign.within);
    if (s.role === "Tool Request") {
      const tool = s.meta?.["Tool"] ?? "", path = pathIn(s);
      calls.set(s.id, { tool, path });
      const rule = ruleOf(standing, tool, path);
      if (FREE.has(tool)) why.set(s.id, say.free);
      else if (rule) why.set(s.id, rule);
    } else if (s.void) {
      end(s, standing, why);
    } else if (s.role === "Authorization") {
      take(s, calls, standing, why);
    }
  }
  return why;
}

// A void section ends every allow before it, and its denies count.
function end(s: Section, standing: Rules<string>, why: Map<string, string>): void {
  for (const [subject, rule] of [...standing]) if (rule !== say.never && rule !== ASKS) standing.delete(subject);
  const lines = linesOf(s);
  addRules(standing, lines.filter((l) => l.kind === "tool" && l.verb === "deny"), () => say.never);
  for (const l of lines) if (l.kind === "call" && l.verdict === "deny") why.set(l.id, say.denied);
}

// The path in a call's input, "" where there is none.
function pathIn(s: Section): string {
  try {
    const v = JSON.parse(s.payloads?.[0]?.text ?? "") as { path?: unknown } | null;
    return typeof v?.path === "string" ? v.path : "";
  } catch {
    return "";
  }
}

function linesOf(s: Section): ControlLine[] {
  return (s.payloads ?? []).filter((p) => p.type === "control/v1").flatMap((p) => readControl(p.text));
}

function take(s: Section, calls: Map<string, Asked>, standing: Rules<string>, why: Map<string, string>): void {
  const scope = s.meta?.["Scope"] === "project" ? say.project : say.always;
  const lines = linesOf(s);
  const allowed: Rules<boolean> = new Map();
  addRules(allowed, lines, (l) => l.verb === "allow");
  addRules(standing, lines, (l) => (l.verb === "allow" ? scope : l.verb === "deny" ? say.never : ASKS));
  for (const l of lines) {
    if (l.kind !== "call") continue;
    const call = calls.get(l.id);
    if (l.verdict === "deny") why.set(l.id, say.denied);
    else why.set(l.id, call && ruleOf(allowed, call.tool, call.path) ? scope : say.once);
  }
}
