import type { Call } from "../types.ts";
import { targetWord } from "./file.ts";

/** What a human said to one call: the call as it was shown, so that its hash, and that of the file it would write, bind the answer. */
export interface Decision {
  call: Pick<Call, "id" | "sha256" | "target">;
  verdict: "approve" | "deny";
}

/**
 * controlText is the control/v1 text of one PUT, in its schwa fence: a line for
 * each decided call, an approval bound to the hash of the input that was shown
 * and to the file that it would write, and a line for each tool that may run unasked from now on in this dialog.
 */
export function controlText(decisions: Decision[], allow: string[] = []): string {
  const lines = decisions.map(({ call, verdict }) =>
    verdict === "approve" ? `${call.id} approve sha256:${call.sha256} ${targetWord(call.target)}`.trimEnd() : `${call.id} deny`,
  );
  for (const tool of [...new Set(allow)]) lines.push(`allow ${tool}`);
  return ["əəəcontrol/v1", ...lines, "əəə"].join("\n");
}

/** One meaningful line of a stored control text. */
export type ControlLine =
  | { kind: "call"; id: string; verdict: "approve" | "deny" }
  | { kind: "tool"; verb: "allow" | "deny" | "ask"; tool: string };

/** readControl reads stored control text; comments, blanks and unknown lines fall away. */
export function readControl(text: string): ControlLine[] {
  const out: ControlLine[] = [];
  for (const line of text.split(/\r?\n/)) {
    const w = line.trim().split(/\s+/);
    const [first = "", second = ""] = w;
    if (first === "allow" || first === "deny" || first === "ask") {
      if (w.length === 2) out.push({ kind: "tool", verb: first, tool: second });
    } else if (second === "approve" || second === "deny") {
      out.push({ kind: "call", id: first, verdict: second });
    }
  }
  return out;
}
