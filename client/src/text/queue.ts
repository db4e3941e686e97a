import type { Needs, Status } from "../types.ts";

/** A message that was sent, and goes out once its dialog can take it. */
export interface Queued {
  id: string;
  /** when it was sent; messages go out in this order */
  at: string;
  text: string;
  /** who is to answer from here on, where that changes */
  provider?: string;
  model?: string;
  /** how many sections the dialog had when it was handed over first: one that got through stands behind them */
  after?: number;
  /** why it was not taken; it waits for a human's word then */
  failed?: string;
  /** why it waits for a human's word although nothing was tried */
  held?: string;
}

/** Shelf is what the queue, and what was not sent, need of localStorage. */
export interface Shelf {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
  removeItem(key: string): void;
  keys(): string[];
}

/**
 * Queue keeps the messages that wait, each under a key of its own, so that two
 * tabs can add and take at once and neither undoes the other.
 */
export class Queue {
  constructor(private readonly shelf: Shelf) {}

  /** list gives what waits in a dialog, the first to go out first. */
  list(project: string, dialog: string): Queued[] {
    const prefix = keyOf(project, dialog, "");
    const all = this.shelf.keys().filter((k) => k.startsWith(prefix)).map((k) => this.#read(k)).filter((q) => q !== null);
    return all.sort((a, b) => a.at.localeCompare(b.at) || a.id.localeCompare(b.id));
  }

  /** dialogs lists the dialogs of a project in which something waits. */
  dialogs(project: string): string[] {
    const prefix = `${PREFIX}/${project}/`;
    return [...new Set(this.shelf.keys().filter((k) => k.startsWith(prefix)).map((k) => k.slice(prefix.length).split("/")[0]!))];
  }

  read(project: string, dialog: string, id: string): Queued | null { return this.#read(keyOf(project, dialog, id)); }

  /** keep stores a message and tells whether there was room for it. */
  keep(project: string, dialog: string, q: Queued): boolean {
    try {
      this.shelf.setItem(keyOf(project, dialog, q.id), JSON.stringify(q));
      return true;
    } catch {
      return false;
    }
  }

  drop(project: string, dialog: string, id: string): void { this.shelf.removeItem(keyOf(project, dialog, id)); }

  #read(key: string): Queued | null {
    try {
      const q: unknown = JSON.parse(this.shelf.getItem(key) ?? "null");
      if (typeof q !== "object" || q === null) return null;
      const { id, at, text } = q as Record<string, unknown>;
      return typeof id === "string" && typeof at === "string" && typeof text === "string" ? (q as Queued) : null;
    } catch {
      return null; // what can't be read can't be sent either
    }
  }
}

const PREFIX = "vibey.queue";

/** ofQueue tells whether a key of the storage holds a message that waits. */
export function ofQueue(key: string | null): boolean { return key?.startsWith(PREFIX + "/") ?? false; }

function keyOf(project: string, dialog: string, id: string): string { return `${PREFIX}/${project}/${dialog}/${id}`; }

/** How a dialog stands, as far as a message must know: status is null where it is not known. */
export interface Standing {
  status: Status | null;
  needs: Needs;
  /** calls wait for a decision: a message would deny them */
  asks: boolean;
}

/** Why a message waits; "" where it may go out. */
export type Wait = "" | "unknown" | "asks" | "works" | "stopped" | "failed" | "held" | "later";

/** waitOf tells why a message waits. A dialog that broke off waits for a human's word, and so does the message. */
export function waitOf(q: Queued, d: Standing, first: boolean): Wait {
  if (q.failed !== undefined) return "failed";
  if (q.held !== undefined) return "held";
  if (!first) return "later";
  if (d.status === null) return "unknown";
  if (d.asks || d.needs === "approval") return "asks";
  if (d.status === "active") return "works";
  return d.needs === "continue" ? "stopped" : "";
}

/** waitWords says when a message goes out. */
export function waitWords(q: Queued, wait: Wait): string {
  switch (wait) {
    case "asks": return "It goes out when you have answered the question above.";
    case "works": return "It goes out when this turn is finished.";
    case "stopped": return "The agent stopped on the way, so this was kept.";
    case "failed": return q.failed!;
    case "held": return q.held!;
    case "later": return "It goes out after the one above.";
    case "unknown": return "It goes out when it is known how the dialog stands.";
    case "": return "It is going out.";
  }
}

/** waitsForWord tells whether a message goes out only when a human says so. */
export function waitsForWord(q: Queued): boolean { return q.failed !== undefined || q.held !== undefined; }

/**
 * heldAfter is the message that must be held when one is taken back: what stands
 * behind a message that waits for a word waits for that word too, and to take the
 * first away is none. It is null where nothing would go out by that.
 */
export function heldAfter(list: Queued[], id: string): Queued | null {
  const i = list.findIndex((q) => q.id === id);
  const next = list[i + 1];
  if (i < 0 || next === undefined || !waitsForWord(list[i]!) || waitsForWord(next)) return null;
  return { ...next, held: "The one before it was taken back, so this was kept." };
}

/** together puts a message that was taken back in front of what was written since. */
export function together(before: string, after: string): string {
  return before === "" || after === "" ? before + after : `${before}\n\n${after}`;
}
