import type { Call } from "../types.ts";
import { readInput } from "./input.ts";
import { foreignAllow, isForeign } from "./foreign.ts";
import { commonFolder, TRY, validFolder } from "./control.ts";
import { allow } from "./strings.ts";

/** Offer is a standing permission that a card offers: what its control line is about, and the same in words. */
export interface Offer {
  subject: string;
  words: string;
}

/** offersFor lists what may be allowed from now on with a call: its tool, and where the call writes a file in a folder, the tool below that; with a tried command, changes below the folder that holds all of its. */
export function offersFor(call: Pick<Call, "tool" | "inputText" | "effect">): Offer[] {
  if (call.effect) {
    const below = commonFolder(call.effect.changes);
    return validFolder(below) ? [{ subject: `${call.tool} ${below}`, words: allow.always(allow.triedIn(below)) }] : [];
  }
  const path = readInput(call.inputText).fields?.["path"];
  const folder = (call.tool === "edit_file" || call.tool === "write_file") && typeof path === "string" ? path.slice(0, path.lastIndexOf("/") + 1) : "";
  const subjects = folder !== "" && validFolder(folder) ? [`${call.tool} ${folder}`, call.tool] : [call.tool];
  return subjects.map((subject) => ({ subject, words: allow.always(allowWords(subject)) }));
}

/** allowWords says in words what a standing permission covers: "changes to files", "changes in deed/game/". */
export function allowWords(subject: string): string {
  if (subject === TRY) return allow.tried;
  const at = subject.indexOf(" ");
  const tool = at < 0 ? subject : subject.slice(0, at), folder = at < 0 ? "" : subject.slice(at + 1);
  if (tool === "edit_file") return folder === "" ? allow.edits : allow.editsIn(folder);
  if (tool === "write_file") return folder === "" ? allow.writes : allow.writesIn(folder);
  if (tool === "run_command" && folder !== "") return allow.commandsIn(folder);
  if (isForeign(tool)) return foreignAllow(tool);
  return Object.hasOwn(allow.tools, tool) ? allow.tools[tool]! : tool;
}
