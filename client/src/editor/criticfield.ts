import { StateEffect, StateField, type EditorState, type Transaction } from "@codemirror/state";
import { marksIn, notesIn, type Mark, type Note, type Range } from "../text/critic.ts";
import { mayMark } from "../text/criticbegins.ts";
import { beginsIn } from "./criticbegins.ts";

/** Critic is the CriticMarkup of the text; notes are its comments, in their order. */
export interface Critic {
  /** the text has what begins a mark, which may become one */
  may: boolean;
  marks: readonly Mark[];
  notes: readonly Note[];
  /** another value where the words in marks may be others than before, and not only elsewhere */
  words: object;
}

const NONE: Critic = { may: false, marks: [], notes: [], words: {} };

/** criticField reads the marks of the text, anew only where what is written can make one or end one. */
export const criticField = StateField.define<Critic>({
  create: (state) => read(state),
  update(now, tr) {
    if (!tr.docChanged || (!now.may && !beginsIn(tr.changes, tr.newDoc))) return now;
    return changesSome(tr, now) ? read(tr.state) : moved(now, tr);
  },
});

function read(state: EditorState): Critic {
  const text = state.doc.toString();
  if (!mayMark(text)) return NONE;
  const marks = marksIn(text);
  return { may: true, marks, notes: notesIn(text, marks), words: {} };
}

function moved(now: Critic, tr: Transaction): Critic {
  const at = (r: Range, out: 1 | -1) => ({ from: tr.changes.mapPos(r.from, out), to: tr.changes.mapPos(r.to, -out) });
  const as = new Map(now.marks.map((m) => [m, { ...m, ...at(m, 1), inner: at(m.inner, -1), now: m.now && at(m.now, -1) }]));
  let within = false;
  tr.changes.iterChangedRanges((from, to) => { within ||= now.marks.some((m) => from < m.to && to > m.from); });
  return { may: true, words: within ? {} : now.words, marks: [...as.values()], notes: now.notes.map((n) => ({ ...n, mark: as.get(n.mark)!, about: n.about && as.get(n.about)! })) };
}

// What makes no mark, ends none, and makes no code: words, but not where a line begins.
const WORDS = /^[^{}+\-~=<>`\\\r\n]*$/;
const HEAD = 8;

function changesSome(tr: Transaction, { notes }: Critic): boolean {
  let found = false;
  tr.changes.iterChanges((fromA, toA, fromB, toB) => {
    const was = tr.startState.doc.sliceString(Math.max(0, fromA - 1), toA + 1), is = tr.newDoc.sliceString(Math.max(0, fromB - 1), toB + 1);
    found ||= !WORDS.test(was) || !WORDS.test(is) || fromB - tr.newDoc.lineAt(fromB).from < HEAD || notes.some((n) => fromA < n.mark.to && toA > n.mark.from);
  });
  return found;
}

/** setNoted sets whether comments are shown in the reading view. */
export const setNoted = StateEffect.define<boolean>();

/** notedField is true where the reading view shows comments. */
export const notedField = StateField.define<boolean>({
  create: () => true,
  update(on, tr) {
    for (const e of tr.effects) if (e.is(setNoted)) on = e.value;
    return on;
  },
});
