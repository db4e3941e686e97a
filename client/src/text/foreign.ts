import { deletes, type CallWords } from "./calls.ts";
import { diffLines, counts } from "./diff.ts";
import type { Part } from "./parts.ts";
import { foreign as say } from "./strings.ts";

// Calls that a program carries out which is not ours: an agent that works over ACP (its
// tools are acp_<kind>), or an MCP server (mcp_<server>_<tool>). What they will do is
// their own word; the cards say so.

type Fields = Record<string, unknown>;

/** isForeign reports whether another program carries out the calls of a tool. */
export function isForeign(tool: string): boolean { return tool.startsWith("acp_") || tool.startsWith("mcp_"); }

/** foreignWords describes a call that another program carries out. */
export function foreignWords(tool: string, fields: Fields): CallWords {
  return tool.startsWith("mcp_") ? mcpWords(tool.slice("mcp_".length)) : agentWords(tool.slice("acp_".length), fields);
}

function mcpWords(name: string): CallWords {
  return { question: say.use.question(name), effect: say.use.effect, object: name, wants: say.use.wants(name), verb: say.use.verb };
}

function agentWords(kind: string, fields: Fields): CallWords {
  const command = commandOf(fields);
  if (kind === "execute" && command !== "") {
    return { ...say.run, effect: [deletes(command) ? say.deletes : "", say.itself].filter(Boolean).join(" "), loses: deletes(command), object: oneLine(command) };
  }
  const paths = [...new Set(diffsIn(fields).map((d) => d.path))];
  if (paths.length > 0) return { question: say.change.question(say.files(paths)), effect: say.itself, object: say.files(paths), wants: say.change.wants(say.files(paths)), verb: say.change.verb };
  const title = oneLine(typeof fields["title"] === "string" ? fields["title"] : "") || say.kinds[kind] || say.something;
  return { question: say.act.question(title), effect: say.itself, object: title, wants: say.act.wants(title), verb: say.act.verb };
}

/** foreignParts are the parts of an agent's call that are shown as more than a member of its input: its command, and what it would change; `shown` names the members that are whole in them. */
export function foreignParts(tool: string, fields: Fields): { parts: Part[]; shown: string[] } {
  if (!tool.startsWith("acp_")) return { parts: [], shown: [] };
  const parts: Part[] = [];
  const command = commandOf(fields);
  if (command !== "") parts.push({ key: "command", label: "", kind: "text", text: command });
  for (const [i, d] of diffsIn(fields).entries()) {
    const lines = diffLines(d.old, d.now), { del, add } = counts(lines);
    parts.push({ key: `diff/${i}`, label: d.path, kind: "diff", lines, endOnly: del + add === 0 && d.old !== d.now });
  }
  // A diff is all of a piece of content; what else it holds is shown as it is.
  const list = fields["content"];
  const whole = Array.isArray(list) && list.length > 0 && diffsIn(fields).length === list.length;
  return { parts, shown: whole ? ["content"] : [] };
}

/** foreignAllow says in words what a standing permission for the tool covers. */
export function foreignAllow(tool: string): string {
  return tool.startsWith("mcp_") ? say.always.mcp(tool.slice("mcp_".length)) : say.always.acp(say.kinds[tool.slice("acp_".length)] ?? tool);
}

function commandOf(fields: Fields): string {
  const raw = fields["rawInput"];
  const command = typeof raw === "object" && raw !== null ? (raw as Fields)["command"] : undefined;
  return typeof command === "string" ? command : Array.isArray(command) && command.every((c) => typeof c === "string") ? command.join(" ") : "";
}

interface Change { path: string; old: string; now: string }

// The pieces of content that are a change of a file, and nothing more.
function diffsIn(fields: Fields): Change[] {
  const list: unknown[] = Array.isArray(fields["content"]) ? fields["content"] : [];
  return list.flatMap((c): Change[] => {
    if (typeof c !== "object" || c === null) return [];
    const { type, path, oldText, newText, ...rest } = c as Fields;
    if (type !== "diff" || typeof path !== "string" || typeof newText !== "string" || Object.keys(rest).length > 0) return [];
    return [{ path, old: typeof oldText === "string" ? oldText : "", now: newText }];
  });
}

function oneLine(s: string): string {
  const t = s.trim().replace(/\s+/g, " ");
  return t.length > 120 ? t.slice(0, 119) + "…" : t;
}
