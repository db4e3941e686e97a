import { ChangeSet, StateEffect, StateField, type EditorState, type Range, type Text } from "@codemirror/state";
import { Decoration, EditorView, type DecorationSet } from "@codemirror/view";
import type { Lines } from "../text/versions.ts";
import { linesOf } from "./rebase.ts";

// Told is what others changed in the text since it is told of: where, and how it is taken back.
interface Told {
  inverse: ChangeSet;
  marks: DecorationSet;
  shown: boolean;
}

const MARK = Decoration.mark({ class: "md-theirs" });
const GONE = Decoration.line({ class: "md-theirs-gone" });

const tell = StateEffect.define<ChangeSet | null>();
const show = StateEffect.define<null>();

// toldField keeps the changes of other writers, moved along with what is typed since. It ends where the human takes some of that out or replaces it: the rest would be put where it never stood.
const toldField = StateField.define<Told | null>({
  create: () => null,
  update(was, tr) {
    let told = was;
    if (told && tr.docChanged) told = meets(tr.changes, told.inverse) ? null : { ...told, inverse: told.inverse.map(tr.changes), marks: told.marks.map(tr.changes) };
    for (const e of tr.effects) {
      if (e.is(tell)) told = e.value && of(was === null ? e.value : e.value.compose(was.inverse), tr.newDoc, was?.shown ?? false);
      else if (e.is(show) && told) told = { ...told, shown: true };
    }
    return told;
  },
  provide: (f) => EditorView.decorations.from(f, (t) => (t?.shown ? t.marks : Decoration.none)),
});

// Reports whether a change removes text where another would change some.
function meets(changes: ChangeSet, other: ChangeSet): boolean {
  let met = false;
  changes.iterChangedRanges((from, to) => { met ||= to > from && other.touchesRange(from, to) !== false; }, true);
  return met;
}

function of(inverse: ChangeSet, doc: Text, shown: boolean): Told {
  const out: Range<Decoration>[] = [];
  inverse.iterChanges((from, to) => out.push(to > from ? MARK.range(from, to) : GONE.range(doc.lineAt(from).from)));
  return { inverse, marks: Decoration.set(out, true), shown };
}

/** listen makes a view ready for the first change of another writer. */
export function listen(view: EditorView): void {
  if (view.state.field(toldField, false) === undefined) view.dispatch({ effects: StateEffect.appendConfig.of(toldField) });
}

/** told is the effect of a transaction that makes changes of another writer. What is told of already is told of with them. */
export function told(state: EditorState, changes: ChangeSet): StateEffect<unknown> { return tell.of(changes.invert(state.doc)); }

/** forget is the effect that ends it. */
export const forget = tell.of(null);

/** hasTold reports whether what others changed still stands as it was written. */
export function hasTold(state: EditorState): boolean { return state.field(toldField) !== null; }

/** toldLines counts what others changed, all together. */
export function toldLines(state: EditorState): Lines {
  const inverse = state.field(toldField)?.inverse ?? ChangeSet.empty(state.doc.length);
  return linesOf(inverse.apply(state.doc), inverse.invert(state.doc));
}

/** showTold marks what others changed and brings its beginning into view. */
export function showTold(view: EditorView): void {
  const told = view.state.field(toldField);
  if (!told) return;
  const at = told.marks.iter();
  view.dispatch({ effects: [show.of(null), ...(at.value ? [EditorView.scrollIntoView(at.from, { y: "center" })] : [])] });
}

/** undoTold takes back what others changed, as an edit of the human's. */
export function undoTold(view: EditorView): void {
  const told = view.state.field(toldField);
  if (told) view.dispatch({ changes: told.inverse, effects: forget, userEvent: "undo.theirs", scrollIntoView: true });
}
