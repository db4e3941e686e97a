import { signal, type ReadonlySignal, type Signal } from "@preact/signals";
import type { CallChange } from "../types.ts";
import { api } from "./api.ts";
import type { OpenDialog } from "./dialog.ts";

interface Kept { calls: Map<string, Signal<CallChange | null>>; last: Promise<void> }

const kept = new WeakMap<OpenDialog, Kept>();

/** appliedBy reads what a call made of its file, once for as long as its dialog is open, and after those that were asked for before; null until it is known, and where it can't be. */
export function appliedBy(d: OpenDialog, call: string): ReadonlySignal<CallChange | null> {
  const k: Kept = kept.get(d) ?? { calls: new Map(), last: Promise.resolve() };
  kept.set(d, k);
  let made = k.calls.get(call);
  if (made === undefined) {
    const is = made = signal<CallChange | null>(null);
    k.calls.set(call, made);
    k.last = k.last.then(async () => {
      is.value = (await api.changes(d.project, d.id, call).catch(() => [])).find((c) => c.call === call) ?? null;
    });
  }
  return made;
}
