import type { Call } from "../types.ts";
import { isMain } from "./names.ts";
import { wallsWords } from "./walls.ts";

/** What a call would do, in words for the human who decides. */
export interface CallWords {
  /** the question of the approval card: "Change deed/index.html?" */
  question: string;
  /** what happens if it is allowed */
  effect: string;
  /** the list's second line: "wants to change deed/index.html" */
  wants: string;
  /** for one line: the verb by the state of the call, and its object */
  verb: { pending: string; running: string; done: string; denied: string; failed: string };
  object: string;
}

/** A part of the input, shown as it is: the name and the exact value. */
export interface Field {
  name: string;
  value: string;
}

/** A call's input, read from its exact bytes. */
export interface Input {
  /** null where the bytes are not one JSON object */
  fields: Record<string, unknown> | null;
  /** why the bytes themselves must be shown, or "" */
  warning: string;
}

/** callKey returns a key of a call with all that an approval is bound to: another input or another file has another key. */
export function callKey(c: Call): string { return `${c.id}/${c.sha256}/${c.target?.sha256 ?? ""}`; }

/**
 * readInput reads the bytes that the hash is over. Where readers of JSON could disagree
 * on them (no object, a name twice, names that differ by case alone) it sets a
 * warning, and the card shows the bytes.
 */
export function readInput(text: string): Input {
  let value: unknown;
  try {
    value = JSON.parse(text === "" ? "{}" : text);
  } catch {
    return { fields: null, warning: "This input is not valid JSON. It is shown exactly as it came." };
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return { fields: null, warning: "This input is not an object. It is shown exactly as it came." };
  }
  const names = topNames(text).map((n) => n.toLowerCase());
  if (new Set(names).size < names.length) {
    return { fields: value as Record<string, unknown>, warning: "This input names something twice. Its exact text is shown below." };
  }
  return { fields: value as Record<string, unknown>, warning: "" };
}

/** topNames lists the names of an object's own members in valid JSON, doubled ones twice. */
function topNames(json: string): string[] {
  const out: string[] = [];
  const token = /"(?:[^"\\]|\\.)*"|[{}[\]:,]/g;
  let depth = 0;
  let last = "";
  for (const m of json.matchAll(token)) {
    const t = m[0];
    if (t === "{" || t === "[") depth++;
    else if (t === "}" || t === "]") depth--;
    else if (t === ":" && depth === 1) out.push(JSON.parse(last) as string);
    last = t;
  }
  return out;
}

/** restOf lists the fields of an input other than the named ones, so that all of it is shown. */
export function restOf(fields: Record<string, unknown>, shown: string[]): Field[] {
  return Object.entries(fields)
    .filter(([name]) => !shown.includes(name))
    .map(([name, v]) => ({ name, value: typeof v === "string" ? v : JSON.stringify(v, null, 2) }));
}

/**
 * callWords describes a call of one of the known tools; an unknown tool is called by its name. `sandbox` is
 * the server's level, and `network` says whether this dialog's commands may use the network.
 */
export function callWords(tool: string, fields: Record<string, unknown> | null, sandbox = "", network = false): CallWords {
  const f = fields ?? {};
  const str = (k: string) => (typeof f[k] === "string" ? (f[k] as string) : "");
  const path = str("path") || "a file";
  switch (tool) {
    case "run_command":
      return {
        question: "Run this command?",
        effect: wallsWords(sandbox, network),
        wants: "wants to run a command",
        verb: { pending: "Run", running: "Running", done: "Ran", denied: "Did not run", failed: "Tried to run" },
        object: oneLine(str("command")),
      };
    case "start_server":
      return {
        question: "Start this server?",
        effect: wallsWords(sandbox, network),
        wants: "wants to start a server",
        verb: { pending: "Start", running: "Starting", done: "Started", denied: "Did not start", failed: "Tried to start" },
        object: oneLine(str("command")) || "a server",
      };
    case "write_file": {
      return {
        question: `Write ${path}?`,
        effect: "",
        wants: `wants to write ${path}`,
        verb: { pending: "Write", running: "Writing", done: "Wrote", denied: "Did not write", failed: "Tried to write" },
        object: path,
      };
    }
    case "edit_file":
      return {
        question: `Change ${path}?`,
        effect: "",
        wants: `wants to change ${path}`,
        verb: { pending: "Change", running: "Changing", done: "Changed", denied: "Did not change", failed: "Tried to change" },
        object: path,
      };
    case "launch_agent": {
      const who = [str("provider"), str("model")].filter(Boolean).join(" · ") || "an agent";
      return {
        question: "Start another agent?",
        effect: `A new dialog with ${who} begins with this prompt. It gets none of the permissions you gave here.`,
        wants: "wants to start another agent",
        verb: { pending: "Start", running: "Starting", done: "Started", denied: "Did not start", failed: "Tried to start" },
        object: `${str("slug") || "an agent"} (${who})`,
      };
    }
    case "plan_decision_log": {
      const told = planTold(f);
      const title = told.includes("title") ? str("title") : "";
      const about = told.includes("choice") ? `${title} – ${str("choice")}` : title;
      const quoted = told.includes("words") ? `: “${str("words")}”.` : ", as is shown below.";
      return {
        question: title === "" ? "Note this in the plan?" : `Note in the plan: ${about}?`,
        effect: [told.includes("kind") ? `It goes among the ${PLANNED[str("kind")]}.` : "", str("words") === "" ? "" : `It quotes you${quoted} Allowing it marks the item as confirmed by you.`].filter(Boolean).join(" "),
        wants: `wants to note ${oneLine(title) || "something"} in the plan`,
        verb: { pending: "Note in the plan:", running: "Noting in the plan:", done: "Noted in the plan:", denied: "Did not note in the plan:", failed: "Tried to note in the plan:" },
        object: oneLine(str("title")) || "an item",
      };
    }
    case "read_file":
      return simpleWords("Read", "Reading", "Read", path, `Read ${path}?`, "Nothing is changed.");
    case "list_files":
      return simpleWords("List", "Listing", "Listed", str("path") || "files", "List files?", "Nothing is changed.");
    case "search_files":
      return simpleWords("Search", "Searching", "Searched", oneLine(str("pattern") || str("query")), "Search the files?", "Nothing is changed.");
    case "browser_console":
      return lookWords("Look at", "Looking at", "Looked at", str("url"), "Look at", "A browser opens it behind walls, and tells the agent what stood there and what went wrong.");
    case "request_visual_qa":
      return lookWords("Ask you about", "Asking you about", "Asked you about", str("url"), "Take a picture of", "A browser opens it behind walls and takes a picture, which you are asked about.");
    case "server_logs":
      return simpleWords("Read", "Reading", "Read", serverAt(f), `Read what ${serverAt(f)} wrote?`, "Nothing is changed.");
    case "stop_server":
      return simpleWords("Stop", "Stopping", "Stopped", serverAt(f), `Stop ${serverAt(f)}?`, "What is stored stays.");
    case "plan_get":
      return simpleWords("Read", "Reading", "Read", "the plan", "Read the plan?", "Nothing is changed.");
    case "checkpoint":
      return simpleWords("Propose", "Proposing", "Proposed", "what to do", "Take this proposal?", "Nothing is changed.");
    default:
      return simpleWords("Use", "Using", "Used", tool || "a tool", `Use ${tool || "a tool"}?`, "Its exact input is shown below.");
  }
}

const PLANNED: Record<string, string> = { decision: "decisions", task: "tasks", idea: "ideas" };

/** planTold lists the members of an item for the plan that its question tells whole, so that they need no part of their own. */
export function planTold(fields: Record<string, unknown>): string[] {
  const short = (k: string) => typeof fields[k] === "string" && fields[k] !== "" && (fields[k] as string).length <= 300 && !/[\n\r]/.test(fields[k] as string);
  const out = short("title") ? ["title", "choice"].filter(short) : [];
  if (short("words")) out.push("words");
  if (typeof fields["kind"] === "string" && Object.hasOwn(PLANNED, fields["kind"])) out.push("kind");
  return out;
}

function simpleWords(now: string, running: string, done: string, object: string, question: string, effect: string): CallWords {
  const low = now.toLowerCase();
  return {
    question, effect, object,
    wants: `wants to ${low} ${object}`,
    verb: { pending: now, running, done, denied: `Did not ${low}`, failed: `Tried to ${low}` },
  };
}

function lookWords(now: string, running: string, done: string, url: string, ask: string, effect: string): CallWords {
  const page = oneLine(url) || "a page";
  return { ...simpleWords(now, running, done, page, `${ask} ${page}?`, effect), wants: `wants to ${ask.toLowerCase()} ${page}` };
}

function serverAt(f: Record<string, unknown>): string { return typeof f["port"] === "number" ? `the server at port ${f["port"]}` : "a server"; }

/** unknownWords describes a call of a tool that there is not. */
export function unknownWords(name: string): CallWords { return simpleWords("Use", "Using", "Tried to use", `${oneLine(name)} (there is no such tool)`, `Use ${name}?`, ""); }

/** alwaysAsks returns why an allow of the tool would not cover this call, or "". */
export function alwaysAsks(tool: string, fields: Record<string, unknown> | null, sandbox: string): string {
  const path = String(fields?.["path"] ?? "");
  if (isMain(path)) return "Changes to main always ask.";
  if ((tool === "run_command" || tool === "start_server") && (sandbox === "none" || sandbox === "")) return "Commands always ask here: there is no sandbox.";
  return "";
}

function oneLine(s: string): string {
  const t = s.trim().replace(/\s+/g, " ");
  return t.length > 120 ? t.slice(0, 119) + "…" : t;
}
