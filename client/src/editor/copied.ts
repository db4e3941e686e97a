import { EditorView } from "@codemirror/view";
import { standing } from "../text/criticacts.ts";
import { wholeAt } from "../text/seen.ts";
import { formed } from "./formed.ts";
import { WRITTEN } from "./paste.ts";
import { unseen } from "./reading.ts";

/**
 * copyFormed copies what is selected as it stands, without comments and as before suggestions:
 * as text, and with its form for a program that takes one. A doc into which it is pasted gets
 * it as it is written.
 */
export const copyFormed = EditorView.domEventHandlers({
  copy(e, view) {
    const { doc, selection: { main, ranges } } = view.state;
    if (e.clipboardData === null || main.empty || ranges.length > 1) return false; // the editor's own copy
    const all = view.state.facet(unseen).flatMap((f) => f(view.state, main.from, main.to));
    const range = wholeAt(all)(main), text = standing(doc.toString(), range);
    e.clipboardData.setData("text/plain", text);
    e.clipboardData.setData("text/html", formed(text));
    e.clipboardData.setData(WRITTEN, doc.sliceString(range.from, range.to));
    e.preventDefault();
    return true;
  },
});
