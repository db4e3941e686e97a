import { computed, type ReadonlySignal } from "@preact/signals";
import type { RefusedFile } from "../types.ts";
import { takes, type Takes, type Undoing } from "../text/undo.ts";
import { api } from "./api.ts";
import type { OpenDialog } from "./dialog.ts";

const kept = new WeakMap<OpenDialog, ReadonlySignal<Takes>>();

// What can be taken back, and what is, by one reading of the whole dialog; nothing before all of it is there.
function takesIn(d: OpenDialog): Takes {
  let all = kept.get(d);
  if (all === undefined) {
    all = computed(() => takes(d.earlier.value > 0 ? [] : d.sections.value));
    kept.set(d, all);
  }
  return all.value;
}

/** undoingOf returns what can be taken back by an id; undefined where nothing was changed, and before the whole dialog was read. */
export function undoingOf(d: OpenDialog, id: string): Undoing | undefined { return takesIn(d).undoings.get(id); }

/** takenBackIn returns the files of which all that a dialog changed is taken back; none before the whole dialog was read. */
export function takenBackIn(d: OpenDialog): Set<string> { return takesIn(d).back; }

/** undo takes it back, and returns the files that were left as they are. The Note of it comes by the dialog's stream. */
export async function undo(d: OpenDialog, id: string, turn: boolean): Promise<RefusedFile[]> {
  return (await api.undo(d.project, d.id, turn ? { turn: id } : { id })).refused;
}
