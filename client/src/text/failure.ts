import type { Section } from "../types.ts";
import { continues } from "./notes.ts";
import { failures as say } from "./strings.ts";

/** Words for a failure: what happened, what is safe, and what to do. */
export interface Words {
  title: string;
  detail: string;
  /** whether asking again may help */
  again: boolean;
}

/** Failure is what went wrong last in a dialog, in words for the human, and as the provider said it. */
export interface Failure extends Words {
  raw: string;
  /** the stream broke off, and perhaps not the turn: it is over where the dialog turns out to go on */
  unsure?: boolean;
}

/** failureWords puts the kind of an error into plain words; an unknown kind keeps its message, and so does what a program of its own failed with. */
export function failureWords(kind: string, message: string, agent = false): Words {
  if (agent && message !== "") return agentWords(message);
  const known = say.kinds[kind];
  if (known) return { again: false, ...known };
  return { title: message || say.unknown, detail: say.kept, again: true };
}

// The message of an agent over ACP is in words already: its first sentence is the title.
function agentWords(message: string): Words {
  const [, title = message, detail = ""] = /^(.*?[.!?]) (\p{Lu}.*)$/su.exec(message) ?? [];
  return { title, detail: detail || say.kept, again: true };
}

/** failureOf returns the failure that a dialog ended with, as its last Note tells it, or null. */
export function failureOf(sections: Section[], agent = false): Failure | null {
  for (let i = sections.length - 1; i >= 0; i--) {
    const s = sections[i]!;
    if (s.torn) continue;
    if (tellsFailure(s)) {
      const raw = s.payloads?.[0]?.text ?? "";
      return { ...failureWords(s.meta?.["Cause"] ?? "", raw, agent), raw };
    }
    if (s.role !== "Note" || continues(s)) return null;
  }
  return null;
}

/** tellsFailure reports whether a Note says that a provider failed. */
export function tellsFailure(s: Section): boolean { return s.role === "Note" && s.meta?.["Kind"] === "mistake" && s.meta?.["Failure"] === "api_error"; }
