import { syntaxTree } from "@codemirror/language";
import { StateEffect, type Range } from "@codemirror/state";
import { Decoration, EditorView, ViewPlugin, type DecorationSet, type ViewUpdate } from "@codemirror/view";
import type { Piece } from "./highlight.ts";

const LONGEST = 64 << 10;
const KEPT = 50;

const coloured = StateEffect.define<null>();
const pause = () => new Promise<void>((done) => setTimeout(done));
const marks = new Map<string, Decoration>();
const mark = (cls: string) => marks.get(cls) ?? marks.set(cls, Decoration.mark({ class: cls })).get(cls)!;

/** codeColours colours the blocks of code in view with the reader that dialogs use; a block keeps its colours until the new ones have come. */
export const codeColours = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet = Decoration.none;
    // Blocks by language and text; null where the language is not known.
    #known = new Map<string, Piece[] | null>();
    #timer: ReturnType<typeof setTimeout> | undefined;
    #gone = false;

    constructor(view: EditorView) { this.#build(view); }

    update(u: ViewUpdate): void {
      if (u.docChanged) this.decorations = this.decorations.map(u.changes);
      const read = u.transactions.some((t) => t.effects.some((e) => e.is(coloured)));
      if (read || u.docChanged || u.viewportChanged || syntaxTree(u.startState) !== syntaxTree(u.state)) this.#build(u.view);
    }

    #build(view: EditorView): void {
      const out: Range<Decoration>[] = [];
      const unknown: { key: string; name: string; code: string }[] = [];
      const { state } = view;
      for (const { from, to } of view.visibleRanges) {
        syntaxTree(state).iterate({
          from, to,
          enter: (n) => {
            if (n.name !== "FencedCode") return;
            const info = n.node.getChild("CodeInfo"), texts = n.node.getChildren("CodeText");
            const text = texts.length === 1 ? texts[0]! : null; // in a quote each line is a text of its own
            if (!info || !text || text.to - text.from > LONGEST) return;
            const name = state.sliceDoc(info.from, info.to).split(/[\s,{]/)[0]!;
            const code = state.sliceDoc(text.from, text.to), key = `${name}\n${code}`;
            const pieces = this.#known.get(key);
            if (pieces === undefined) {
              unknown.push({ key, name, code });
              this.decorations.between(text.from, text.to, (f, e, d) => { if (e <= text.to && !out.some((r) => r.from === f)) out.push(d.range(f, e)); });
            }
            let at = text.from;
            for (const p of pieces ?? []) {
              if (p.class !== "") out.push(mark(p.class).range(at, at + p.text.length));
              at += p.text.length;
            }
          },
        });
      }
      this.decorations = Decoration.set(out, true);
      clearTimeout(this.#timer);
      if (unknown.length > 0) this.#timer = setTimeout(() => void this.#read(view, unknown), 150);
    }

    async #read(view: EditorView, blocks: { key: string; name: string; code: string }[]): Promise<void> {
      const { highlight } = await import("./highlight.ts");
      for (const b of blocks) {
        if (this.#gone) return;
        this.#known.set(b.key, await highlight(b.code, b.name, pause).catch(() => null));
      }
      while (this.#known.size > KEPT + blocks.length) this.#known.delete(this.#known.keys().next().value!);
      if (!this.#gone) view.dispatch({ effects: coloured.of(null) });
    }

    destroy(): void {
      this.#gone = true;
      clearTimeout(this.#timer);
    }
  },
  { decorations: (v) => v.decorations },
);
