import { type EditorSelection, EditorState, Facet, StateEffect, StateField, type SelectionRange } from "@codemirror/state";
import { EditorView, ViewPlugin } from "@codemirror/view";
import type { Range } from "../text/passage.ts";
import type { Hidden } from "../text/seen.ts";

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

const setPressed = StateEffect.define<EditorSelection | null>();

// What was selected when a button of the mouse went down, while it is down.
const pressedField = StateField.define<EditorSelection | null>({
  create: () => null,
  update(was, tr) {
    for (const e of tr.effects) if (e.is(setPressed)) return e.value;
    return was && tr.docChanged ? was.map(tr.changes) : was;
  },
});

/** marksUnfold lets hidden marks unfold once the button of the mouse is up, so that nothing moves under a hand that selects. */
export const marksUnfold = [pressedField, ViewPlugin.define((view) => {
  const up = () => { if (view.state.field(pressedField)) view.dispatch({ effects: setPressed.of(null), selection: view.state.selection }); };
  const ends = ["mouseup", "dragend"];
  for (const e of ends) addEventListener(e, up);
  return { destroy: () => { for (const e of ends) removeEventListener(e, up); } };
}, { eventHandlers: { mousedown: (e, view) => { if (e.button === 0) view.dispatch({ effects: setPressed.of(view.state.selection) }); } } })];

/** unfoldedAt are the places whose marks are shown. */
export const unfoldedAt = (state: EditorState): readonly SelectionRange[] => (state.field(pressedField, false) ?? state.selection).ranges;

/** shownMarks are ranges whose marks are shown, wherever the cursor is. */
export const shownMarks = Facet.define<readonly Range[]>();

/** showsMarks reports whether the cursor stands in a range, or a suggestion does, so that its marks are shown. */
export function showsMarks(state: EditorState, from: number, to: number): boolean {
  if (state.facet(shownMarks).some((all) => all.some((r) => r.from <= to && r.to >= from))) return true;
  if (state.field(readingField, false)) return false;
  return unfoldedAt(state).some((r) => r.from <= to && r.to >= from);
}

/** unseen are what lists the pieces of a stretch of the text that are hidden away from the cursor. */
export const unseen = Facet.define<(state: EditorState, from: number, to: number) => Hidden[]>();
