import { syntaxTree } from "@codemirror/language";
import { RangeSetBuilder, type EditorState } from "@codemirror/state";
import { Decoration, EditorView, ViewPlugin, type DecorationSet, type ViewUpdate } from "@codemirror/view";

const line = (cls: string) => Decoration.line({ class: cls });
const KINDS: Record<string, Decoration> = {
  ATXHeading1: line("md-h1"), SetextHeading1: line("md-h1"),
  ATXHeading2: line("md-h2"), SetextHeading2: line("md-h2"),
  ATXHeading3: line("md-h3"), ATXHeading4: line("md-h3"), ATXHeading5: line("md-h3"), ATXHeading6: line("md-h3"),
  Blockquote: line("md-quote"),
  FencedCode: line("md-code"), CodeBlock: line("md-code"),
  TableHeader: line("md-row md-head"), TableRow: line("md-row"), TableDelimiter: line("md-row md-rule-row"),
  HorizontalRule: line("md-hr"),
  SchwaBlock: line("md-code md-rules"), SchwaMark: line("md-schwa"), SchwaComment: line("md-off"), FrontMatter: line("md-code md-front"),
};
const OWN_WAY = Decoration.line({ attributes: { dir: "auto" } });
const HANG = [0, 1, 2, 3, 4, 5, 6, 7, 8].map((n) => ({ bullet: line(`md-item md-lead-${n}`), number: line(`md-item md-ordered md-lead-${n}`) }));

/** lineStyles styles whole lines: headings, quotes, code, rows of tables, hanging list items, blocks of schwas, and each in the direction of its words. */
export const lineStyles = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet;
    constructor(view: EditorView) { this.decorations = build(view); }
    update(u: ViewUpdate): void {
      if (u.docChanged || u.viewportChanged || syntaxTree(u.startState) !== syntaxTree(u.state)) this.decorations = build(u.view);
    }
  },
  { decorations: (v) => v.decorations },
);

function build(view: EditorView): DecorationSet {
  const at = new Map<number, Set<Decoration>>();
  const add = (pos: number, d: Decoration) => at.set(pos, (at.get(pos) ?? new Set()).add(d));
  for (const b of view.viewportLineBlocks) add(b.from, OWN_WAY);
  for (const { from, to } of view.visibleRanges) {
    syntaxTree(view.state).iterate({
      from, to,
      enter: (n) => {
        if (n.name === "TableDelimiter" && n.node.parent?.name !== "Table") return;
        if (n.name === "ListItem") {
          const first = view.state.doc.lineAt(n.from);
          const hang = HANG[Math.min(lead(view.state, n.from, first.from), HANG.length - 1)]!;
          add(first.from, n.node.parent?.name === "OrderedList" ? hang.number : hang.bullet);
          return;
        }
        const d = KINDS[n.name];
        if (!d) return;
        for (let pos = Math.max(n.from, from); pos <= Math.min(n.to, to); ) {
          const l = view.state.doc.lineAt(pos);
          add(l.from, d);
          pos = l.to + 1;
        }
      },
    });
  }
  const out = new RangeSetBuilder<Decoration>();
  for (const pos of [...at.keys()].sort((a, b) => a - b)) for (const d of at.get(pos)!) out.add(pos, pos, d);
  return out.finish();
}

// Returns how deep an item is indented, in steps of two blanks.
function lead(state: EditorState, pos: number, lineStart: number): number {
  return Math.floor(state.sliceDoc(lineStart, pos).replace(/\t/g, "    ").length / 2);
}
