import type { Section } from "../types.ts";
import { readControl, type ControlLine } from "./control.ts";

const FREE = new Set(["read_file", "list_files", "search_files", "plan_get", "checkpoint", "server_logs"]);
const NEVER = "never allowed here";

/**
 * whyAllowed returns for each decided call, by its id, why it ran or not: "you
 * allowed it once", "always allowed here", "allowed by the project", "needs no
 * permission", or "you said no". It is a fold over the sections.
 */
export function whyAllowed(sections: Section[]): Map<string, string> {
  const why = new Map<string, string>();
  const tools = new Map<string, string>();
  const standing = new Map<string, string>();
  for (const s of sections) {
    if (s.role === "Tool Request") {
      const tool = s.meta?.["Tool"] ?? "";
      tools.set(s.id, tool);
      const rule = standing.get(tool);
      if (FREE.has(tool)) why.set(s.id, "needs no permission");
      else if (rule) why.set(s.id, rule);
    } else if (s.void) {
      end(s, standing, why);
    } else if (s.role === "Authorization") {
      take(s, tools, standing, why);
    }
  }
  return why;
}

// A void section ends every allow before it, and its denies count.
function end(s: Section, standing: Map<string, string>, why: Map<string, string>): void {
  for (const [tool, rule] of standing) if (rule !== NEVER) standing.delete(tool);
  for (const l of linesOf(s)) {
    if (l.kind === "tool" && l.verb === "deny") standing.set(l.tool, NEVER);
    else if (l.kind === "call" && l.verdict === "deny") why.set(l.id, "you said no");
  }
}

function linesOf(s: Section): ControlLine[] {
  return (s.payloads ?? []).filter((p) => p.type === "control/v1").flatMap((p) => readControl(p.text));
}

function take(s: Section, tools: Map<string, string>, standing: Map<string, string>, why: Map<string, string>): void {
  const scope = s.meta?.["Scope"] === "project" ? "allowed by the project" : "always allowed here";
  const lines = linesOf(s);
  const allowed = new Set<string>();
  for (const l of lines) {
    if (l.kind !== "tool") continue;
    if (l.verb === "allow") { standing.set(l.tool, scope); allowed.add(l.tool); }
    else if (l.verb === "deny") standing.set(l.tool, NEVER);
    else standing.delete(l.tool);
  }
  for (const l of lines) {
    if (l.kind !== "call") continue;
    if (l.verdict === "deny") why.set(l.id, "you said no");
    else why.set(l.id, allowed.has(tools.get(l.id) ?? "") ? scope : "you allowed it once");
  }
}
