import type { Range } from "@codemirror/state";
import { Decoration, EditorView, ViewPlugin, WidgetType, type DecorationSet, type ViewUpdate } from "@codemirror/view";

/** Revealed is a piece of text, or a character that would be invisible. */
export type Revealed = string | { code: string; name: string };

class Chip extends WidgetType {
  constructor(readonly code: string, readonly name: string) { super(); }
  override eq(o: Chip): boolean { return o.code === this.code; }
  toDOM(): HTMLElement {
    const el = document.createElement("span");
    el.className = "hidden-char";
    el.textContent = this.code;
    el.title = this.name;
    el.setAttribute("role", "img");
    el.setAttribute("aria-label", `${this.name} ${this.code}`);
    return el;
  }
}

/** hiddenChars draws the characters that would be invisible. The CR of a line's end is part of its break. */
export function hiddenChars(reveal: (text: string) => Revealed[]) {
  const build = (view: EditorView): DecorationSet => {
    const out: Range<Decoration>[] = [];
    for (const { from, to } of view.visibleRanges) {
      let at = from;
      for (const line of view.state.sliceDoc(from, to).split("\n")) {
        let pos = at;
        for (const p of reveal(line.endsWith("\r") ? line.slice(0, -1) : line)) {
          const length = typeof p === "string" ? p.length : p.code.length > 6 ? 2 : 1;
          if (typeof p !== "string") out.push(Decoration.replace({ widget: new Chip(p.code, p.name) }).range(pos, pos + length));
          pos += length;
        }
        at += line.length + 1;
      }
    }
    return Decoration.set(out);
  };
  return ViewPlugin.fromClass(
    class {
      decorations: DecorationSet;
      constructor(view: EditorView) { this.decorations = build(view); }
      update(u: ViewUpdate): void { if (u.docChanged || u.viewportChanged) this.decorations = build(u.view); }
    },
    { decorations: (v) => v.decorations },
  );
}
