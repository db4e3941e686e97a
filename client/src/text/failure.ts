import type { Section } from "../types.ts";
import { continues } from "./notes.ts";

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
}

const KINDS: Record<string, Omit<Words, "again"> & { again?: boolean }> = {
  auth: { title: "The provider did not take the key.", detail: "Check the key, or store another one under New dialog. Nothing that was written is lost.", again: true },
  credit: { title: "There is no credit left at the provider.", detail: "Add credit or choose another model below. Nothing that was written is lost.", again: true },
  rate_limit: { title: "The provider asks for a pause: too many requests.", detail: "Wait a little, then try again. Nothing that was written is lost.", again: true },
  busy: { title: "The provider is busy.", detail: "It was asked several times. Try again in a moment; nothing that was written is lost.", again: true },
  too_long: { title: "This dialog is too long for the model.", detail: "Choose a model with a larger window below, or start a new dialog. Everything stays readable here." },
  not_found: { title: "The provider does not know this model.", detail: "Choose another model below.", again: true },
  bad_request: { title: "The provider refused the request.", detail: "Its own words are in Details. The dialog is kept as it stands.", again: true },
  network: { title: "Nobody answered at the provider's address.", detail: "Is it running, and is there a network? Nothing that was written is lost.", again: true },
  cut: { title: "The answer broke off.", detail: "What came is kept above, marked as interrupted.", again: true },
  idle: { title: "The provider fell silent.", detail: "It was cut off after waiting. What came is kept above.", again: true },
  malformed: { title: "The provider's answer could not be read.", detail: "Its own words are in Details. What came before is kept.", again: true },
  conflict: { title: "The dialog's file was changed by someone else meanwhile.", detail: "Both texts are kept. Read it again before you go on.", again: true },
  disk: { title: "The dialog could not be written to the disk.", detail: "What was written before is safe. Make room or repair the disk, then go on.", again: true },
  deleted: { title: "The project was deleted, and this dialog with it.", detail: "Nothing of it runs any more." },
  gone: { title: "The file of this dialog is not there any more.", detail: "It was moved or deleted while it ran. Details tell more." },
  offline: { title: "The server does not answer.", detail: "What you see is kept on its disk as far as it was shown. It is asked again by itself.", again: true },
};

/** failureWords puts the kind of an error into plain words; an unknown kind keeps its message. */
export function failureWords(kind: string, message: string): Words {
  const known = KINDS[kind];
  if (known) return { again: false, ...known };
  return { title: message || "Something went wrong.", detail: "What was written is kept.", again: true };
}

/** failureOf returns the failure that a dialog ended with, as its last Note tells it, or null. */
export function failureOf(sections: Section[]): Failure | null {
  for (let i = sections.length - 1; i >= 0; i--) {
    const s = sections[i]!;
    if (s.torn) continue;
    if (tellsFailure(s)) {
      const raw = s.payloads?.[0]?.text ?? "";
      return { ...failureWords(s.meta?.["Cause"] ?? "", raw), raw };
    }
    if (s.role !== "Note" || continues(s)) return null;
  }
  return null;
}

/** tellsFailure reports whether a Note says that a provider failed. */
export function tellsFailure(s: Section): boolean { return s.role === "Note" && s.meta?.["Kind"] === "mistake" && s.meta?.["Failure"] === "api_error"; }
