import type { Cover, Governor, LedgerFile, Section } from "../types.ts";
import { stands as say } from "./strings.ts";

/** The phases of a turn as people read them, in their order. */
export const PHASES: { phase: string; word: string }[] = [
  { phase: "recon", word: say.phases.recon },
  { phase: "checkpoint", word: say.phases.checkpoint },
  { phase: "execute", word: say.phases.execute },
  { phase: "verify", word: say.phases.verify },
  { phase: "final", word: say.phases.final },
];

/** The intents that a human can choose for a message, the least work first. */
export const INTENTS = ["conversational", "status_check", "diagnose", "small_fix", "feature_build", "autonomous"];

/** What a phase is to the one that a turn is in. One that was passed and yet not done is left. */
export interface Step {
  word: string;
  at: "past" | "left" | "now" | "later";
}

/** stepsOf returns the phases with where the turn stands, or none where phases are off. What is not verified was not checked. */
export function stepsOf(phase: string | undefined, unverified = false): Step[] {
  const now = PHASES.findIndex((p) => p.phase === phase);
  if (now < 0) return [];
  return PHASES.map((p, i) => ({ word: p.word, at: i < now ? (unverified && p.phase === "verify" ? "left" : "past") : i === now ? "now" : "later" }));
}

/** phaseWords says what a turn does in a phase, or "" for the last one, which the answer itself shows. */
export function phaseWords(phase: string | undefined, label: string): string {
  if (phase === "final") return "";
  return phase === "checkpoint" ? say.proposed : label;
}

/** budgetWords says how many rounds are used, or "" where there is nothing to say: a message that only talks has none, and one that rests without a round used none. */
export function budgetWords(g: Governor, works: boolean): string {
  if (g.budget.limit === 0 || (g.budget.used === 0 && !works)) return "";
  return say.rounds(g.budget.used, g.budget.limit);
}

/** stopTitle names why the governor stopped a turn, or "" for a reason that is none. */
export function stopTitle(reason: string | undefined): string { return say.stops[reason ?? ""] ?? ""; }

/** ledgerWords counts the files of a ledger, or returns "" for an empty one. */
export function ledgerWords(g: Governor): string {
  const read = g.ledger.read.length, changed = g.ledger.modified.length;
  return read + changed === 0 ? "" : say.ledger(read, changed);
}

/** shortHash is the beginning of a hash, or what a missing one means. */
export function shortHash(f: LedgerFile, changed: boolean): string { return f.sha256 !== "" ? f.sha256.slice(0, 8) : changed ? say.deleted : ""; }

/** isCovered reports whether a section is within a range that a Summary stands for. */
export function isCovered(sections: Section[], covers: Cover[], s: Section): boolean {
  const at = (id: string) => sections.findIndex((o) => o.id === id);
  const i = sections.indexOf(s);
  return covers.some((c) => at(c.from) >= 0 && at(c.from) <= i && i <= at(c.to));
}
