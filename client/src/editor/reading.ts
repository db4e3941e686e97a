import { EditorState, Facet, StateEffect, StateField } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import type { Range } from "../text/passage.ts";

export const setReading = StateEffect.define<boolean>();

/** readingField is true in the reading view: the same page, without marks, where nothing is typed. */
export const readingField = StateField.define<boolean>({
  create: () => false,
  update(on, tr) {
    for (const e of tr.effects) if (e.is(setReading)) on = e.value;
    return on;
  },
  provide: (f) => [
    EditorState.readOnly.from(f),
    EditorView.contentAttributes.from(f, (on): Record<string, string> => (on ? { "aria-readonly": "true", class: "md-reading" } : {})),
  ],
});

/** shownMarks are ranges whose marks are shown, wherever the cursor is. */
export const shownMarks = Facet.define<readonly Range[]>();

/** showsMarks reports whether the cursor stands in a range, or a suggestion does, so that its marks are shown. */
export function showsMarks(state: EditorState, from: number, to: number): boolean {
  if (state.facet(shownMarks).some((all) => all.some((r) => r.from <= to && r.to >= from))) return true;
  if (state.field(readingField, false)) return false;
  return state.selection.ranges.some((r) => r.from <= to && r.to >= from);
}
