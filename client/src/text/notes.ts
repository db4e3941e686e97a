import type { Section } from "../types.ts";
import { phaseWords, stopTitle } from "./governor.ts";

/** How a Note is shown, and in which words. */
export type NoteForm =
  | { form: "quiet"; words: string } // one small line, which opens to the text
  | { form: "stop"; words: string } // a card with Continue
  | { form: "mark"; words: string }
  | { form: "commit"; words: string } // the commit, shortened
  | { form: "divider"; words: string }
  | { form: "plain"; words: string }; // a heading with the text beside it

/** noteForm decides how a Note is shown by its metadata alone. */
export function noteForm(s: Section, text: string): NoteForm {
  const meta = s.meta ?? {};
  const kind = meta["Kind"] ?? "";
  if (continues(s)) return { form: "quiet", words: "You let it go on" };
  const stop = stopTitle(meta["Stop"]);
  if (stop !== "") return { form: "stop", words: stop };
  if (kind === "phase") return { form: "divider", words: phaseWords(meta["Phase"], text) };
  if (kind === "commit" && meta["Sha"]) return { form: "commit", words: `Committed ${meta["Sha"].slice(0, 7)}` };
  if (kind === "commit") return { form: "plain", words: "Not committed" };
  if (kind === "unverified") return { form: "mark", words: "Not checked" };
  if (kind === "unbacked") return { form: "mark", words: unbackedWords(s) };
  if (kind === "summary-undone") return { form: "quiet", words: "A summary was undone: the agent reads those turns again" };
  if (meta["To"] === "model") {
    const words = quietWords(kind, meta, text);
    if (words !== "") return { form: "quiet", words };
  }
  if (kind === "mistake" || kind === "warning") return { form: "plain", words: "Problem" };
  return { form: "plain", words: NAMES[kind] ?? (kind || "Note") };
}

const NAMES: Record<string, string> = {
  plan: "Plan", codebase: "Codebase", project: "Project", control: "Control", conflict: "Conflict", budget: "Budget", "doc-change": "A doc changed", title: "Named",
};

function quietWords(kind: string, meta: Record<string, string>, text: string): string {
  switch (kind) {
    case "nudge":
      return text.startsWith("[CONTINUE]") ? "Asked the agent to go on" : "Reminded the agent to say what it does";
    case "warning":
      return meta["Left"] ? `Told the agent that ${meta["Left"]} rounds are left` : "Warned the agent";
    case "mistake":
      return "Told the agent to take another way: its calls kept failing";
    case "recovery":
      return "Asked the agent to say what was really done";
    case "gate":
      return "Sent the answer back: what was changed is not checked yet";
    case "codebase":
      return "Told the agent what the deed holds";
    case "tools":
      return meta["Calls"] === "native" ? "Told the agent to call its tools as usual" : "Told the agent how to call its tools here";
    case "undo":
      return "You took back changes, and the agent was told";
    case "plan":
      return "Told the agent what the plan says";
  }
  return "";
}

/** continues reports whether a Note is what a human's Continue left. */
export function continues(s: Section): boolean {
  const kind = s.meta?.["Kind"];
  return s.role === "Note" && s.meta?.["By"] === "human" && (kind === "nudge" || kind === "budget");
}

/** saysNothing reports whether a Note tells a human nothing that is not seen anyway. */
export function saysNothing(s: Section): boolean {
  return s.role === "Note" && s.meta?.["Kind"] === "phase" && phaseWords(s.meta["Phase"], "-") === "";
}

/** pastStop is the reason of a stop without what to press, for one that was continued. */
export function pastStop(text: string): string { return text.replace(/\s*Press Continue\b[^.]*\./, ""); }

/** stops reports whether a Note says that the governor stopped the turn. */
export function stops(s: Section): boolean { return s.role === "Note" && stopTitle(s.meta?.["Stop"]) !== ""; }

/** uncheckedWords says why what was changed counts as not checked. */
export function uncheckedWords(check: string): string {
  return check === "" ? "Files were changed, and nothing checked them after that." : "Files were changed, and the check did not succeed after that.";
}

/** checkMessage asks an agent to check what it changed. */
export function checkMessage(check: string): string {
  return check === "" ? "Please check now what you changed, and mend what it shows." : `Please run the check now: \`${check}\`, and mend what it shows.`;
}

/** checkIn returns the command that a Note names in backticks, or "". */
export function checkIn(text: string): string { return /`([^`\n]+)`/.exec(text)?.[1] ?? ""; }

/** unbackedWords says which claims of an answer no result bears out. */
export function unbackedWords(s: Section): string { return `No result shows this: ${s.meta?.["Claims"] || "what the answer says was done"}`; }

/** readCheckpoint reads what an agent said before it changes anything, or returns null for what is no checkpoint. */
export function readCheckpoint(input: string): { goal: string; findings: string; proposal: string } | null {
  try {
    const v = JSON.parse(input) as Record<string, unknown>;
    const { goal, findings, proposal } = v;
    if (typeof goal === "string" && typeof findings === "string" && typeof proposal === "string") return { goal, findings, proposal };
  } catch {
    // no JSON: it is shown as the call that it is
  }
  return null;
}
