import { syntaxTree } from "@codemirror/language";
import type { EditorState, Line, Range } from "@codemirror/state";
import { Decoration, EditorView, ViewPlugin, type DecorationSet, type ViewUpdate } from "@codemirror/view";
import type { SyntaxNode } from "@lezer/common";
import { showsMarks } from "./reading.ts";

const cell = (cls: string) => Decoration.mark({ class: `md-cell ${cls}` });
const CELLS = { start: cell(""), center: cell("md-center"), end: cell("md-end") };
type Align = keyof typeof CELLS;
const BLANK = Decoration.mark({ class: "md-hidden" });
const PIPE = Decoration.mark({ class: "md-pipe" });
const PIPE_ON = Decoration.mark({ class: "md-pipe md-on" });

/**
 * tableCells makes the lines of a table rows, and what stands between the bars cells. Each
 * line stays a line of the text, edited in its place, so that a table never jumps.
 */
export const tableCells = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet;
    constructor(view: EditorView) { this.decorations = build(view); }
    update(u: ViewUpdate): void {
      if (u.docChanged || u.viewportChanged || u.selectionSet || u.startState.readOnly !== u.state.readOnly || syntaxTree(u.startState) !== syntaxTree(u.state)) this.decorations = build(u.view);
    }
  },
  { decorations: (v) => v.decorations },
);

function build(view: EditorView): DecorationSet {
  const out: Range<Decoration>[] = [];
  const done = new Set<number>();
  for (const { from, to } of view.visibleRanges) {
    syntaxTree(view.state).iterate({
      from, to,
      enter: (n) => {
        if (n.name !== "Table" || done.has(n.from)) return;
        done.add(n.from);
        table(view.state, n.node, Math.max(n.from, from), Math.min(n.to, to), out);
      },
    });
  }
  return Decoration.set(out, true);
}

function table(state: EditorState, t: SyntaxNode, from: number, to: number, out: Range<Decoration>[]): void {
  const rule = t.getChild("TableDelimiter");
  const aligns: Align[] = rule ? bars(state.doc.lineAt(rule.from)).map(([f, e]) => align(state.sliceDoc(f, e))) : [];
  for (let at = from; at <= to;) {
    const line = state.doc.lineAt(at);
    const pipe = showsMarks(state, line.from, line.to) ? PIPE_ON : PIPE;
    bars(line).forEach(([f, e, pipes], i) => {
      out.push(CELLS[aligns[i] ?? "start"].range(f, e));
      for (const p of pipes) out.push(pipe.range(p, p + 1));
      blanks(state.sliceDoc(f, e), f, out);
    });
    at = line.to + 1;
  }
}

// Hides the blanks that only line up the text of a table: all before the words of a cell, all but one behind them.
function blanks(text: string, from: number, out: Range<Decoration>[]): void {
  const [, before, words, behind] = /^(\|?[ \t]*)(.*?)([ \t]*\|?)$/s.exec(text)!;
  const lead = before!.startsWith("|") ? 1 : 0, tail = behind!.endsWith("|") ? 1 : 0;
  if (before!.length > lead) out.push(BLANK.range(from + lead, from + before!.length));
  if (words !== "" && behind!.length - tail > 1) out.push(BLANK.range(from + before!.length + words!.length + 1, from + text.length - tail));
}

// Returns the cells of a line: from, to, and where the bars in each stand.
function bars(line: Line): [number, number, number[]][] {
  const at: number[] = [];
  const text = line.text.trimEnd();
  let code = false;
  for (let i = 0; i < text.length; i++) {
    if (text[i] === "\\") i++;
    else if (text[i] === "`") code = !code;
    else if (text[i] === "|" && !code) at.push(i);
  }
  const last = at.at(-1) === text.length - 1 && at.length > 1 ? at.pop()! : -1;
  const starts = text.slice(0, at[0] ?? 0).trim() === "" && at.length > 0 ? at : [0, ...at];
  return starts.map((s, i) => {
    const to = starts[i + 1] ?? line.length;
    return [line.from + (i === 0 ? 0 : s), line.from + to, [...(text[s] === "|" ? [line.from + s] : []), ...(i === starts.length - 1 && last >= 0 ? [line.from + last] : [])]] as [number, number, number[]];
  }).filter(([f, e]) => e > f);
}

function align(rule: string): Align {
  const r = rule.replace(/[|\s]/g, "");
  return r.startsWith(":") && r.endsWith(":") ? "center" : r.endsWith(":") ? "end" : "start";
}
