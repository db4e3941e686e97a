import { isolateHistory } from "@codemirror/commands";
import { ChangeSet, StateEffect, StateField, Text, Transaction, type EditorState, type TransactionSpec } from "@codemirror/state";

/** Mine is what the human changed in the version of the file that was read or saved last. */
export interface Mine {
  base: Text;
  /** from base to the text */
  changes: ChangeSet;
  /** what was sent to be written, the last one last, while it is not known whether it was */
  sent: readonly Sent[];
}

/** Sent is a text that may be on disk although nothing was heard of it. */
export interface Sent {
  doc: Text;
  /** from base to doc, and from there to the text */
  before: ChangeSet;
  since: ChangeSet;
}

// How many of them are kept: one is enough but where saves fail again and again.
const SENT = 8;

const setMine = StateEffect.define<Mine>();

/** mineField follows each change, so that no text is compared to know what is unsaved. */
export const mineField = StateField.define<Mine>({
  create: (state) => clean(state.doc),
  update(m, tr) {
    if (tr.docChanged) m = { ...m, changes: m.changes.compose(tr.changes), sent: m.sent.map((s) => ({ ...s, since: s.since.compose(tr.changes) })) };
    for (const e of tr.effects) if (e.is(setMine)) m = e.value;
    return m;
  },
});

function clean(doc: Text): Mine { return { base: doc, changes: ChangeSet.empty(doc.length), sent: [] }; }

/** isDirty reports whether the text differs from the file. */
export function isDirty(state: EditorState): boolean {
  const { base, changes } = state.field(mineField);
  return !changes.empty && !state.doc.eq(base);
}

/** kept returns what the human changed as JSON, which begin reads. */
export function kept(m: Mine): unknown {
  return m.sent.length === 0 ? m.changes.toJSON() : { changes: m.changes.toJSON(), sent: m.sent.map((s) => [s.before.toJSON(), s.since.toJSON()]) };
}

/** begin returns the text that a draft's changes make of its base, and what the field begins with. Changes that do not fit are dropped. */
export function begin(base: Text, json: unknown): { doc: Text; init: Mine } {
  try {
    const { changes: told, sent } = (Array.isArray(json) ? { changes: json, sent: [] } : json ?? { changes: [base.length], sent: [] }) as { changes: unknown; sent: [unknown, unknown][] };
    const changes = ChangeSet.fromJSON(told);
    const init: Mine = { base, changes, sent: sent.map(([b, s]) => sentOf(base, ChangeSet.fromJSON(b), ChangeSet.fromJSON(s))) };
    return { doc: changes.apply(base), init };
  } catch {
    return { doc: base, init: clean(base) };
  }
}

function sentOf(base: Text, before: ChangeSet, since: ChangeSet): Sent { return { doc: before.apply(base), before, since }; }

/** begun puts the text of `begin` into an empty editor. */
export function begun(doc: Text, init: Mine, selection: { anchor: number }): TransactionSpec {
  return { changes: { from: 0, insert: doc }, selection, effects: setMine.of(init), annotations: Transaction.addToHistory.of(false) };
}

/** saving marks the text as it is as on its way to the disk. */
export function saving(state: EditorState): TransactionSpec {
  const m = state.field(mineField);
  const now: Sent = { doc: state.doc, before: m.changes, since: ChangeSet.empty(state.doc.length) };
  return { effects: setMine.of({ ...m, sent: [...m.sent, now].slice(-SENT) }) };
}

/** saved makes the text that was sent last the base. */
export function saved(state: EditorState): TransactionSpec {
  const last = state.field(mineField).sent.at(-1);
  return last ? { effects: setMine.of({ base: last.doc, changes: last.since, sent: [] }) } : reverted(state);
}

/** reverted says that the text is the file's. */
export function reverted(state: EditorState): TransactionSpec { return { effects: setMine.of(clean(state.doc)) }; }

/** rebased puts another version below the human's changes; it is no edit of theirs, so undo never takes it back. */
export function rebased(changes: ChangeSet, base: Text, mine: ChangeSet, effects: StateEffect<unknown>[]): TransactionSpec {
  return { changes, effects: [setMine.of({ base, changes: mine, sent: [] }), ...effects], annotations: Transaction.addToHistory.of(false) };
}

/** chosen makes of the human's changes what they chose, as an edit that undo takes back by itself. */
export function chosen(changes: ChangeSet, base: Text, mine: ChangeSet): TransactionSpec {
  return { ...rebased(changes, base, mine, []), annotations: isolateHistory.of("full") };
}
