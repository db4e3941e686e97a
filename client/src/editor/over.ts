import type { EditorView } from "@codemirror/view";

/** lay puts an element over the text, so that nothing moves when it comes. It stands beside view.dom, whose box is its own: what is in view.dom can't lie over what the page has at the foot of the text. */
export function lay(view: EditorView, over: HTMLElement): void { view.dom.parentElement!.append(over); }

/** hide hides an element. One that is hidden is left alone, for the browser looks at its style again at each attribute that is set. */
export function hide(over: HTMLElement): void { if (!over.hidden) over.hidden = true; }
