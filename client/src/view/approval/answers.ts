import type { ComponentChildren } from "preact";
import type { Call } from "../../types.ts";
import type { Draft } from "../../state/unsent.ts";
import { offersFor } from "../../text/allow.ts";

/** Answers is what the card collects: a verdict by call, what to allow from now on in this dialog, and a message. */
export interface Answers {
  verdicts: Map<string, "approve" | "deny">;
  always: Set<string>;
  text: string;
}

/** What was opened, and what was ticked that is allowed without being seen, by call and key. */
export type Opened = ReadonlySet<string>;

/** allowedBy lists what the answers allow from now on: only what was offered with a call that they approve. */
export function allowedBy(calls: Call[], a: Pick<Answers, "verdicts" | "always">): string[] {
  const offered = calls.filter((c) => a.verdicts.get(c.id) === "approve").flatMap(offersFor).map((o) => o.subject);
  return [...a.always].filter((s) => offered.includes(s));
}

/** Asking is what a card gives to its answers. */
export interface Asking {
  calls: Call[];
  /** why a call can't be allowed yet, by its id; "" just after the card appeared */
  off: ReadonlyMap<string, string>;
  whyOff: (c: Call, id: string) => ComponentChildren;
  /** begins to send the answers; it returns false where it sends nothing, and says why */
  answer: (a: Answers) => boolean;
  view: (c: Call, level: "alone" | "row") => ComponentChildren;
  why: Draft;
  /** the calls that would be refused if they were allowed, as their files stand now */
  vain: ReadonlySet<Call>;
}

/** askId is the id of the heading that asks about a call, among several. */
export function askId(c: Call): string { return `asks-${c.id}`; }
