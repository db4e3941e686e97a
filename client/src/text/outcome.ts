import type { Section } from "../types.ts";
import { bytes } from "./time.ts";
import { counts } from "./diff.ts";
import { isInner, lines, nameOf } from "./fields.ts";
import { diffIn, isForeign, textIn } from "./foreign.ts";
import { payload } from "./items.ts";
import { size } from "./part.ts";
import { partsOf } from "./parts.ts";
import { foreign, outcome as say } from "./strings.ts";

/** How a call ended, as its card shows it. */
export interface Outcome {
  state: "running" | "done" | "denied" | "failed";
  /** labelled texts below the input */
  texts: { label: string; text: string }[];
  /** the size of what was done, for the card's line */
  size: string;
  /** the result's JSON, where something of it is told in other words, or "" */
  raw: string;
  error: string;
  /** what came of a command that was tried first, or "" */
  tried: string;
  /** what of its changes was not taken, and why */
  left: string[];
  /** the dialog that launch_agent started */
  dialogId: string;
  /** the picture of the page that was looked at, or null */
  picture: Picture | null;
  /** pictures that an MCP server answered with */
  pictures: Picture[];
}

/** A picture of a page, or of any size: its name at the server, what is seen in it, and what the human is asked about it, or "". */
export interface Picture { name: string; page: string; question: string; anySize?: boolean }

/** outcomeOf reads a call's result. A result that is not JSON is shown as it is. */
export function outcomeOf(tool: string, input: string, result: Section | null): Outcome {
  const out: Outcome = { state: "running", texts: [], size: "", raw: "", error: "", tried: "", left: [], dialogId: "", picture: null, pictures: [] };
  if (result === null) return out;
  const raw = payload(result, "tool/result/json");
  const status = result.meta?.["Status"];
  let r: Record<string, unknown> = {};
  try {
    const v: unknown = JSON.parse(raw);
    if (typeof v === "object" && v !== null && !Array.isArray(v)) r = v as Record<string, unknown>;
  } catch {
    out.texts.push({ label: say.result, text: raw });
  }
  out.state = status === "denied" ? "denied" : status === "error" || r["success"] !== true ? "failed" : "done";
  const str = (k: string) => (typeof r[k] === "string" ? (r[k] as string) : "");
  if (out.state === "failed") out.error = failureLine(result.meta?.["Refused"], result.meta?.["Failure"], r);
  out.dialogId = str("dialogId");
  out.picture = pictureOf(tool, str);
  const told = new Set(["success", "error", "stdout", "stderr", "preview"]);
  if (tool === "run_command") {
    const list = (k: string) => (Array.isArray(r[k]) ? (r[k] as Record<string, unknown>[]) : []);
    out.left = [...list("conflicts").map((f) => say.stayed(String(f["path"]))), ...list("refused").map((f) => say.notKept(String(f["path"]), String(f["why"])))];
    if (r["tried"] === true) out.tried = out.state === "denied" ? say.triedDenied : list("changed").length > 0 || "changedMore" in r ? say.triedAllowed : out.left.length > 0 ? "" : say.triedNothing;
    for (const k of ["tried", "conflicts", "refused"]) told.add(k);
    if (str("stdout") !== "") out.texts.push({ label: say.output, text: str("stdout") });
    if (str("stderr") !== "") out.texts.push({ label: say.errors, text: str("stderr") });
    out.size = out.state === "done" && typeof r["stdout"] === "string" ? size(str("stdout")) : "";
  } else if (out.state === "done" && tool === "edit_file") {
    const d = partsOf(tool, input).parts.find((p) => p.kind === "diff");
    if (d?.kind === "diff") {
      const n = counts(d.lines);
      out.size = `+${n.add} −${n.del}`;
    }
  } else if (out.state === "done" && typeof r["bytes"] === "number") {
    out.size = bytes(r["bytes"]);
  }
  // What the agent was told may be an order to it; it is shown with the rest.
  if (str("error") !== out.error && out.state === "failed") out.texts.push({ label: say.told, text: str("error") });
  if (isForeign(tool) && Array.isArray(r["content"])) {
    answered(out, tool, r, r["content"] as unknown[]);
    for (const k of ["content", "status", "structured"]) told.add(k);
    if (str("note") !== "") {
      out.texts.push({ label: foreign.note, text: str("note") });
      told.add("note");
    }
    if (out.state === "failed" && out.error === "") out.error = lastLine(out.texts[0]?.text ?? "") || foreign.failed;
  }
  const rest = Object.entries(r).filter(([k]) => !told.has(k));
  if (rest.length > 0 && out.state !== "denied") {
    const [long, short] = [true, false].map((is) => rest.filter(([, v]) => (typeof v === "object" || (typeof v === "string" && v.includes("\n"))) === is));
    tell(out, say.result, Object.fromEntries(short!));
    for (const [k, v] of long!) if (!isInner(k)) tell(out, nameOf(k), v);
    out.raw = JSON.stringify(r, null, 2);
  }
  return out;
}

function tell(out: Outcome, label: string, v: unknown): void {
  const text = lines(v);
  if (text !== "") out.texts.push({ label, text });
}

const KEPT = /^~\/screenshots\/([0-9a-f]{16}\.png)$/;

// What another program answered: its texts, its pictures, and where its files are kept. A
// change that it tells of once more stands with the call.
function answered(out: Outcome, tool: string, r: Record<string, unknown>, content: unknown[]): void {
  const texts: string[] = [], more: unknown[] = [];
  for (const c of content) {
    const text = textIn(c), { file, mimeType, bytes: size, type } = (c ?? {}) as Record<string, unknown>;
    if (text !== null) texts.push(text);
    else if (typeof file === "string") {
      texts.push(foreign.file(String(mimeType ?? type ?? ""), bytes(Number(size ?? 0)), file));
      const name = KEPT.exec(file)?.[1];
      if (name !== undefined) out.pictures.push({ name, page: tool.replace(/^mcp_/, ""), question: "", anySize: true });
    } else if (diffIn(c) === null) more.push(c);
  }
  const said = texts.join("\n");
  const { structured } = r;
  if (said.trim() !== "" && !out.error.endsWith(said)) out.texts.push({ label: say.output, text: said });
  tell(out, foreign.more, more);
  if (structured !== undefined && JSON.stringify(structured) !== said) tell(out, foreign.data, structured);
  if (more.length > 0 || structured !== undefined) out.raw = JSON.stringify(r, null, 2);
}

function pictureOf(tool: string, str: (k: string) => string): Picture | null {
  const name = KEPT.exec(str("screenshot"))?.[1];
  if (name === undefined || (tool !== "browser_console" && tool !== "request_visual_qa")) return null;
  const title = str("title").trim();
  return { name, page: title === "" ? str("url") : `${title} (${str("url")})`, question: str("question") };
}

// The face of a call that failed: which rule refused it, how its command ended, or its error.
function failureLine(rule: string | undefined, kind: string | undefined, r: Record<string, unknown>): string {
  if (rule !== undefined && Object.hasOwn(say.refused, rule)) return say.refused[rule]!;
  const str = (k: string) => (typeof r[k] === "string" ? (r[k] as string) : "");
  if (kind === "schema_reject" && /^\S+ was not run: .* Received: /s.test(str("error"))) return say.notFit;
  const first = /^(.+) is not as it was when the human approved this call: the call \S+ of this dialog left it so\./s.exec(str("error"))?.[1];
  if (first !== undefined) return say.before(first);
  const stale = /^(.+) (?:has changed|was deleted) since you last saw it, and nothing was written\./s.exec(str("error"))?.[1];
  if (stale !== undefined) return say.stale(stale);
  const gone = /^old_string does not stand in (.+) \(\d+ bytes\); nothing was changed\./s.exec(str("error"))?.[1];
  if (gone !== undefined) return say.nowhere(gone);
  if (typeof r["exitCode"] !== "number" || !/\bexit code -?\d/.test(str("error"))) return str("error").replace(/(?<=[.;]) (?:Read|Call|Say|Run|Do) .*$/s, "");
  const last = ["stderr", "stdout", "output"].map((k) => lastLine(str(k))).find((l) => l !== "") ?? "";
  return say.exitCode(r["exitCode"], last);
}

function lastLine(text: string): string {
  const line = text.trimEnd().split("\n").at(-1)!.trim();
  return line.length > 200 ? line.slice(0, 199) + "…" : line;
}
