import { subject, type ControlLine, type ToolLine } from "./control.ts";

/** What is said of tools, and of their files in folders: "edit_file" or "edit_file deed/game/" to the last line about it. */
export type Rules<T> = Map<string, T>;

/**
 * addRules folds the lines of one control, as the server does: a denial beats what else
 * is said of the same, and one of a whole tool also what is said of its folders; a line
 * without a folder ends what was said of folders before. value says what stands for a
 * line; undefined is nothing.
 */
export function addRules<T>(rules: Rules<T>, lines: ControlLine[], value: (l: ToolLine) => T): void {
  const tools = lines.filter((l): l is ToolLine => l.kind === "tool");
  const denied = new Set(tools.filter((l) => l.verb === "deny").map(subject));
  for (const l of tools) {
    if (l.verb !== "deny" && (denied.has(subject(l)) || denied.has(l.tool))) continue;
    if (l.folder === "") for (const s of [...rules.keys()]) if (s.startsWith(`${l.tool} `) && !denied.has(s)) rules.delete(s);
    rules.set(subject(l), value(l));
  }
}

/** ruleOf returns what stands for a call on a file, by the longest folder that holds it, or undefined. */
export function ruleOf<T>(rules: Rules<T>, tool: string, path: string): T | undefined {
  for (let at = path.lastIndexOf("/"); at >= 0; at = at === 0 ? -1 : path.lastIndexOf("/", at - 1)) {
    const s = `${tool} ${path.slice(0, at + 1)}`;
    if (rules.has(s)) return rules.get(s);
  }
  return rules.get(tool);
}
