import type { Needs, Section, Status } from "../types.ts";
import { join, split } from "./added.ts";
import { textOf } from "./items.ts";
import { isSending } from "./merge.ts";
import { queue as say } from "./strings.ts";

/** A message in the queue. It is sent when its dialog can take it. */
export interface Queued {
  id: string;
  /** when the human sent it; messages are sent in this order */
  at: string;
  text: string;
  /** the model that answers from here on, where that changes */
  provider?: string;
  model?: string;
  /** how much work it may be, where the human said so */
  intent?: string;
  /** what the dialog's window showed when the message was written; absent where that was not known */
  shown?: Shown;
  /** how many sections the dialog had at the first try: if that got through, the message stands behind them */
  after?: number;
  /** why the server refused it; it is sent again only when the human says so */
  failed?: string;
  /** why it is sent only when the human says so, although it was not refused */
  held?: string;
}

/** What a window showed of a dialog: how many sections, and the id of the last one. `same` counts messages of the same text that waited before this one. */
export interface Shown {
  sections: number;
  last: string;
  same: number;
}

/** shownOf returns what a window shows of a dialog; undefined while it is not certain. */
export function shownOf(k: { sections: Section[]; earlier: number; loaded: boolean }, waiting: Queued[], text: string): Shown | undefined {
  const last = k.sections.at(-1)?.id ?? "";
  if (!k.loaded || last === "" || k.sections.some(isSending)) return undefined;
  return { sections: k.earlier + k.sections.length, last, same: waiting.filter((q) => q.text === text).length };
}

/**
 * isLanded reports whether a message is in its dialog. `since` are the sections from the
 * first try on, or, before one, from the last section on that was shown when it was written.
 */
export function isLanded(q: Queued, since: Section[]): boolean {
  const same = since.filter((s) => s.role === "User" && textOf(s) === q.text).length;
  if (q.after !== undefined) return same > 0;
  return q.shown !== undefined && since[0]?.id === q.shown.last && same - (since[0].role === "User" && textOf(since[0]) === q.text ? 1 : 0) > q.shown.same;
}

/** sinceOf returns the number of the section from which on isLanded must know all; null where nothing can be told by them. */
export function sinceOf(q: Queued, total: number): number | null {
  if (q.after !== undefined) return q.after;
  return q.shown !== undefined && q.shown.sections < total ? q.shown.sections - 1 : null;
}

/** Shelf is what Queue and Unsent need of localStorage. */
export interface Shelf {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
  removeItem(key: string): void;
  keys(): string[];
}

/**
 * Queue keeps the waiting messages, each under a key of its own, so that two tabs can
 * add and remove at the same time.
 */
export class Queue {
  constructor(private readonly shelf: Shelf) {}

  /** list returns the waiting messages of a dialog, the next one first. */
  list(project: string, dialog: string): Queued[] {
    const prefix = keyOf(project, dialog, "");
    const all = this.shelf.keys().filter((k) => k.startsWith(prefix)).map((k) => this.#read(k)).filter((q) => q !== null);
    return all.sort((a, b) => a.at.localeCompare(b.at) || a.id.localeCompare(b.id));
  }

  /** dialogs lists the dialogs of a project that have waiting messages. */
  dialogs(project: string): string[] {
    const prefix = `${PREFIX}/${project}/`;
    return [...new Set(this.shelf.keys().filter((k) => k.startsWith(prefix)).map((k) => k.slice(prefix.length).split("/")[0]!))];
  }

  read(project: string, dialog: string, id: string): Queued | null { return this.#read(keyOf(project, dialog, id)); }

  /** keep stores a message and reports whether there was room for it. */
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
      return null; // a message that can't be read is dropped
    }
  }
}

const PREFIX = "vibey.queue";

/** ofQueue reports whether a key of the storage is of a waiting message. */
export function ofQueue(key: string | null): boolean { return key?.startsWith(PREFIX + "/") ?? false; }

function keyOf(project: string, dialog: string, id: string): string { return `${PREFIX}/${project}/${dialog}/${id}`; }

/** What decides whether a dialog can take a message. status is null where it is not known. */
export interface DialogState {
  status: Status | null;
  needs: Needs;
  /** true where calls wait for a decision, which a message would deny */
  asks: boolean;
}

/** Why a message waits; "" where it can be sent. */
export type Wait = "" | "unknown" | "asks" | "works" | "stopped" | "failed" | "held" | "later";

/** waitOf returns why a message waits. To a dialog that broke off, a message is sent only when the human says so. */
export function waitOf(q: Queued, d: DialogState, first: boolean): Wait {
  if (q.failed !== undefined) return "failed";
  if (q.held !== undefined) return "held";
  if (!first) return "later";
  if (d.status === null) return "unknown";
  if (d.asks || d.needs === "approval") return "asks";
  if (d.status === "active") return "works";
  return d.needs === "continue" ? "stopped" : "";
}

/** waitWords says in words when a message is sent. */
export function waitWords(q: Queued, wait: Wait): string {
  switch (wait) {
    case "asks": return say.asks;
    case "works": return say.works;
    case "stopped": return say.stopped;
    case "failed": return q.failed!;
    case "held": return q.held!;
    case "later": return say.later;
    case "unknown": return say.unknown;
    case "": return say.going;
  }
}

/** waitsForHuman reports whether a message is sent only when the human says so. */
export function waitsForHuman(q: Queued): boolean { return q.failed !== undefined || q.held !== undefined; }

/**
 * heldAfter returns the message that must be held when one is taken back. A message
 * behind one that waits for the human waits for the human too, and taking back the
 * first one is no consent to send the second. null where no message would be sent.
 */
export function heldAfter(list: Queued[], id: string): Queued | null {
  const i = list.findIndex((q) => q.id === id);
  const next = list[i + 1];
  if (i < 0 || next === undefined || !waitsForHuman(list[i]!) || waitsForHuman(next)) return null;
  return { ...next, held: say.heldWithOne };
}

/** together joins a message that was taken back and the text that was written since, each with its files. */
export function together(before: string, after: string): string {
  if (before === "" || after === "") return before + after;
  const a = split(before), b = split(after);
  const files = [...a.files, ...b.files.filter((f) => a.files.every((g) => g.path !== f.path))];
  return join(files, [a.words, b.words].filter((w) => w !== "").join("\n\n"));
}

/** behind returns what of a text was written since `sent`, its beginning, went out; all of it where that is not how it begins. */
export function behind(now: string, sent: string): string { return now.startsWith(sent) ? now.slice(sent.length).trimStart() : now; }
