import type { Section } from "../types.ts";
import { readControl } from "./control.ts";

/**
 * standingAllows lists what runs unasked in a dialog until it is taken back:
 * tools by their names, and "network". It is a fold over the sections, as the
 * server's: within one control deny beats allow, later the last line wins, and
 * what is void ends every allow above it.
 */
export function standingAllows(sections: Section[]): string[] {
  const allowed = new Set<string>();
  for (const s of sections) {
    if (s.void) allowed.clear();
    if (s.void || s.torn || s.role !== "Authorization") continue;
    const lines = (s.payloads ?? []).flatMap((p) => readControl(p.text)).filter((l) => l.kind === "tool");
    const denied = new Set(lines.filter((l) => l.verb === "deny").map((l) => l.tool));
    for (const { verb, tool } of lines) {
      if (verb === "allow" && !denied.has(tool)) allowed.add(tool);
      else allowed.delete(tool);
    }
  }
  return [...allowed];
}
