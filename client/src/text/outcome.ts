import type { Section } from "../types.ts";
import { bytes } from "./time.ts";
import { counts } from "./diff.ts";
import { payload } from "./items.ts";
import { partsOf, size } from "./parts.ts";

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
}

/** outcomeOf reads a call's result. A result that is not JSON is shown as it is. */
export function outcomeOf(tool: string, input: string, result: Section | null): Outcome {
  const out: Outcome = { state: "running", texts: [], size: "", error: "", dialogId: "" };
  if (result === null) return out;
  const raw = payload(result, "tool/result/json");
  const status = result.meta?.["Status"];
  let r: Record<string, unknown> = {};
  try {
    const v: unknown = JSON.parse(raw);
    if (typeof v === "object" && v !== null && !Array.isArray(v)) r = v as Record<string, unknown>;
  } catch {
    out.texts.push({ label: "Result", text: raw });
  }
  out.state = status === "denied" ? "denied" : status === "error" || r["success"] !== true ? "failed" : "done";
  const str = (k: string) => (typeof r[k] === "string" ? (r[k] as string) : "");
  out.error = out.state === "failed" ? str("error") : "";
  out.dialogId = str("dialogId");
  if (tool === "run_command") {
    if (str("stdout") !== "") out.texts.push({ label: "Output", text: str("stdout") });
    if (str("stderr") !== "") out.texts.push({ label: "Errors", text: str("stderr") });
    out.size = typeof r["exitCode"] === "number" && r["exitCode"] !== 0 ? `exit ${String(r["exitCode"])}` : typeof r["stdout"] === "string" ? size(str("stdout")) : "";
  } else if (out.state === "done" && tool === "edit_file") {
    const d = partsOf(tool, input).parts.find((p) => p.kind === "diff");
    if (d?.kind === "diff") {
      const n = counts(d.lines);
      out.size = `+${n.add} −${n.del}`;
    }
  } else if (out.state === "done" && typeof r["bytes"] === "number") {
    out.size = bytes(r["bytes"]);
  }
  const told = new Set(["success", "error", "stdout", "stderr", "preview"]);
  const rest = Object.entries(r).filter(([k]) => !told.has(k));
  if (rest.length > 0 && out.state !== "denied") out.texts.push({ label: "Result", text: JSON.stringify(Object.fromEntries(rest), null, 2) });
  return out;
}
