import { planTold } from "./calls.ts";
import { edited } from "./edit.ts";
import { foreignParts } from "./foreign.ts";
import { readInput, restOf } from "./input.ts";
import { diffPart, type Part } from "./part.ts";
import { parts as say } from "./strings.ts";

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
 * before is what the file holds that the call would change, where that is known: the change
 * is shown in it. why says why it is not.
 */
export function partsOf(tool: string, inputText: string, before?: string, why = ""): { parts: Part[]; warning: string } {
  const { fields, warning } = readInput(inputText);
  const raw: Part = { key: "raw", label: say.input, kind: "text", text: inputText };
  if (fields === null) return { parts: [raw], warning };
  const parts: Part[] = [];
  const path = typeof fields["path"] === "string" ? fields["path"] : "";
  const shown = (tool === "plan_decision_log" ? planTold(fields) : (HEAD[tool] ?? [])).filter((k) => typeof fields[k] === "string");
  for (const [name, label] of MAIN[tool] ?? []) {
    const value = fields[name];
    if (typeof value !== "string") continue;
    parts.push(tool === "write_file" && before !== undefined ? diffPart(name, "", before, value, { path, whole: true }) : { key: name, label, kind: "text", text: value });
    shown.push(name);
  }
  const [old, now] = [fields["old_string"], fields["new_string"]];
  if (tool === "edit_file" && typeof old === "string" && typeof now === "string") {
    const after = before === undefined ? null : edited(before, old, now);
    parts.push(after === null ? diffPart("diff", "", old, now, { path, why }) : diffPart("diff", "", before!, after, { path, whole: true }));
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
