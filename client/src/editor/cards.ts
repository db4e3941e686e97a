import { EditorSelection, EditorState, RangeSetBuilder, StateEffect, StateField, type Text, type Transaction } from "@codemirror/state";
import { Decoration, EditorView, WidgetType, type DecorationSet } from "@codemirror/view";
import { frontMatter } from "./schwa.ts";

/** CardOptions is what cards need from the window. */
export interface CardOptions {
  /** cardWords names a folded block by its type, "" for front matter */
  cardWords: (type: string, lines: number) => string;
  foldWords: string;
}

interface Block { from: number; to: number; type: string; open: boolean }

const setOpen = StateEffect.define<{ from: number; open: boolean }>();

class Card extends WidgetType {
  constructor(readonly words: string, readonly from: number) { super(); }
  override eq(o: Card): boolean { return o.words === this.words && o.from === this.from; }
  toDOM(view: EditorView): HTMLElement {
    const box = document.createElement("div");
    box.className = "md-card";
    const el = document.createElement("button");
    el.textContent = this.words;
    el.setAttribute("aria-expanded", "false");
    el.onmousedown = (e) => e.preventDefault();
    el.onclick = () => {
      const inside = Math.min(view.state.doc.lineAt(this.from).to + 1, view.state.doc.length);
      view.dispatch({ effects: setOpen.of({ from: this.from, open: true }), selection: EditorSelection.cursor(inside) });
      view.focus();
    };
    box.append(el);
    return box;
  }
  override get estimatedHeight(): number { return 48; }
  override ignoreEvent(): boolean { return true; }
}

class Fold extends WidgetType {
  constructor(readonly words: string, readonly from: number, readonly to: number) { super(); }
  override eq(o: Fold): boolean { return o.from === this.from && o.to === this.to; }
  toDOM(view: EditorView): HTMLElement {
    const el = document.createElement("button");
    el.className = "md-fold";
    el.textContent = this.words;
    el.setAttribute("aria-expanded", "true");
    el.onmousedown = (e) => e.preventDefault();
    el.onclick = () => {
      const after = this.to < view.state.doc.length ? this.to + 1 : Math.max(0, this.from - 1);
      view.dispatch({ selection: EditorSelection.cursor(after), effects: setOpen.of({ from: this.from, open: false }) });
    };
    return el;
  }
  override ignoreEvent(): boolean { return true; }
}

/** cards folds blocks of schwas and front matter. A block opens at a click, or when the cursor comes into it, and stays open until it is folded. */
export function cards(o: CardOptions) {
  return StateField.define<Block[]>({
    create: (state) => entered(scan(state.doc, []), state),
    update(blocks, tr) {
      const before = blocks;
      if (tr.docChanged) {
        blocks = blocks.map((b) => ({ ...b, from: tr.changes.mapPos(b.from, 1), to: tr.changes.mapPos(b.to, -1) }));
        if (touchesFence(tr)) blocks = scan(tr.state.doc, blocks);
      }
      for (const e of tr.effects) if (e.is(setOpen)) blocks = blocks.map((b) => (b.from === e.value.from ? { ...b, open: e.value.open } : b));
      return tr.docChanged || tr.selection || blocks !== before ? entered(blocks, tr.state) : blocks;
    },
    provide: (f) => EditorView.decorations.from(f, (blocks) => draw(blocks, o)),
  });
}

function entered(blocks: Block[], state: EditorState): Block[] {
  const inside = (b: Block) => state.selection.ranges.some((r) => r.from <= b.to && r.to >= b.from);
  return blocks.some((b) => !b.open && inside(b)) ? blocks.map((b) => (inside(b) ? { ...b, open: true } : b)) : blocks;
}

function draw(blocks: Block[], o: CardOptions): DecorationSet {
  const out = new RangeSetBuilder<Decoration>();
  for (const b of blocks) {
    if (b.open) out.add(b.from, b.from, Decoration.widget({ widget: new Fold(o.foldWords, b.from, b.to), side: 1 }));
    else out.add(b.from, b.to, Decoration.replace({ widget: new Card(o.cardWords(b.type, 0), b.from), block: true }));
  }
  return out.finish();
}

// A fence is a line of its own; a text is searched anew only where one came, went or changed.
const FENCE = /^(əəə|---)/;
function touchesFence(tr: Transaction): boolean {
  let found = false;
  const look = (doc: Text, from: number, to: number) => {
    for (let at = from; !found && at <= to;) {
      const line = doc.lineAt(at);
      found = FENCE.test(line.text);
      at = line.to + 1;
    }
  };
  tr.changes.iterChangedRanges((fromA, toA, fromB, toB) => {
    look(tr.startState.doc, fromA, toA);
    look(tr.state.doc, fromB, toB);
  });
  return found;
}

function scan(doc: Text, before: Block[]): Block[] {
  const out: Block[] = [];
  const add = (from: number, to: number, type: string) => out.push({ from, to, type, open: before.find((b) => b.from === from)?.open ?? false });
  let at = 0, from = -1, type = "";
  const front = frontMatter(doc.sliceString(0, 8000));
  if (front > 0) add(0, doc.lineAt(front - 1).to === front ? front : front - 1, "");
  for (const line of doc.iterLines()) {
    if (from < 0 && at >= front && line.startsWith("əəə") && line.length > 3 && line[3] !== "ə" && line.trim().length > 3) {
      from = at;
      type = line.slice(3).trim();
    } else if (from >= 0 && line.trimEnd() === "əəə") {
      add(from, at + line.length, type);
      from = -1;
    }
    at += line.length + 1;
  }
  return out;
}
