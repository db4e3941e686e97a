import { syntaxTree } from "@codemirror/language";
import { StateField, type EditorState, type Range, type Text } from "@codemirror/state";
import { Decoration, EditorView, keymap, ViewPlugin, WidgetType, type DecorationSet } from "@codemirror/view";
import type { MarkdownConfig } from "@lezer/markdown";
import { ENDS, NOTE, notesOf, type Note } from "../text/footnotes.ts";
import { uncommented } from "../text/uncommented.ts";
import type { Box } from "./notebox.ts";
import { readingField } from "./reading.ts";

const REF = /^\[\^[^\]\s[]{1,60}\]/;

/** footnoteBlocks reads [^1] in a text, and the notes that they lead to. */
export const footnoteBlocks: MarkdownConfig = {
  defineNodes: [{ name: "FootnoteRef" }, { name: "FootnoteNote", block: true }, { name: "FootnoteLabel" }],
  parseInline: [{
    name: "FootnoteRef",
    before: "Link",
    parse(cx, next, pos) {
      const m = next === 91 && cx.char(pos + 1) === 94 ? REF.exec(cx.slice(pos, Math.min(cx.end, pos + 64))) : null;
      return m ? cx.addElement(cx.elt("FootnoteRef", pos, pos + m[0].length)) : -1;
    },
  }],
  parseBlock: [{
    name: "FootnoteNote",
    before: "IndentedCode",
    parse(cx, line) {
      const m = NOTE.exec(line.text);
      if (!m) return false;
      const from = cx.lineStart + m[1]!.length, start = cx.lineStart + m[0].length;
      let text = line.text.slice(m[0].length), to = cx.lineStart + line.text.length;
      while (cx.nextLine()) {
        if (line.text.trim() === "" ? !/^(?: {4}|\t)/.test(cx.peekLine()) : ENDS.test(line.text)) break;
        text += `\n${line.text}`;
        to = cx.lineStart + line.text.length;
      }
      cx.addElement(cx.elt("FootnoteNote", from, to, [cx.elt("FootnoteLabel", from, from + m[2]!.length + 4), ...cx.parser.parseInline(text, start)]));
      return true;
    },
    endLeaf: (_cx, line) => NOTE.test(line.text),
  }],
};

// Long texts are not searched for notes.
const LONGEST = 200_000;
const known = new WeakMap<Text, Note[]>();
function notesIn(doc: Text): Note[] {
  let notes = known.get(doc);
  if (!notes) known.set(doc, (notes = doc.length <= LONGEST ? notesOf(doc.toString()) : []));
  return notes;
}

/** noteOf returns the note that "[^1]" leads to, or undefined. */
export function noteOf(state: EditorState, ref: string): Note | undefined {
  load();
  return notesIn(state.doc).find((n) => `[^${n.label}]` === ref);
}

// Where a position leads: from a number to its note, and from a note's label to its first number; null for neither.
function leads(state: EditorState, pos: number): { at: number; note: Note; ref: boolean } | null {
  for (const side of [1, -1] as const) {
    const n = syntaxTree(state).resolveInner(pos, side);
    const ref = n.name === "FootnoteRef";
    if (!ref && n.name !== "FootnoteLabel") continue;
    const label = state.sliceDoc(n.from, n.to).replace(/:$/, ""), note = noteOf(state, label);
    if (!note) return null;
    const at = ref ? note.from : firstRef(state, label);
    return at < 0 ? null : { at, note, ref };
  }
  return null;
}

function firstRef(state: EditorState, label: string): number {
  let at = -1;
  syntaxTree(state).iterate({ enter: (m) => { if (at < 0 && m.name === "FootnoteRef" && state.sliceDoc(m.from, m.to) === label) at = m.from; } });
  return at;
}

function follow(view: EditorView, pos: number): boolean { return goTo(view, leads(view.state, pos)?.at ?? -1); }

function goTo(view: EditorView, at: number): boolean {
  if (at < 0) return false;
  let to = at;
  view.state.field(atEnd).between(at, at, (_, end, d) => { if (end > at && d.spec.widget === undefined) to = view.state.doc.length; }); // it was moved there
  view.dispatch({ selection: { anchor: to }, effects: EditorView.scrollIntoView(to, { y: "center" }) });
  view.focus();
  return true;
}

// The box of notes, and what draws their words: loaded once a text has some.
let code: typeof import("./notebox.ts") | undefined, arrived: () => void, loading = false;
const loaded = new Promise<void>((ok) => { arrived = ok; });
function load(): void {
  if (loading) return;
  loading = true;
  import("./notebox.ts").then((m) => { code = m; arrived(); }, () => { loading = false; });
}

// Notes of which one does not stand at the end are set there in the reading view.
class AtEnd extends WidgetType {
  constructor(readonly notes: Note[]) { super(); }
  override eq(o: AtEnd): boolean { return o.notes.length === this.notes.length && o.notes.every((n, i) => n.text === this.notes[i]!.text && n.label === this.notes[i]!.label); }
  toDOM(): HTMLElement {
    const box = document.createElement("div");
    box.className = "md-notes";
    box.setAttribute("role", "doc-endnotes");
    for (const n of this.notes) {
      const p = document.createElement("p"), [label, words] = [document.createElement("span"), document.createElement("span")] as const;
      p.className = "md-note";
      p.dir = "auto";
      label.className = "md-ref";
      label.textContent = n.label;
      words.append(uncommented(n.text));
      if (code) words.replaceChildren(...code.drawn(n.text));
      else void loaded.then(() => words.replaceChildren(...code!.drawn(n.text)));
      p.append(label, " ", words);
      box.append(p);
    }
    return box;
  }
  override ignoreEvent(): boolean { return false; }
}

const atEnd = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(set, tr) {
    const on = tr.state.field(readingField, false) === true;
    return on === (tr.startState.field(readingField, false) === true) && !tr.docChanged ? set : on ? moved(tr.state) : Decoration.none;
  },
  provide: (f) => EditorView.decorations.from(f),
});

function moved(state: EditorState): DecorationSet {
  const notes = notesIn(state.doc);
  let end = state.doc.length;
  for (const n of [...notes].reverse()) if (state.sliceDoc(n.to, end).trim() === "") end = n.from;
  if (!notes.some((n) => n.to < end)) return Decoration.none;
  const out: Range<Decoration>[] = notes.map((n) => Decoration.replace({ block: true }).range(n.from, n.to));
  return Decoration.set([...out, Decoration.widget({ widget: new AtEnd(notes), side: 1, block: true }).range(state.doc.length)], true);
}

/** footnotes shows a note in a box where the cursor or the pointer is on its number, and leads there and back by Ctrl click, by Ctrl Enter, and in the reading view by a click. */
export const footnotes = [
  atEnd,
  EditorView.domEventHandlers({
    mousedown(e, view) {
      const on = (e.target as Element).closest?.(".md-ref");
      if (!on || e.button !== 0 || !(e.ctrlKey || e.metaKey || view.state.readOnly)) return false;
      const gone = on.closest(".md-notes") ? goTo(view, firstRef(view.state, `[^${on.textContent}]`)) : follow(view, view.posAtDOM(on));
      if (gone) e.preventDefault();
      return gone;
    },
  }),
  keymap.of([{ key: "Mod-Enter", run: (view) => follow(view, view.state.selection.main.head) }]),
  ViewPlugin.define((view) => {
    let box: Box | undefined, gone = false;
    void loaded.then(() => { if (!gone) box = new code!.Box(view, leads); });
    return { update: (u) => box?.update(u), destroy: () => { gone = true; box?.destroy(); } };
  }),
];
