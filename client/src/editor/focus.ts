import { StateEffect, StateField, type Text } from "@codemirror/state";
import { Decoration, EditorView, type DecorationSet } from "@codemirror/view";

export const setFocusing = StateEffect.define<boolean>();

const LIVE = Decoration.line({ class: "md-live" });
const MOST = 400;

/** focusField is on in the focus mode, in which all but the paragraph at the cursor is dim. */
export const focusField = StateField.define<{ on: boolean; lines: DecorationSet }>({
  create: () => ({ on: false, lines: Decoration.none }),
  update(v, tr) {
    const before = v;
    for (const e of tr.effects) if (e.is(setFocusing)) v = { ...v, on: e.value };
    if (!tr.docChanged && !tr.selection && v === before) return v;
    return { on: v.on, lines: v.on ? paragraph(tr.state.doc, tr.state.selection.main.head) : Decoration.none };
  },
  provide: (f) => [
    EditorView.decorations.from(f, (v) => v.lines),
    EditorView.editorAttributes.from(f, (v): Record<string, string> => (v.on ? { class: "md-focusing" } : {})),
  ],
});

function paragraph(doc: Text, head: number): DecorationSet {
  let first = doc.lineAt(head).number, last = first;
  const words = (n: number) => n >= 1 && n <= doc.lines && doc.line(n).text.trim() !== "";
  if (words(first)) {
    while (words(first - 1) && last - first < MOST) first--;
    while (words(last + 1) && last - first < MOST) last++;
  }
  const out = [];
  for (let n = first; n <= last; n++) out.push(LIVE.range(doc.line(n).from));
  return Decoration.set(out);
}
