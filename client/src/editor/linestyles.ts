import { syntaxTree } from "@codemirror/language";
import { RangeSetBuilder, type Text } from "@codemirror/state";
import { Decoration, EditorView, ViewPlugin, type DecorationSet, type ViewUpdate } from "@codemirror/view";
import type { SyntaxNode } from "@lezer/common";

const line = (cls: string) => Decoration.line({ class: cls });
const KINDS: Record<string, Decoration> = {
  ATXHeading1: line("md-h1"), SetextHeading1: line("md-h1"),
  ATXHeading2: line("md-h2"), SetextHeading2: line("md-h2"),
  ATXHeading3: line("md-h3"), ATXHeading4: line("md-h3"), ATXHeading5: line("md-h3"), ATXHeading6: line("md-h3"),
  Blockquote: line("md-quote"),
  FencedCode: line("md-code"), CodeBlock: line("md-code"),
  TableHeader: line("md-row md-head"), TableRow: line("md-row"), TableDelimiter: line("md-row md-rule-row"),
  HorizontalRule: line("md-hr"), FootnoteNote: line("md-note"),
  SchwaBlock: line("md-code md-rules"), SchwaMark: line("md-schwa"), SchwaComment: line("md-off"), FrontMatter: line("md-code md-front"),
};
const OWN_WAY = Decoration.line({ attributes: { dir: "auto" } });
// A heading is one to a screen reader too.
const LEVELS = [1, 2, 3, 4, 5, 6].map((n) => Decoration.line({ attributes: { role: "heading", "aria-level": String(n) } }));
const DEEPEST = 8;
const hangs = new Map<string, Decoration>();
const FENCE = line("md-fence"), UNDER = line("md-under");
// What stands around a heading, by its size: the gap is the same whether there is a blank line or not.
const GAPS = [1, 2, 3].map((n) => ({ above: line(`md-gap md-gap-above-${n}`), below: line(`md-gap md-gap-below-${n}`) }));
const OPEN = { above: line("md-open-above"), below: line("md-open-below") };

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
        if (n.name === "ListItem") return void add(view.state.doc.lineAt(n.from).from, hang(n.node, "md-item"));
        if (n.name === "Paragraph" && n.node.parent?.name === "ListItem") {
          const first = view.state.doc.lineAt(n.node.parent.from).number;
          for (let l = view.state.doc.lineAt(n.from); ; l = view.state.doc.line(l.number + 1)) {
            if (l.number > first) add(l.from, hang(n.node.parent, "md-within"));
            if (l.to >= n.to) return;
          }
        }
        if (n.name === "CodeMark" && n.node.parent?.name === "FencedCode") return void add(view.state.doc.lineAt(n.from).from, FENCE);
        if (n.name === "HeaderMark" && n.node.parent?.name.startsWith("Setext")) return void add(view.state.doc.lineAt(n.from).from, UNDER);
        const size = HEADING.exec(n.name)?.[1];
        if (size) for (let l = view.state.doc.lineAt(n.from); l.from < n.to; l = view.state.doc.line(l.number + 1)) {
          if (l.to < n.to || n.name.startsWith("ATX")) add(l.from, LEVELS[Number(size) - 1]!);
          if (l.to >= n.to) break;
        }
        if (size) gaps(view.state.doc, n.from, n.to, Math.min(Number(size), 3) - 1, add);
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

// Returns how the first line of an item, or a later one, hangs below the items that it is in.
function hang(item: SyntaxNode, cls: "md-item" | "md-within"): Decoration {
  const ordered = (n: SyntaxNode) => n.parent?.name === "OrderedList";
  let bullets = 0, numbers = 0;
  for (let n = item.parent; n; n = n.parent) if (n.name === "ListItem") ordered(n) ? numbers++ : bullets++;
  const all = `md-bullets-${Math.min(bullets, DEEPEST)} md-numbers-${Math.min(numbers, DEEPEST)} ${cls}${ordered(item) ? " md-ordered" : ""}`;
  return hangs.get(all) ?? hangs.set(all, line(all)).get(all)!;
}

const HEADING = /^(?:ATX|Setext)Heading(\d)$/;

function gaps(doc: Text, from: number, to: number, size: number, add: (pos: number, d: Decoration) => void): void {
  const first = doc.lineAt(from), last = doc.lineAt(to);
  const blank = (n: number) => n >= 1 && n < doc.lines && doc.line(n).text.trim() === "";
  if (first.number > 1) blank(first.number - 1) ? add(doc.line(first.number - 1).from, GAPS[size]!.above) : add(first.from, OPEN.above);
  blank(last.number + 1) ? add(doc.line(last.number + 1).from, GAPS[size]!.below) : add(last.from, OPEN.below);
}

/** headingGap shows a + in the margin of the blank line below a heading: a paragraph begins there, with a blank line to each side of it. */
export const headingGap = EditorView.domEventHandlers({
  mousedown(e, view) {
    const at = e.target as HTMLElement;
    if (e.button !== 0 || view.state.readOnly || !at.matches(".md-gap") || !/md-gap-below/.test(at.className) || e.offsetX >= 0) return false;
    const pos = view.posAtDOM(at);
    view.dispatch({ changes: { from: pos, insert: "\n\n" }, selection: { anchor: pos + 1 }, userEvent: "input", scrollIntoView: true });
    view.focus();
    e.preventDefault();
    return true;
  },
});
