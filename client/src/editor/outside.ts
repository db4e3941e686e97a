import { EditorSelection, EditorState, type Line, type Transaction } from "@codemirror/state";
import { keymap, type EditorView } from "@codemirror/view";

/**
 * outsideMarks keeps the cursor out of marks that are hidden, so that what is typed breaks
 * none, nor stands in a comment that nobody sees. End, and a click behind a line's words,
 * lead behind the marks there; any other click or leap leads past them. A step of one leads
 * into them, and shows them.
 */
export const outsideMarks = (view: () => EditorView) => [
  keymap.of([{ key: "End", mac: "Cmd-ArrowRight", run: isAtEnd, shift: isAtEnd }]),
  EditorState.transactionFilter.of((tr) => {
    if (!tr.selection || tr.docChanged || !tr.isUserEvent("select") || tr.newSelection.ranges.length > 1) return tr;
    const { anchor, head } = tr.newSelection.main, to = placeFor(tr, view());
    return to === head ? tr : [tr, { selection: EditorSelection.range(anchor === head ? to : anchor, to), sequential: true }];
  }),
];

function placeFor(tr: Transaction, view: EditorView): number {
  const { anchor, head } = tr.newSelection.main, line = tr.newDoc.lineAt(head), end = endOf(line), was = tr.startState.selection.main.head;
  const pointer = tr.isUserEvent("select.pointer"), back = !pointer && was > head && was <= line.to;
  // Nothing is seen between two places, both in one row.
  const hidden = (from: number, to: number) => {
    const [a, b] = [from, to].map((pos) => view.coordsAtPos(pos));
    return !!a && !!b && Math.abs(a.left - b.left) < 1 && a.top <= b.bottom && b.top <= a.bottom;
  };
  if (head < end && !back && (anchor === head || anchor <= line.from) && hidden(head, end)) return end;
  if (head <= line.from || head >= end || (!pointer && Math.abs(head - was) === 1) || !hidden(head - 1, head) || !hidden(head, head + 1)) return head;
  let from = head - 1, to = head + 1;
  while (from > line.from && hidden(from - 1, from)) from--;
  while (to < end && hidden(to, to + 1)) to++;
  return back && from > line.from ? from : to;
}

const endOf = (line: Line) => line.to - (line.text.endsWith("\r") ? 1 : 0);
const isAtEnd = ({ state }: EditorView) => state.selection.main.head === endOf(state.doc.lineAt(state.selection.main.head));
