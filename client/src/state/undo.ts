import { computed, type ReadonlySignal } from "@preact/signals";
import type { RefusedFile } from "../types.ts";
import { takenBack, undoings, type Undoing } from "../text/undo.ts";
import { api } from "./api.ts";
import type { OpenDialog } from "./dialog.ts";

const kept = new WeakMap<OpenDialog, ReadonlySignal<Map<string, Undoing>>>();

/** undoingOf returns what can be taken back by an id; undefined where nothing was changed, and before the whole dialog was read. */
export function undoingOf(d: OpenDialog, id: string): Undoing | undefined {
  let all = kept.get(d);
  if (all === undefined) {
    all = computed(() => (d.earlier.value > 0 ? new Map<string, Undoing>() : undoings(d.sections.value)));
    kept.set(d, all);
  }
  return all.value.get(id);
}

const back = new WeakMap<OpenDialog, ReadonlySignal<Set<string>>>();

/** takenBackIn returns the files of which all that a dialog changed is taken back; none before the whole dialog was read. */
export function takenBackIn(d: OpenDialog): Set<string> {
  let all = back.get(d);
  if (all === undefined) {
    all = computed(() => (d.earlier.value > 0 ? new Set<string>() : takenBack(d.sections.value)));
    back.set(d, all);
  }
  return all.value;
}

/** undo takes it back, and returns the files that were left as they are. The Note of it comes by the dialog's stream. */
export async function undo(d: OpenDialog, id: string, turn: boolean): Promise<RefusedFile[]> {
  return (await api.undo(d.project, d.id, turn ? { turn: id } : { id })).refused;
}
