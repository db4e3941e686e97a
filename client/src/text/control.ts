import type { Call, FileChange } from "../types.ts";
import { placeWord, targetWord } from "./file.ts";
import { AGENTS, cleanPath, isMain } from "./names.ts";

/** A human's decision on one call. It holds the call as it was shown: the decision is bound to its hash and to that of the file it would write, or of what it did when it was tried. */
export interface Decision {
  call: Pick<Call, "id" | "sha256" | "target" | "effect">;
  verdict: "approve" | "deny";
}

/**
 * allows reports whether an allow, of a tool ("edit_file") or of a tool's files in a
 * folder ("edit_file deed/game/"), is about a call; of a tried command, about all that it
 * changed. Where links lead a path elsewhere,
 * the server asks: there it is not. Nor is it about doc-main.md or the start of an agent
 * that is a program of its own, of which the server asks each time.
 */
export function allows(allow: string, call: Pick<Call, "tool" | "input" | "target" | "effect">): boolean {
  const { tool, folder } = toolAndFolder(allow);
  if (call.effect) return tool === call.tool && call.effect.changes.every((c) => `${c.path}/`.startsWith(folder));
  const { path: given, provider } = (call.input ?? {}) as { path?: unknown; provider?: unknown };
  if (tool === "launch_agent" && provider === AGENTS) return false;
  const path = typeof given === "string" ? given : "";
  if ((tool === "write_file" || tool === "edit_file") && isMain(path)) return false;
  return tool === call.tool && (folder === "" || (cleanPath(path) === call.target?.path && cleanPath(path).startsWith(folder)));
}

/**
 * decisionsOf lists the decisions on the calls of a card: the human's verdicts, and an
 * approval of each call without one that is allowed by allow. That approval is bound to
 * what was shown, like any other, so that a file that was saved since is not
 * overwritten. A call that was not shown whole gets none, nor does one whose file is
 * too large to have a hash: the server asks about these again, unless all that they
 * would replace is known to the dialog.
 */
export function decisionsOf(calls: Call[], verdicts: Map<string, "approve" | "deny">, allow: string[], whole: (c: Call) => boolean): Decision[] {
  const bound = (c: Call) => !c.target?.exists || targetWord(c.target) !== "";
  return calls.flatMap((call) => {
    const verdict = verdicts.get(call.id) ?? (allow.some((a) => allows(a, call)) && whole(call) && bound(call) ? "approve" : undefined);
    return verdict === undefined ? [] : [{ call, verdict }];
  });
}

/**
 * controlText is the control/v1 text of one PUT, in its schwa fence: a line for
 * each decided call, an approval bound to the hash of the input that was shown, to the
 * file that it would write and to where that lies, and a line for each tool, or tool and folder, that
 * may run unasked from now on in this dialog, or that asks again.
 */
export function controlText(decisions: Decision[], allow: string[] = [], ask: string[] = []): string {
  const lines = decisions.map(({ call, verdict }) =>
    verdict === "approve" ? [`${call.id} approve sha256:${call.sha256}`, ...boundTo(call)].filter((w) => w !== "").join(" ") : `${call.id} deny`,
  );
  for (const tool of [...new Set(allow)]) lines.push(`allow ${tool}`);
  for (const tool of [...new Set(ask)]) lines.push(`ask ${tool}`);
  return fenced(lines);
}

const fenced = (lines: string[]) => ["əəəcontrol/v1", ...lines, "əəə"].join("\n");

const boundTo = ({ effect, target }: Decision["call"]) => (effect ? [`effect:${effect.sha256}`] : [targetWord(target), placeWord(target)]);

/** TRY is what a control says of commands that are tried before they count. */
export const TRY = "try run_command";

/** tryText is the control text by which commands are tried from now on. */
export function tryText(): string { return fenced([TRY]); }

/** One understood line of a stored control text. */
export type ControlLine =
  | { kind: "call"; id: string; verdict: "approve" | "deny" }
  | ToolLine;

/** A line about a tool's calls; folder is "deed/game/" where it is only about the files below that, and "" where it is about all. */
export interface ToolLine { kind: "tool"; verb: "allow" | "deny" | "ask" | "try"; tool: string; folder: string }

/** subject is what a line about a tool is about, as it stands behind the verb. */
export function subject(l: ToolLine): string { return l.folder === "" ? l.tool : `${l.tool} ${l.folder}`; }

function toolAndFolder(subject: string): { tool: string; folder: string } {
  const [, tool = "", folder = ""] = /^(\S*)\s*(.*)$/su.exec(subject) ?? [];
  return { tool, folder };
}

/** validFolder reports whether the server takes a folder (dialog.ValidFolder): others make a line unknown. */
export function validFolder(path: string): boolean {
  return path.endsWith("/") && !/[\\\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]|^\p{L}:/u.test(path) && path.slice(0, -1).split("/").every((name) => name !== "" && name !== "." && name !== "..");
}

// The tools of which a line may name a folder.
const FOLDERS = new Set(["write_file", "edit_file", "run_command"]);

/** commonFolder returns the folder below the deed, "deed/ch1/", that holds all that a tried command changed, or "". */
export function commonFolder(changes: Pick<FileChange, "path" | "type">[]): string {
  let common = "";
  for (const [i, { path, type }] of changes.entries()) {
    const at = type === "folder" ? `${path}/` : path;
    if (i === 0) common = at.slice(0, at.lastIndexOf("/") + 1);
    while (!at.startsWith(common)) common = common.slice(0, common.lastIndexOf("/", common.length - 2) + 1);
  }
  return common.split("/").length > 2 ? common : "";
}

/** readControl reads stored control text and leaves out comments, blanks and unknown lines. */
export function readControl(text: string): ControlLine[] {
  const out: ControlLine[] = [];
  for (const line of text.split(/\r?\n/)) {
    const w = line.trim().split(/\s+/);
    const [first = "", second = ""] = w;
    if (first === "try" && second === "run_command" && w.length === 2) out.push({ kind: "tool", verb: "try", tool: second, folder: "" });
    else if (first === "allow" || first === "deny" || first === "ask") {
      const { tool, folder } = toolAndFolder(line.trim().slice(first.length).trimStart());
      if (tool !== "" && (folder === "" || (FOLDERS.has(tool) && validFolder(folder)))) out.push({ kind: "tool", verb: first, tool, folder });
    } else if (second === "approve" || second === "deny") {
      out.push({ kind: "call", id: first, verdict: second });
    }
  }
  return out;
}
