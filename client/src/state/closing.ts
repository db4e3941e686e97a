import { signal } from "@preact/signals";
import type { Call } from "../types.ts";
import { callKey } from "../text/callkey.ts";
import { api } from "./api.ts";

/** Close is a dialog that a human finishes. */
export interface Close {
  project: string;
  id: string;
  /** how people call it */
  name: string;
  /** what carries it out */
  act: () => Promise<void>;
}

interface Asked extends Close {
  calls: Call[];
  /** true where the calls are others than those that were named before */
  changed: boolean;
}

/** The dialog of which it is asked whether to finish it, with the calls that this would deny. */
export const asked = signal<Asked | null>(null);

/** closeDialog finishes a dialog. Where questions are open, which that would deny, it asks first and names them. */
export async function closeDialog(c: Close): Promise<void> {
  const calls = await pendingOf(c);
  if (calls.length === 0) return c.act();
  asked.value = { ...c, calls, changed: false };
}

/** sameCalls reports whether calls are those that were named. */
export function sameCalls(now: Call[], named: Call[]): boolean { return now.map(callKey).join() === named.map(callKey).join(); }

/** pendingOf reads the calls that finishing or deleting a dialog would deny. */
export async function pendingOf(c: Pick<Close, "project" | "id">): Promise<Call[]> { return (await api.dialogHead(c.project, c.id)).pending ?? []; }
