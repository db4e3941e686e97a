import { EditorSelection, EditorState, type Line, type TransactionSpec } from "@codemirror/state";
import { keymap, type EditorView } from "@codemirror/view";

/** moved is a selection that a key or a pointer makes, with its head somewhere else. */
export const moved = (anchor: number, head: number, to: number): TransactionSpec => ({ selection: EditorSelection.range(anchor === head ? to : anchor, to), sequential: true });

/**
 * lineEnd lets End, and a click behind a line's words, lead to the line's end where only
 * hidden marks stand between: what is typed there stands behind a link, a footnote or a
 * comment, and not in it.
 */
export const lineEnd = (view: () => EditorView) => [keymap.of([{ key: "End", mac: "Cmd-ArrowRight", run: isAtEnd, shift: isAtEnd }]), EditorState.transactionFilter.of((tr) => {
  if (!tr.selection || tr.docChanged || !tr.isUserEvent("select") || tr.newSelection.ranges.length > 1) return tr;
  const { anchor, head } = tr.newSelection.main, line = tr.newDoc.lineAt(head), was = tr.startState.selection.main.head;
  const end = endOf(line);
  if (head >= end || (anchor !== head && anchor > line.from)) return tr;
  if (!tr.isUserEvent("select.pointer") && was > head && was <= line.to) return tr; // a key that leads into the marks shows them
  const [at, last] = [head, end].map((pos) => view().coordsAtPos(pos));
  if (!at || !last || Math.abs(at.left - last.left) > 1 || at.top > last.bottom || at.bottom < last.top) return tr;
  return [tr, moved(anchor, head, end)];
})];

const endOf = (line: Line) => line.to - (line.text.endsWith("\r") ? 1 : 0);
const isAtEnd = ({ state }: EditorView) => state.selection.main.head === endOf(state.doc.lineAt(state.selection.main.head));
