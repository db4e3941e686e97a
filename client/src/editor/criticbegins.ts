import type { ChangeSet, Text } from "@codemirror/state";
import { mayMark } from "../text/criticbegins.ts";

// So many characters around a change may make a sign with it.
const NEAR = 3;

/** beginsIn reports whether changes that led to a text brought what begins a mark. */
export function beginsIn(changes: ChangeSet, doc: Text): boolean {
  let found = false;
  changes.iterChangedRanges((_a, _b, from, to) => { found ||= mayMark(doc.sliceString(Math.max(0, from - NEAR), to + NEAR)); });
  return found;
}
