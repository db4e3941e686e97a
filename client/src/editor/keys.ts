import { indentLess, indentMore } from "@codemirror/commands";
import { syntaxTree } from "@codemirror/language";
import type { SyntaxNode } from "@lezer/common";
import { EditorSelection, StateEffect, StateField, type ChangeSpec, type StateCommand } from "@codemirror/state";
import { EditorView, type KeyBinding } from "@codemirror/view";

// Where the marks end that were put around nothing yet: behind what is written there the
// same key steps out of them.
const opens = StateEffect.define<number>(), closes = StateEffect.define<null>();
export const openMarks = StateField.define<readonly number[]>({
  create: () => [],
  update(all, tr) {
    let now = tr.docChanged ? all.map((at) => tr.changes.mapPos(at, 1)) : all;
    for (const e of tr.effects) now = e.is(opens) ? [...now, e.value].slice(-4) : e.is(closes) ? now.slice(0, -1) : now;
    return now;
  },
});

/** wrap puts marks around the selection, or the word at the cursor, and takes them away where they are. Behind words that were written between new marks it steps out of them. */
function wrap(mark: string): StateCommand {
  return ({ state, dispatch }) => {
    if (state.readOnly) return false;
    const n = mark.length;
    const { main, ranges } = state.selection;
    if (ranges.length === 1 && main.empty) {
      const next = state.sliceDoc(main.head, main.head + 3);
      const marks = next.startsWith(mark) && !(n === 1 && next.startsWith("**") && next !== "***");
      if (marks && state.field(openMarks, false)?.at(-1) === main.head && state.sliceDoc(main.head - n, main.head) !== mark) {
        dispatch(state.update({ selection: { anchor: main.head + n }, effects: closes.of(null), userEvent: "select", scrollIntoView: true }));
        return true;
      }
      if (!marks && state.wordAt(main.head) === null) {
        dispatch(state.update({ changes: { from: main.head, insert: mark + mark }, selection: { anchor: main.head + n }, effects: opens.of(main.head + n), userEvent: "input", scrollIntoView: true }));
        return true;
      }
    }
    const spec = state.changeByRange((r) => {
      const word = r.empty ? state.wordAt(r.head) : null;
      const { from, to } = word ?? r;
      const around = state.sliceDoc(from - n, from) === mark && state.sliceDoc(to, to + n) === mark;
      const longer = n === 1 && state.sliceDoc(from - 2, from) === mark + mark && state.sliceDoc(from - 3, from) !== mark.repeat(3);
      if (around && !longer) {
        return { changes: [{ from: from - n, to: from }, { from: to, to: to + n }], range: EditorSelection.range(r.anchor - n, r.head - n) };
      }
      return { changes: [{ from, insert: mark }, { from: to, insert: mark }], range: EditorSelection.range(r.anchor + n, r.head + n) };
    });
    dispatch(state.update(spec, { userEvent: "input", scrollIntoView: true }));
    return true;
  };
}

const ITEM = /^(\s*)(?:[-*+]|(\d+[.)]))(\s+)/;

// Moves the items of the selection below the item before them: as far in as its words begin.
const indentItems: StateCommand = ({ state, dispatch }) => {
  if (state.readOnly) return false;
  const changes: ChangeSpec[] = [];
  const seen = new Set<number>();
  for (const r of state.selection.ranges) {
    for (let n = state.doc.lineAt(r.from).number; n <= state.doc.lineAt(r.to).number; n++) {
      const line = state.doc.line(n);
      if (!ITEM.test(line.text) || seen.has(n)) continue;
      seen.add(n);
      const above = n > 1 ? ITEM.exec(state.doc.line(n - 1).text) : null;
      changes.push({ from: line.from, insert: " ".repeat(above?.[2] ? above[2].length + 1 : 2) });
    }
  }
  if (changes.length === 0) return false;
  dispatch(state.update({ changes, userEvent: "input.indent" }));
  return true;
};

const EMPTY_ITEM = /^ {0,3}(?:[-*+]|\d+[.)])(?:\s+\[[ xX]\])?\s*$/;

/**
 * endList ends a list at an empty item that is in no other: the item goes, and the cursor
 * stands on an empty line of its own, with another to each side of it that holds text. What is
 * written there is no part of the list, as it would be on the line right below an item.
 */
export const endList: StateCommand = ({ state, dispatch }) => {
  const { main, ranges } = state.selection;
  const line = state.doc.lineAt(main.head);
  if (state.readOnly || ranges.length > 1 || !main.empty || !EMPTY_ITEM.test(line.text) || main.head < line.from + line.text.trimEnd().length) return false;
  let lists = 0;
  for (let n: SyntaxNode | null = syntaxTree(state).resolveInner(line.from + line.text.search(/\S/), 1); n; n = n.parent) {
    if (n.name === "Blockquote") return false;
    if (n.name === "ListItem") lists++;
  }
  if (lists !== 1) return false;
  const apart = (n: number) => (n >= 1 && n <= state.doc.lines && state.doc.line(n).text.trim() !== "" ? "\n" : "");
  const before = apart(line.number - 1);
  dispatch(state.update({
    changes: { from: line.from, to: line.to, insert: before + apart(line.number + 1) },
    selection: { anchor: line.from + before.length }, scrollIntoView: true, userEvent: "input",
  }));
  return true;
};

const inList: (c: StateCommand) => StateCommand = (command) => (target) => {
  for (let n: { name: string; parent: unknown } | null = syntaxTree(target.state).resolveInner(target.state.selection.main.head, -1); n; n = n.parent as typeof n) {
    if (n.name === "ListItem") return command(target);
  }
  return ITEM.test(target.state.doc.lineAt(target.state.selection.main.head).text) && command(target);
};

/** leaveByTab lets the first Tab behind Escape move the focus, however long after, so that a text in which Tab indents can be left by keys alone. An Escape that closes something else is none. */
export const leaveByTab = [
  EditorView.domEventHandlers({ keydown: (e, view) => { if (e.key === "Escape") view.setTabFocusMode(true); } }),
  EditorView.domEventObservers({
    keydown: (e, view) => { if (!/^(Escape|Tab|Shift|Control|Alt|Meta)$/.test(e.key)) view.setTabFocusMode(false); },
    mousedown: (_, view) => view.setTabFocusMode(false),
    blur: (_, view) => view.setTabFocusMode(false),
  }),
];

/** pageKeys are the keys of a page of markdown. Where no list is, Tab indents a line; Escape before it leaves the text. */
export const pageKeys: KeyBinding[] = [
  { key: "Mod-b", run: wrap("**"), preventDefault: true },
  { key: "Mod-i", run: wrap("*"), preventDefault: true },
  { key: "Mod-Shift-i", run: wrap("*"), preventDefault: true }, // also where something is selected, which Mod-i asks about
  { key: "Tab", run: inList(indentItems) },
  { key: "Tab", run: indentMore, shift: indentLess },
];
