import { highlightSelectionMatches, openSearchPanel, search, searchKeymap } from "@codemirror/search";
import { StateEffect } from "@codemirror/state";
import { keymap, type EditorView } from "@codemirror/view";

const added = new WeakSet<EditorView>();

/** openFind adds the search panel to an editor, once, and opens it. */
export function openFind(view: EditorView): void {
  if (!added.has(view)) view.dispatch({ effects: StateEffect.appendConfig.of([search({ top: true }), highlightSelectionMatches(), keymap.of(searchKeymap)]) });
  added.add(view);
  openSearchPanel(view);
}
