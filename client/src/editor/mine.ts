import { ChangeSet, StateEffect, StateField, Text, Transaction, type EditorState, type TransactionSpec } from "@codemirror/state";

/** Mine is what the human changed in the version of the file that was read or saved last. */
export interface Mine {
  base: Text;
  /** from base to the text */
  changes: ChangeSet;
  /** a version on its way to the disk, and the changes since */
  sent: { doc: Text; since: ChangeSet } | null;
}

const setMine = StateEffect.define<Mine>();

/** mineField follows each change, so that no text is compared to know what is unsaved. */
export const mineField = StateField.define<Mine>({
  create: (state) => clean(state.doc),
  update(m, tr) {
    if (tr.docChanged) m = { ...m, changes: m.changes.compose(tr.changes), sent: m.sent && { doc: m.sent.doc, since: m.sent.since.compose(tr.changes) } };
    for (const e of tr.effects) if (e.is(setMine)) m = e.value;
    return m;
  },
});

function clean(doc: Text): Mine { return { base: doc, changes: ChangeSet.empty(doc.length), sent: null }; }

/** isDirty reports whether the text differs from the file. */
export function isDirty(state: EditorState): boolean {
  const { base, changes } = state.field(mineField);
  return !changes.empty && !state.doc.eq(base);
}

/** begin returns the text that a draft's changes make of its base, and what the field begins with. Changes that do not fit are dropped. */
export function begin(base: Text, json: unknown): { doc: Text; init: Mine } {
  try {
    const changes = ChangeSet.fromJSON(json ?? [base.length]);
    return { doc: changes.apply(base), init: { base, changes, sent: null } };
  } catch {
    return { doc: base, init: clean(base) };
  }
}

/** begun puts the text of `begin` into an empty editor. */
export function begun(doc: Text, init: Mine, selection: { anchor: number }): TransactionSpec {
  return { changes: { from: 0, insert: doc }, selection, effects: setMine.of(init), annotations: Transaction.addToHistory.of(false) };
}

/** saving marks the text as it is as on its way to the disk. */
export function saving(state: EditorState): TransactionSpec {
  const m = state.field(mineField);
  return { effects: setMine.of({ ...m, sent: { doc: state.doc, since: ChangeSet.empty(state.doc.length) } }) };
}

/** saved makes the text that was on its way the base. */
export function saved(state: EditorState): TransactionSpec {
  const { sent } = state.field(mineField);
  return { effects: setMine.of(sent ? { base: sent.doc, changes: sent.since, sent: null } : clean(state.doc)) };
}

/** rebased puts another version below the human's changes; it is no edit of theirs, so undo never takes it back. */
export function rebased(changes: ChangeSet, base: Text, mine: ChangeSet, effects: StateEffect<unknown>[]): TransactionSpec {
  return { changes, effects: [setMine.of({ base, changes: mine, sent: null }), ...effects], annotations: Transaction.addToHistory.of(false) };
}
