import { ChangeSet, StateEffect, StateField, type EditorState, type Range } from "@codemirror/state";
import { Decoration, EditorView, type DecorationSet } from "@codemirror/view";

// Told is what another writer changed last in the text: where, and how it is taken back.
interface Told {
  inverse: ChangeSet;
  marks: DecorationSet;
  shown: boolean;
}

const MARK = Decoration.mark({ class: "md-theirs" });
const GONE = Decoration.line({ class: "md-theirs-gone" });

const tell = StateEffect.define<{ changes: ChangeSet; inverse: ChangeSet } | null>();
const show = StateEffect.define<null>();

// toldField keeps the last change of another writer, moved along with what is typed since. It ends where some of that is taken out or replaced: the rest would be put where it never stood.
const toldField = StateField.define<Told | null>({
  create: () => null,
  update(told, tr) {
    if (told && tr.docChanged) told = meets(tr.changes, told.inverse) ? null : { ...told, inverse: told.inverse.map(tr.changes), marks: told.marks.map(tr.changes) };
    for (const e of tr.effects) {
      if (e.is(tell)) told = e.value && { inverse: e.value.inverse, marks: marksOf(tr.state, e.value.changes), shown: false };
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

function marksOf(state: EditorState, changes: ChangeSet): DecorationSet {
  const out: Range<Decoration>[] = [];
  changes.iterChanges((_a, _b, from, to) => {
    if (to > from) out.push(MARK.range(from, to));
    else out.push(GONE.range(state.doc.lineAt(from).from));
  });
  return Decoration.set(out, true);
}

/** listen makes a view ready for the first change of another writer. */
export function listen(view: EditorView): void {
  if (view.state.field(toldField, false) === undefined) view.dispatch({ effects: StateEffect.appendConfig.of(toldField) });
}

/** told is the effect of a transaction that makes changes of another writer. */
export function told(state: EditorState, changes: ChangeSet): StateEffect<unknown> { return tell.of({ changes, inverse: changes.invert(state.doc) }); }

/** forget is the effect that ends it. */
export const forget = tell.of(null);

/** hasTold reports whether what another writer changed last still stands as it was written. */
export function hasTold(state: EditorState): boolean { return state.field(toldField) !== null; }

/** showTold marks what another writer changed and brings its beginning into view. */
export function showTold(view: EditorView): void {
  const told = view.state.field(toldField);
  if (!told) return;
  const at = told.marks.iter();
  view.dispatch({ effects: [show.of(null), ...(at.value ? [EditorView.scrollIntoView(at.from, { y: "center" })] : [])] });
}

/** undoTold takes back what another writer changed, as an edit of the human's. */
export function undoTold(view: EditorView): void {
  const told = view.state.field(toldField);
  if (told) view.dispatch({ changes: told.inverse, effects: forget, userEvent: "undo.theirs", scrollIntoView: true });
}
