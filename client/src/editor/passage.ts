import { Prec, StateEffect, StateField, type EditorState } from "@codemirror/state";
import { Decoration, EditorView, keymap, ViewPlugin, type ViewUpdate } from "@codemirror/view";
import type { Selected } from "../state/doc.ts";
import { atLetters, type Range } from "../text/passage.ts";

/** PassageOptions is what passages need from the window. */
export interface PassageOptions {
  /** is told where what is selected ends on the page, and what is asked about; null for nothing */
  onPassage: (selected: Selected | null, asked: Selected | null) => void;
  /** is called by the key for it, where something is selected */
  ask: () => void;
}

const setAsked = StateEffect.define<Range | null>();
const ASKED = Decoration.mark({ class: "md-asked" });

/** askedField is the passage that the human asks about: it moves along with what is written. */
const askedField = StateField.define<Range | null>({
  create: () => null,
  update(now, tr) {
    if (now && tr.docChanged) {
      const from = tr.changes.mapPos(now.from, 1);
      now = { from, to: Math.max(from, tr.changes.mapPos(now.to, -1)) };
    }
    for (const e of tr.effects) if (e.is(setAsked)) now = e.value;
    return now;
  },
  provide: (f) => EditorView.decorations.from(f, (asked) => (asked && asked.to > asked.from ? Decoration.set(ASKED.range(asked.from, asked.to)) : Decoration.none)),
});

/** askAbout marks a passage; null ends that. */
export function askAbout(view: EditorView, passage: Range | null): void { view.dispatch({ effects: setAsked.of(passage) }); }

/** askedIn returns the passage that is marked. */
export function askedIn(state: EditorState): Range | null { return state.field(askedField); }

// So much around a selection tells where its letters begin.
const AROUND = 64;

/** selectedIn returns what is selected, at whole letters; null where that is nothing, or blanks alone. */
export function selectedIn(state: EditorState): Range | null {
  const { from, to } = state.selection.main;
  const base = Math.max(0, from - AROUND), text = state.sliceDoc(base, to + AROUND);
  const at = atLetters(text, { from: from - base, to: to - base });
  return from === to || text.slice(at.from, at.to).trim() === "" ? null : { from: base + at.from, to: base + at.to };
}

/** passages tells what is selected, for what stands at a selection, and lets a key ask about it. */
export function passages(o: PassageOptions) {
  return [
    askedField,
    Prec.high(keymap.of([{
      key: "Mod-i",
      run: (view) => {
        if (selectedIn(view.state) === null) return false;
        o.ask();
        return true;
      },
      preventDefault: true,
    }])),
    ViewPlugin.define((view) => new Watch(view, o)),
  ];
}

class Watch {
  #told = "";
  // True while a pointer is down in the text: what it selects is not known yet.
  #pressed = false;
  readonly #end = new AbortController();

  constructor(private readonly view: EditorView, private readonly o: PassageOptions) {
    const { signal } = this.#end;
    view.scrollDOM.addEventListener("scroll", () => this.#look(), { passive: true, signal });
    view.contentDOM.addEventListener("pointerdown", () => { this.#pressed = true; }, { signal });
    for (const up of ["pointerup", "pointercancel"]) addEventListener(up, () => { this.#pressed = false; this.#look(); }, { signal });
  }

  update(u: ViewUpdate): void {
    if (u.docChanged || u.selectionSet || u.geometryChanged || u.viewportChanged || u.startState.field(askedField) !== u.state.field(askedField)) this.#look();
  }

  #look(): void {
    this.view.requestMeasure({ key: this, read: () => this.#where(), write: ([selected, asked]) => this.#tell(selected, asked) });
  }

  #where(): [Selected | null, Selected | null] {
    const { main } = this.view.state.selection, asked = this.view.state.field(askedField);
    return [main.empty || this.#pressed ? null : this.#placeOf(main.head), asked && this.#placeOf(asked.to)];
  }

  #placeOf(end: number): Selected {
    const { view } = this;
    const at = view.coordsAtPos(end, -1), around = view.scrollDOM.getBoundingClientRect(), box = view.dom.getBoundingClientRect();
    const { top, bottom, left } = at ?? { top: box.top, bottom: box.top, left: box.left };
    return { top: top - box.top, bottom: bottom - box.top, left: left - box.left, width: box.width, height: box.height, shown: at !== null && bottom > around.top && top < around.bottom };
  }

  #tell(selected: Selected | null, asked: Selected | null): void {
    const words = JSON.stringify([selected, asked]);
    if (words === this.#told) return;
    this.#told = words;
    this.o.onPassage(selected, asked);
  }

  destroy(): void {
    this.#end.abort();
    this.o.onPassage(null, null);
  }
}
