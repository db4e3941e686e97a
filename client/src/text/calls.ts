import { deletes, oneLine, type CallWords } from "./callwords.ts";
import { foreignWords, isForeign } from "./foreign.ts";
import { AGENTS, dialogName, isMain } from "./names.ts";
import { calls as say } from "./strings.ts";
import { wallsWords } from "./walls.ts";

/**
 * callWords describes a call of one of the known tools; an unknown tool is called by its name. `sandbox` is
 * the server's level, `network` says whether this dialog's commands may use the network, and `layers` whether
 * they run in a layer, so that Undo knows what they wrote over.
 */
export function callWords(tool: string, fields: Record<string, unknown> | null, sandbox = "", network = false, layers = false): CallWords {
  const f = fields ?? {};
  const str = (k: string) => (typeof f[k] === "string" ? (f[k] as string) : "");
  const path = str("path") || say.file;
  switch (tool) {
    case "run_command":
      return { ...say.run, effect: [deletes(str("command")) ? (layers ? say.deletesKept : say.deletes) : "", wallsWords(sandbox, network, f["network"] === true)].filter(Boolean).join(" "), loses: deletes(str("command")), object: oneLine(str("command")) };
    case "start_server":
      return { ...say.start, effect: wallsWords(sandbox, network), object: oneLine(str("command")) || say.server };
    case "write_file":
      return callOf(say.write.verb, path, say.write.question(path), "");
    case "edit_file":
      return callOf(say.change.verb, path, say.change.question(path), "");
    case "launch_agent": {
      const who = [str("provider"), str("model")].filter(Boolean).join(" · ") || say.agent;
      return { ...say.launch, effect: str("provider") === AGENTS ? say.launch.agent(str("model") || say.agent) : say.launch.effect(who), object: `${str("slug") || say.agent} (${who})` };
    }
    case "message_agent": {
      const to = dialogName(oneLine(str("dialogId"))) || say.agent;
      return callOf(say.mail.verb, to, say.mail.question(to), say.mail.effect);
    }
    case "list_agents":
      return callOf(say.list.verb, say.agents, say.list.question);
    case "read_agent":
      return callOf(say.read.verb, dialogName(oneLine(str("dialogId"))) || say.agent, say.read.question(dialogName(oneLine(str("dialogId"))) || say.agent));
    case "plan_decision_log": {
      const told = planTold(f);
      const title = told.includes("title") ? str("title") : "";
      const about = told.includes("choice") ? `${title} – ${str("choice")}` : title;
      return {
        question: say.note.question(about),
        effect: [told.includes("kind") ? say.note.among[str("kind")] : "", str("words") === "" ? "" : say.note.quotes(told.includes("words") ? str("words") : "")].filter(Boolean).join(" "),
        wants: say.note.wants(oneLine(title) || say.something),
        verb: say.note.verb,
        object: oneLine(str("title")) || say.item,
      };
    }
    case "read_file":
      return callOf(say.read.verb, path, say.read.question(path));
    case "list_files":
      return callOf(say.list.verb, str("path") || say.files, say.list.question);
    case "search_files":
      return callOf(say.search.verb, oneLine(str("pattern") || str("query")), say.search.question);
    case "browser_console":
      return lookOf(say.look, str("url"));
    case "request_visual_qa":
      return lookOf(say.askAbout, str("url"));
    case "server_logs":
      return callOf(say.read.verb, serverAt(f), say.logs(serverAt(f)));
    case "stop_server":
      return callOf(say.stop.verb, serverAt(f), say.stop.question(serverAt(f)), say.stop.effect);
    case "plan_get":
      return callOf(say.read.verb, say.plan, say.read.question(say.plan));
    case "checkpoint":
      return callOf(say.propose.verb, say.whatToDo, say.propose.question);
    default:
      if (isForeign(tool)) return foreignWords(tool, f);
      return callOf(say.use.verb, tool || say.tool, say.use.question(tool || say.tool), say.use.effect);
  }
}

/** planTold lists the members of an item for the plan that its question tells whole, so that they need no part of their own. */
export function planTold(fields: Record<string, unknown>): string[] {
  const short = (k: string) => typeof fields[k] === "string" && fields[k] !== "" && (fields[k] as string).length <= 300 && !/[\n\r]/.test(fields[k] as string);
  const out = short("title") ? ["title", "choice"].filter(short) : [];
  if (short("words")) out.push("words");
  if (typeof fields["kind"] === "string" && Object.hasOwn(say.note.among, fields["kind"])) out.push("kind");
  return out;
}

function callOf(verb: CallWords["verb"], object: string, question: string, effect: string = say.nothingChanged): CallWords {
  return { question, effect, object, wants: say.wants(verb.pending, object), verb };
}

function lookOf(look: typeof say.look, url: string): CallWords {
  const page = oneLine(url) || say.page;
  return { ...callOf(look.verb, page, say.question(look.ask, page), look.effect), wants: say.wants(look.ask, page) };
}

function serverAt(f: Record<string, unknown>): string { return typeof f["port"] === "number" ? say.serverAt(f["port"]) : say.server; }

/** unknownWords describes a call of a tool that there is not. */
export function unknownWords(name: string): CallWords { return callOf(say.use.missing, say.unknown(oneLine(name)), say.use.question(name), ""); }

/** alwaysAsks returns why an allow of the tool would not cover this call, or "". */
export function alwaysAsks(tool: string, fields: Record<string, unknown> | null, sandbox: string): string {
  const path = String(fields?.["path"] ?? "");
  if (isMain(path)) return say.mainAsks;
  if (tool === "launch_agent" && fields?.["provider"] === AGENTS) return say.agentsAsk;
  if ((tool === "run_command" || tool === "start_server") && (sandbox === "none" || sandbox === "")) return say.commandsAsk;
  return "";
}
