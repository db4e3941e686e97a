import type { Section } from "../types.ts";
import { readControl } from "./control.ts";
import { addRules, type Rules } from "./rules.ts";

/**
 * standingAllows lists what runs unasked in a dialog until it is taken back: tools by
 * their names, "edit_file deed/game/" for a tool in a folder, "try run_command", and "network". It is a fold
 * over the sections, as the server's: what is void ends every allow above it.
 */
export function standingAllows(sections: Section[]): string[] {
  const rules: Rules<string> = new Map();
  for (const s of sections) {
    if (s.void) for (const [subject, verb] of [...rules]) if (verb === "allow") rules.delete(subject);
    if (s.void || s.torn || s.role !== "Authorization") continue;
    addRules(rules, (s.payloads ?? []).flatMap((p) => readControl(p.text)), (l) => l.verb);
  }
  return [...rules].flatMap(([subject, verb]) => (verb === "allow" ? [subject] : verb === "try" ? [`${verb} ${subject}`] : []));
}

/** neverRuled reports whether no control of a dialog has said anything of commands. */
export function neverRuled(sections: Section[]): boolean {
  return !sections.some((s) => s.role === "Authorization" && (s.payloads ?? []).some((p) => readControl(p.text).some((l) => l.kind === "tool" && l.tool === "run_command")));
}
