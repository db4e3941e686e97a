import type { DialogInfo } from "../types.ts";
import { needsYou, type GroupName } from "./group.ts";
import { money } from "./strings.ts";

/** A dialog on the board. */
export interface Tile {
  project: string;
  d: DialogInfo;
}

export type Board = Record<GroupName, Tile[]>;

/** boardOf puts the dialogs of some projects on the board: those that wait first, the newest first; active ones by their age. */
export function boardOf(lists: { project: string; dialogs: DialogInfo[] }[]): Board {
  const out: Board = { needs: [], reply: [], writing: [], finished: [] };
  for (const { project, dialogs } of lists) for (const d of dialogs) out[groupOf(d)].push({ project, d });
  for (const name of ["needs", "reply", "finished"] as const) out[name].sort((a, b) => order(b.d.mtime, a.d.mtime) || order(b.d.dialogId, a.d.dialogId));
  out.writing.sort((a, b) => order(b.d.dialogId, a.d.dialogId) || order(a.project, b.project));
  return out;
}

function groupOf(d: DialogInfo): GroupName {
  if (needsYou(d)) return "needs";
  return d.status === "active" ? "writing" : d.status === "waiting" ? "reply" : "finished";
}

function order(a: string, b: string): number { return a < b ? -1 : a > b ? 1 : 0; }

/** costWords tells a cost in dollars. */
export function costWords(usd: number): string { return usd > 0 && usd < 0.01 ? money.under("$0.01") : `$${usd.toFixed(2)}`; }

/** sparkPoints are the points of a line through what each of the last answers wrote, in a box of 1 by 1 with its zero at the bottom. */
export function sparkPoints(wrote: number[]): [x: number, y: number][] {
  const most = Math.max(...wrote, 1);
  return wrote.map((n, i) => [i / (wrote.length - 1), 1 - n / most]);
}
