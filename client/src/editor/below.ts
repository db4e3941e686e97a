import { EditorView, WidgetType } from "@codemirror/view";
import { SHOWN } from "../text/passage.ts";

const sized = new WeakMap<HTMLElement, ResizeObserver>();

/** Below is an element of the window that stands below a line of the text. The element stays the same where the editor draws the line anew. */
export class Below extends WidgetType {
  constructor(readonly host: HTMLElement) { super(); }
  override eq(o: Below): boolean { return o.host === this.host; }
  toDOM(view: EditorView): HTMLElement {
    const box = document.createElement("div");
    box.className = "md-below";
    box.append(this.host);
    const seen = new ResizeObserver(() => view.requestMeasure());
    seen.observe(box);
    sized.set(box, seen);
    queueMicrotask(() => this.host.dispatchEvent(new Event(SHOWN)));
    return box;
  }
  override destroy(box: HTMLElement): void { sized.get(box)?.disconnect(); }
  override get estimatedHeight(): number { return this.host.offsetHeight || 60; }
  override ignoreEvent(): boolean { return true; }
}
