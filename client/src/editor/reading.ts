import { EditorState, StateEffect, StateField } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { isSuggested } from "./suggested.ts";

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

/** showsMarks reports whether the cursor stands in a range, or a suggestion, so that its marks are shown. */
export function showsMarks(state: EditorState, from: number, to: number): boolean {
  if (isSuggested(state, from, to)) return true;
  if (state.field(readingField, false)) return false;
  return state.selection.ranges.some((r) => r.from <= to && r.to >= from);
}
