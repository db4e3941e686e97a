import type { Section } from "../types.ts";
import { noMoreWords, unseenIn } from "./added.ts";
import { phaseWords, stopTitle } from "./governor.ts";
import { notes as say } from "./strings.ts";

/** How a Note is shown, and in which words. */
export type NoteForm =
  | { form: "quiet"; words: string } // one small line, which opens to the text
  | { form: "stop"; words: string } // a card with Continue
  | { form: "mark"; words: string }
  | { form: "commit"; words: string } // the commit, shortened
  | { form: "divider"; words: string }
  | { form: "mail"; words: string; from: string } // what the agent of another dialog says
  | { form: "plain"; words: string }; // a heading with the text beside it

/** noteForm decides how a Note is shown by its metadata alone. */
export function noteForm(s: Section, text: string): NoteForm {
  const meta = s.meta ?? {};
  const kind = meta["Kind"] ?? "";
  if (continues(s)) return { form: "quiet", words: say.letGoOn };
  const stop = stopTitle(meta["Stop"]);
  if (stop !== "") return { form: "stop", words: stop };
  if (kind === "phase") return { form: "divider", words: phaseWords(meta["Phase"], text) };
  if (kind === "commit" && meta["Sha"]) return { form: "commit", words: say.committed(meta["Sha"].slice(0, 7)) };
  if (kind === "commit") return { form: "plain", words: say.notCommitted };
  if (kind === "unverified") return { form: "mark", words: say.notChecked };
  if (kind === "unbacked") return { form: "mark", words: unbackedWords(s) };
  if (kind === "mail") return { form: "mail", words: mailWords(meta["End"] ?? ""), from: meta["By"] ?? "" };
  if (kind === "session") return { form: "quiet", words: say.session(meta["Model"] ?? "") };
  if (kind === "attached") return { form: "quiet", words: say.attached }; // they may be long
  if (kind === "summary-undone") return { form: "quiet", words: say.summaryUndone };
  if (meta["To"] === "model") {
    const words = quietWords(kind, meta, text, unseenIn(s).map(noMoreWords).join(" "));
    if (words !== "") return { form: "quiet", words };
  }
  if (kind === "mistake" || kind === "warning") return { form: "plain", words: say.problem };
  return { form: "plain", words: say.names[kind] ?? (kind || say.note) };
}

function mailWords(end: string): string {
  return end === "" ? say.mail : end === "done" ? say.mailOfDone : say.mailOfStopped;
}

/** mailText is what an agent wrote to this one, without the line that tells the model whose word it is. */
export function mailText(text: string): string { return text.startsWith("[MAIL] ") ? text.replace(/^[^\n]*\n+/, "") : text; }

/** mailHTML is mailText of the same text as HTML. */
export function mailHTML(html: string | undefined): string | undefined { return html?.replace(/^<p>\[MAIL\] [^]*?<\/p>\s*/, ""); }

function quietWords(kind: string, meta: Record<string, string>, text: string, withdrawn: string): string {
  switch (kind) {
    case "nudge":
      return text.startsWith("[CONTINUE]") ? say.askedToGoOn : say.reminded;
    case "warning":
      return meta["Left"] ? say.left(meta["Left"]) : say.warned;
    case "mistake":
      return say.anotherWay;
    case "recovery":
      return say.sayWhatWasDone;
    case "gate":
      return say.sentBack;
    case "codebase":
      return say.deedHolds;
    case "tools":
      return meta["Calls"] === "native" ? say.callsAsUsual : say.callsHere;
    case "undo":
      return say.tookBack;
    case "plan":
      return say.planSays;
    case "picture":
      return withdrawn;
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
export function uncheckedWords(check: string): string { return check === "" ? say.nothingChecked : say.checkFailed; }

/** checkMessage asks an agent to check what it changed. */
export function checkMessage(check: string): string { return say.checkMessage(check); }

/** checkIn returns the command that a Note names in backticks, or "". */
export function checkIn(text: string): string { return /`([^`\n]+)`/.exec(text)?.[1] ?? ""; }

/** unbackedWords says which claims of an answer no result bears out. */
export function unbackedWords(s: Section): string { return say.unbacked(s.meta?.["Claims"] ?? ""); }

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
