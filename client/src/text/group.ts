import type { DialogInfo } from "../types.ts";
import { status as say } from "./strings.ts";

/** A dialog with those that it started, by their age. */
export interface Family {
  d: DialogInfo;
  children: Family[];
  /** those below it that need a human */
  needy: DialogInfo[];
  /** how many are below it */
  below: number;
}

/** The dialogs by what they need of a human; each with its family, in the group of the most urgent of them. */
export interface Groups {
  needs: Family[];
  reply: Family[];
  writing: Family[];
  finished: Family[];
}

export type GroupName = keyof Groups;

export const NO_GROUPS: Groups = { needs: [], reply: [], writing: [], finished: [] };

/**
 * groupDialogs puts families into groups: where one of them needs a human, where one
 * writes, where it is the human's turn in the first of them, and the others. Newest first,
 * but dialogs that are active stand by their age: they would trade places with every word.
 * What did not change since `before` is the same value.
 */
export function groupDialogs(all: DialogInfo[], before: Groups = NO_GROUPS): Groups {
  const old = new Map<string, Family>();
  const remember = (f: Family) => {
    old.set(f.d.dialogId, f);
    f.children.forEach(remember);
  };
  for (const g of Object.values(before) as Family[][]) g.forEach(remember);
  const by: Groups = { needs: [], reply: [], writing: [], finished: [] };
  for (const f of families(all, old)) by[groupOf(f)].push(f);
  const out: Groups = {
    needs: byLast(by.needs), reply: byLast(by.reply), finished: byLast(by.finished),
    writing: by.writing.sort((a, b) => order(b.d.dialogId, a.d.dialogId)),
  };
  for (const name of Object.keys(out) as GroupName[]) if (sameList(out[name], before[name])) out[name] = before[name];
  return out;
}

// A dialog whose parent is missing is a root, as are dialogs that name each other as parents.
function families(all: DialogInfo[], old: Map<string, Family>): Family[] {
  const there = new Set(all.map((d) => d.dialogId));
  const children = new Map<string, DialogInfo[]>();
  const roots: DialogInfo[] = [];
  for (const d of all) {
    if (!d.from || d.from === d.dialogId || !there.has(d.from)) roots.push(d);
    else if (children.has(d.from)) children.get(d.from)!.push(d);
    else children.set(d.from, [d]);
  }
  const seen = new Set<string>();
  const family = (d: DialogInfo): Family => {
    seen.add(d.dialogId);
    const below = (children.get(d.dialogId) ?? []).filter((c) => !seen.has(c.dialogId)).sort((a, b) => order(a.dialogId, b.dialogId)).map(family);
    const was = old.get(d.dialogId);
    if (was?.d === d && sameList(was.children, below)) return was;
    return {
      d, children: was && sameList(was.children, below) ? was.children : below,
      needy: below.flatMap((f) => (needsYou(f.d) ? [f.d, ...f.needy] : f.needy)),
      below: below.reduce((n, f) => n + 1 + f.below, 0),
    };
  };
  const out = roots.map(family);
  if (seen.size < all.length) for (const d of all) if (!seen.has(d.dialogId)) out.push(family(d));
  return out;
}

function groupOf(f: Family): GroupName {
  if (needsYou(f.d) || f.needy.length > 0) return "needs";
  if (writes(f)) return "writing";
  return f.d.status === "waiting" ? "reply" : "finished";
}

function writes(f: Family): boolean { return f.d.status === "active" || f.children.some(writes); }

// The time of the last change in a family. Active dialogs do not count.
function last(f: Family): string {
  let at = f.d.status === "active" ? "" : f.d.mtime.replace("Z", ""); // "00" comes before "00.5"
  for (const c of f.children) {
    const other = last(c);
    if (other > at) at = other;
  }
  return at;
}

function byLast(list: Family[]): Family[] {
  const at = new Map(list.map((f) => [f, last(f)]));
  // An id begins with the second in which the dialog was made: it orders dialogs of the same time.
  return list.sort((a, b) => order(at.get(b)!, at.get(a)!) || order(b.d.dialogId, a.d.dialogId));
}

function order(a: string, b: string): number { return a < b ? -1 : a > b ? 1 : 0; }

function sameList(a: Family[], b: Family[]): boolean { return a.length === b.length && a.every((f, i) => f === b[i]); }

/** applied returns a list with an entry as it is now; null: it is gone. */
export function applied(list: DialogInfo[], id: string, item: DialogInfo | null): DialogInfo[] {
  const i = list.findIndex((d) => d.dialogId === id);
  if (item === null) return i < 0 ? list : list.filter((d) => d.dialogId !== id);
  if (i < 0) return [{ ...item, since: item.mtime }, ...list];
  const out = list.slice();
  out[i] = { ...item, since: sinceOf(item, list[i]) };
  return out;
}

/** reread returns a list that was read whole, where each entry keeps what only the list before could tell. */
export function reread(list: DialogInfo[], before: DialogInfo[]): DialogInfo[] {
  const was = new Map(before.map((d) => [d.dialogId, d]));
  return list.map((d) => {
    const old = was.get(d.dialogId);
    const now = { ...d, since: sinceOf(d, old) };
    return old && JSON.stringify(old) === JSON.stringify(now) ? old : now;
  });
}

// When the state of an entry began. While an agent writes, its file's time is that of the last word.
function sinceOf(item: DialogInfo, old: DialogInfo | undefined): string {
  if (old !== undefined && (old.status !== item.status || old.needs !== item.needs)) return item.mtime;
  if (old?.since !== undefined) return old.since;
  return item.status === "active" ? "" : item.mtime;
}

/** needsYou reports whether a dialog waits for a decision or a Continue, and not only for the next message. */
export function needsYou(d: Pick<DialogInfo, "status" | "needs">): boolean {
  return d.status === "waiting" && (d.needs === "approval" || d.needs === "continue");
}

/** needWords returns one line on what a dialog wants, or its last words. */
export function needWords(d: DialogInfo): string {
  if (d.status === "active") return d.words || say.begins;
  if (d.status === "done") return d.words || "";
  if (d.needs === "approval") return d.words || say.asks;
  if (d.needs === "continue") return d.words?.startsWith("stopped") ? d.words : say.stopped;
  return d.words || say.silent;
}

/** statusWord returns the word for a status. */
export function statusWord(d: Pick<DialogInfo, "status" | "needs">): string {
  if (d.status === "active") return say.writing;
  if (d.status === "done") return say.finished;
  return needsYou(d) ? say.needs : say.turn;
}

/** News is a change of a dialog that is announced once. */
export interface News { d: DialogInfo; is: typeof say.needs | typeof say.turn | typeof say.finished }

/**
 * changes lists the dialogs that need a human in after and did not in before, or do so
 * again, and those whose turn ended since. A turn may be so short that no list had it as
 * active: then there are other words, or more of them. A dialog that is new is no news.
 */
export function changes(before: DialogInfo[], after: DialogInfo[]): News[] {
  const was = new Map(before.map((d) => [d.dialogId, d]));
  const out: News[] = [];
  for (const d of after) {
    const old = was.get(d.dialogId);
    if (old === undefined || old === d) continue;
    const short = old.status === "waiting" && d.status === "waiting" && (d.words !== old.words || (d.tokens?.out ?? 0) > (old.tokens?.out ?? 0));
    if (needsYou(d) && (!needsYou(old) || short)) out.push({ d, is: say.needs });
    else if ((old.status === "active" || short) && d.status !== "active" && !needsYou(d)) out.push({ d, is: d.status === "done" ? say.finished : say.turn });
  }
  return out;
}

/** lineage lists the dialogs that led to one, the first of them first. */
export function lineage(all: Map<string, DialogInfo>, id: string): DialogInfo[] {
  const out: DialogInfo[] = [];
  const seen = new Set([id]);
  for (let at = all.get(id)?.from; at && !seen.has(at); at = all.get(at)?.from) {
    seen.add(at);
    const d = all.get(at);
    if (d) out.unshift(d);
  }
  return out;
}

/** familyOf finds a dialog with those that it started. */
export function familyOf(groups: Groups, id: string): Family | null {
  const find = (list: Family[]): Family | null => {
    for (const f of list) {
      const found = f.d.dialogId === id ? f : find(f.children);
      if (found) return found;
    }
    return null;
  };
  return find((Object.values(groups) as Family[][]).flat());
}
