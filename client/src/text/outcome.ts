import type { Section } from "../types.ts";
import { bytes } from "./time.ts";
import { counts } from "./diff.ts";
import { payload } from "./items.ts";
import { partsOf, size } from "./parts.ts";
import { outcome as say } from "./strings.ts";

/** How a call ended, as its card shows it. */
export interface Outcome {
  state: "running" | "done" | "denied" | "failed";
  /** labelled texts below the input */
  texts: { label: string; text: string }[];
  /** the size of what was done, for the card's line */
  size: string;
  error: string;
  /** the dialog that launch_agent started */
  dialogId: string;
  /** the picture of the page that was looked at, or null */
  picture: Picture | null;
}

/** A picture of a page: its name at the server, what is seen in it, and what the human is asked about it, or "". */
export interface Picture { name: string; page: string; question: string }

/** outcomeOf reads a call's result. A result that is not JSON is shown as it is. */
export function outcomeOf(tool: string, input: string, result: Section | null): Outcome {
  const out: Outcome = { state: "running", texts: [], size: "", error: "", dialogId: "", picture: null };
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
  if (out.state === "failed") out.error = failureLine(result.meta?.["Refused"], r);
  out.dialogId = str("dialogId");
  out.picture = pictureOf(tool, str);
  if (tool === "run_command") {
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
  const told = new Set(["success", "error", "stdout", "stderr", "preview"]);
  const rest = Object.entries(r).filter(([k]) => !told.has(k));
  if (rest.length > 0 && out.state !== "denied") out.texts.push({ label: say.result, text: JSON.stringify(Object.fromEntries(rest), null, 2) });
  return out;
}

function pictureOf(tool: string, str: (k: string) => string): Picture | null {
  const name = /^~\/screenshots\/([0-9a-f]{16}\.png)$/.exec(str("screenshot"))?.[1];
  if (name === undefined || (tool !== "browser_console" && tool !== "request_visual_qa")) return null;
  const title = str("title").trim();
  return { name, page: title === "" ? str("url") : `${title} (${str("url")})`, question: str("question") };
}

// The face of a call that failed: which rule refused it, how its command ended, or its error.
function failureLine(rule: string | undefined, r: Record<string, unknown>): string {
  if (rule !== undefined && Object.hasOwn(say.refused, rule)) return say.refused[rule]!;
  const str = (k: string) => (typeof r[k] === "string" ? (r[k] as string) : "");
  if (typeof r["exitCode"] !== "number" || !/\bexit code -?\d/.test(str("error"))) return str("error").replace(/(?<=[.;]) (?:Read|Call|Say|Run|Do) .*$/s, "");
  const last = ["stderr", "stdout", "output"].map((k) => lastLine(str(k))).find((l) => l !== "") ?? "";
  return say.exitCode(r["exitCode"], last);
}

function lastLine(text: string): string {
  const line = text.trimEnd().split("\n").at(-1)!.trim();
  return line.length > 200 ? line.slice(0, 199) + "…" : line;
}
