import type { Call } from "../types.ts";
import { targetWord } from "./file.ts";

/** What a human said to one call: the call as it was shown, so that its hash, and that of the file it would write, bind the answer. */
export interface Decision {
  call: Pick<Call, "id" | "sha256" | "target">;
  verdict: "approve" | "deny";
}

/**
 * decisionsOf lists what is said to the calls of a card: the verdicts, and a yes
 * to each call without one whose tool may run unasked from now on. That yes is
 * bound to what was shown of the call, as any other: so a file that was saved
 * since is not written over. A call that was not shown whole gets none, nor does
 * one over a file too large to be told apart: the server asks about these again,
 * unless nothing that the dialog does not know would be replaced.
 */
export function decisionsOf(calls: Call[], verdicts: Map<string, "approve" | "deny">, allow: string[], whole: (c: Call) => boolean): Decision[] {
  const bound = (c: Call) => !c.target?.exists || targetWord(c.target) !== "";
  return calls.flatMap((call) => {
    const verdict = verdicts.get(call.id) ?? (allow.includes(call.tool) && whole(call) && bound(call) ? "approve" : undefined);
    return verdict === undefined ? [] : [{ call, verdict }];
  });
}

/**
 * controlText is the control/v1 text of one PUT, in its schwa fence: a line for
 * each decided call, an approval bound to the hash of the input that was shown
 * and to the file that it would write, and a line for each tool that may run
 * unasked from now on in this dialog, or that asks again.
 */
export function controlText(decisions: Decision[], allow: string[] = [], ask: string[] = []): string {
  const lines = decisions.map(({ call, verdict }) =>
    verdict === "approve" ? `${call.id} approve sha256:${call.sha256} ${targetWord(call.target)}`.trimEnd() : `${call.id} deny`,
  );
  for (const tool of [...new Set(allow)]) lines.push(`allow ${tool}`);
  for (const tool of [...new Set(ask)]) lines.push(`ask ${tool}`);
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
