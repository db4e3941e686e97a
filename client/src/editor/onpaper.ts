import { forceParsing } from "@codemirror/language";
import type { EditorView } from "@codemirror/view";

// What CodeMirror has for paper. It uses it only once the media has changed: a browser has counted the pages by then.
interface Drawn { viewState: { printing: boolean }; measure(): void }

const MOST = 5000; // ms to read a long text to its end

/** setOnPaper draws the whole text, read to its end, before it returns, or only what is in view again. */
export function setOnPaper(view: EditorView, on: boolean): void {
  if (on) forceParsing(view, view.state.doc.length, MOST);
  const drawn = view as unknown as Drawn;
  drawn.viewState.printing = on;
  drawn.measure();
}
