import { computed, type ReadonlySignal } from "@preact/signals";
import type { RefusedFile } from "../types.ts";
import { inheritedIn, takes, type Takes, type Undoing } from "../text/undo.ts";
import { api } from "./api.ts";
import type { OpenDialog } from "./dialog.ts";
import { byId } from "./project.ts";

const kept = new WeakMap<OpenDialog, ReadonlySignal<Takes>>();

// What can be taken back, and what is, by one reading of the whole dialog; nothing before all of it is there.
function takesIn(d: OpenDialog): Takes {
  let all = kept.get(d);
  if (all === undefined) {
    all = computed(() => {
      const sections = d.earlier.value > 0 ? [] : d.sections.value;
      const fork = byId.value.get(d.id)?.fork;
      return takes(sections, fork ? inheritedIn(sections, fork.at) : 0);
    });
    kept.set(d, all);
  }
  return all.value;
}

/** undoingOf returns what can be taken back by an id; undefined where nothing was changed, and before the whole dialog was read. */
export function undoingOf(d: OpenDialog, id: string): Undoing | undefined { return takesIn(d).undoings.get(id); }

/** takenBackIn returns the files of which all that a dialog changed is taken back; none before the whole dialog was read. */
export function takenBackIn(d: OpenDialog): Set<string> { return takesIn(d).back; }

/** changedIn returns how many files the calls behind a message changed, without those that are taken back; 0 before the whole dialog was read. */
export function changedIn(d: OpenDialog, turn: string): number { return takesIn(d).changed.get(turn) ?? 0; }

/** undo takes it back, and returns the files that were left as they are. The Note of it comes by the dialog's stream. */
export async function undo(d: OpenDialog, id: string, turn: boolean): Promise<RefusedFile[]> {
  return (await api.undo(d.project, d.id, turn ? { turn: id } : { id })).refused;
}
