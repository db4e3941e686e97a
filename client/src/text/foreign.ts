import { deletes, oneLine, type CallWords } from "./callwords.ts";
import type { DiffLine } from "./diff.ts";
import { restOf } from "./input.ts";
import { diffPart, rowsOf, type DiffPart, type Part } from "./part.ts";
import { foreign as say } from "./strings.ts";

// Calls that a program carries out which is not ours: an agent that works over ACP (its
// tools are acp_<kind>), or an MCP server (mcp_<server>_<tool>). What they will do is
// their own word; the cards say so, and show their names as code, so that a name can't
// speak as the window does.

type Fields = Record<string, unknown>;

/** isForeign reports whether another program carries out the calls of a tool. */
export function isForeign(tool: string): boolean { return tool.startsWith("acp_") || tool.startsWith("mcp_"); }

/** foreignWords describes a call that another program carries out. */
export function foreignWords(tool: string, fields: Fields): CallWords {
  return tool.startsWith("mcp_") ? mcpWords(tool.slice("mcp_".length)) : agentWords(tool.slice("acp_".length), fields);
}

// A question about what another program named.
function asked(question: (name: string) => string, name: string): Pick<CallWords, "question" | "quoted" | "object" | "byName"> {
  const [before = "", after = ""] = question("\0").split("\0");
  return { question: question(name), quoted: { before, name, after }, object: name, byName: true };
}

function mcpWords(name: string): CallWords {
  return { ...asked(say.use.question, name), effect: say.use.effect, wants: say.use.wants(name), verb: say.use.verb };
}

function agentWords(kind: string, fields: Fields): CallWords {
  const title = titleOf(fields), command = commandOf(fields), line = oneLine(title);
  const more = { whose: say.itself, ...(line !== "" && line === title && title !== command && title !== `\`${command}\`` ? { says: title } : {}) };
  if (kind === "execute" && command !== "") {
    return { ...say.run, ...more, effect: deletes(command) ? say.deletes : "", loses: deletes(command), object: oneLine(command), byName: true };
  }
  const paths = [...new Set(diffsIn(fields).map((d) => d.path))];
  if (paths.length === 1) return { ...asked(say.change.question, oneLine(paths[0]!)), ...more, effect: "", wants: say.change.wants(paths[0]!), verb: say.change.verb };
  if (paths.length > 1) return { question: say.change.question(say.files(paths)), ...more, effect: "", object: say.files(paths), wants: say.change.wants(say.files(paths)), verb: say.change.verb };
  if (line !== "") return { ...asked(say.act.question, line), whose: say.itself, effect: "", wants: say.act.wants(line), verb: say.act.verb };
  const what = say.kinds[kind] || say.something;
  return { question: say.act.question(what), whose: say.itself, effect: "", object: what, wants: say.act.wants(what), verb: say.act.verb };
}

/**
 * foreignParts are the parts of an agent's call: its command, what it would change, and all
 * else that it says, under plain names; `shown` names the members that are whole in them.
 * What stands letter for letter in another part, or in the question, is not said twice.
 */
export function foreignParts(tool: string, fields: Fields): { parts: Part[]; shown: string[] } {
  if (!tool.startsWith("acp_")) return { parts: [], shown: [] };
  const parts: Part[] = [], shown: string[] = [];
  const text = (key: string, label: string, text: string) => parts.push({ key, label, kind: "text", text });
  const title = titleOf(fields), command = commandOf(fields), diffs = diffsIn(fields);
  const told = new Set([command, ...diffs.flatMap((d) => [d.path, d.old, d.now])].filter((s) => s !== ""));
  if (typeof fields["title"] === "string") {
    shown.push("title");
    const words = agentWords(tool.slice("acp_".length), fields);
    if (words.quoted?.name === title || words.says === title || title === `\`${command}\``) told.add(title);
    else if (title !== "" && !told.has(title)) text("title", say.title, title);
  }
  if (command !== "") text("command", "", command);
  for (const [i, d] of diffs.entries()) {
    parts.push(diffPart(`diff/${i}`, diffs.length > 1 || oneLine(d.path) !== d.path ? d.path : "", d.old, d.now, { path: d.path }));
  }
  if (Array.isArray(fields["content"])) {
    shown.push("content");
    for (const [i, c] of (fields["content"] as unknown[]).entries()) {
      if (diffIn(c) !== null) continue;
      const said = textIn(c);
      if (said === null) text(`content/${i}`, say.more, JSON.stringify(c, null, 2));
      else if (said !== "" && !told.has(said)) text(`content/${i}`, say.shows, said);
    }
  }
  const at = placesIn(fields["locations"]);
  if (at !== null) {
    shown.push("locations");
    const more = at.filter((p) => !told.has(p));
    if (more.length > 0) text("locations", say.where, more.join("\n"));
  }
  if (fields["kind"] === tool.slice("acp_".length) || fields["kind"] === "") shown.push("kind");
  const raw = fields["rawInput"];
  if (raw === null) shown.push("rawInput");
  if (typeof raw === "object" && raw !== null && !Array.isArray(raw)) {
    shown.push("rawInput");
    const own = raw as Fields, seen = parts.flatMap((p) => (p.kind === "diff" ? sides(p) : []));
    const isTold = (k: string) => typeof own[k] === "string" && own[k] !== "" && ((PLAIN.test(k) && told.has(own[k])) || (SIDES.test(k) && seen.some((s) => s.includes(own[k] as string))));
    const rest = restOf(own, Object.keys(own).filter(isTold)), few = rest.filter((f) => isShort(f.name, f.value));
    for (const f of rest) if (!few.includes(f)) text(`rawInput/${f.name}`, say.own(f.name), f.value);
    if (few.length > 0) text("rawInput", say.ownInput, few.map((f) => say.member(f.name, f.value)).join("\n"));
  } else if (raw !== null && raw !== undefined) {
    shown.push("rawInput");
    text("rawInput", say.ownInput, typeof raw === "string" ? raw : JSON.stringify(raw, null, 2));
  }
  return { parts, shown };
}

/** foreignAllow says in words what a standing permission for the tool covers. */
export function foreignAllow(tool: string): string {
  return tool.startsWith("mcp_") ? say.always.mcp(tool.slice("mcp_".length)) : say.always.acp(say.kinds[tool.slice("acp_".length)] ?? tool);
}

/** textIn returns the text of a piece of content that is one and nothing more, of an agent or of an MCP server, or null. */
export function textIn(piece: unknown): string | null {
  if (typeof piece !== "object" || piece === null) return null;
  const { type, ...rest } = piece as Fields;
  const [only, ...more] = Object.keys(rest);
  if (more.length > 0) return null;
  if (type === "text" && only === "text" && typeof rest["text"] === "string") return rest["text"];
  return type === "content" && only === "content" ? textIn(rest["content"]) : null;
}

/** diffIn returns a piece of content that is a change of a file and nothing more, or null. */
export function diffIn(piece: unknown): { path: string; old: string; now: string } | null {
  if (typeof piece !== "object" || piece === null) return null;
  const { type, path, oldText, newText, ...rest } = piece as Fields;
  if (type !== "diff" || typeof path !== "string" || typeof newText !== "string" || Object.keys(rest).length > 0) return null;
  return { path, old: typeof oldText === "string" ? oldText : "", now: newText };
}

// The members whose name says no more than the part that shows their value: a path or a
// command; and those in which agents tell once more what a diff of theirs shows.
const PLAIN = /^(abs_?|file_?)?path$|^command$/i;
const SIDES = /^(old|new)_?(string|text)$|^content$/i;

// The two sides of a diff as they are seen: without what is folded away.
function sides(p: DiffPart): string[] {
  const side = (not: DiffLine["kind"]) => rowsOf(p, false).map((r) => "fold" in r ? "\0" : "words" in r ? r.words.map((w) => (w.kind === not ? "" : w.text)).join("") : r.kind === not ? "" : `${r.text}\n`).join("");
  return [side("add"), side("del")];
}

// A name and a value that can be read in one line.
function isShort(name: string, value: string): boolean { return /^[\w.-]{1,40}$/.test(name) && value.length <= 200 && !/[\n\r]/.test(value); }

function titleOf(fields: Fields): string { return typeof fields["title"] === "string" ? fields["title"] : ""; }

function commandOf(fields: Fields): string {
  const raw = fields["rawInput"];
  const command = typeof raw === "object" && raw !== null ? (raw as Fields)["command"] : undefined;
  return typeof command === "string" ? command : Array.isArray(command) && command.every((c) => typeof c === "string") ? command.join(" ") : "";
}

function diffsIn(fields: Fields) {
  return (Array.isArray(fields["content"]) ? (fields["content"] as unknown[]) : []).flatMap((c) => diffIn(c) ?? []);
}

// The places of a list of nothing else, a line each; null where it holds more than that.
function placesIn(list: unknown): string[] | null {
  if (!Array.isArray(list)) return null;
  const out: string[] = [];
  for (const p of list as unknown[]) {
    if (typeof p !== "object" || p === null) return null;
    const { path, line, ...rest } = p as Fields;
    if (typeof path !== "string" || path.includes("\n") || Object.keys(rest).length > 0 || !(line === undefined || line === null || typeof line === "number")) return null;
    out.push(typeof line === "number" ? `${path}:${line}` : path);
  }
  return out;
}
