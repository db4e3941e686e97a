import { ensureSyntaxTree, syntaxTree } from "@codemirror/language";
import type { EditorState, Range } from "@codemirror/state";
import { Decoration, EditorView, ViewPlugin, WidgetType, type DecorationSet, type ViewUpdate } from "@codemirror/view";
import type { SyntaxNode } from "@lezer/common";
import { tagsIn } from "../text/plan.ts";
import type { Hidden } from "../text/seen.ts";
import { noteOf } from "./footnotes.ts";
import { addressOf } from "./links.ts";
import { elsewhere, picture, type PictureOptions } from "./picture.ts";
import { shownMarks, showsMarks, unseen } from "./reading.ts";

class Bullet extends WidgetType {
  override eq(): boolean { return true; }
  toDOM(): HTMLElement {
    const el = document.createElement("span");
    el.className = "md-bullet";
    el.textContent = "•";
    return el;
  }
}

class Box extends WidgetType {
  constructor(readonly done: boolean, readonly label: string) { super(); }
  override eq(o: Box): boolean { return o.done === this.done && o.label === this.label; }
  toDOM(view: EditorView): HTMLElement {
    const el = document.createElement("input");
    el.type = "checkbox";
    el.className = "md-box";
    el.checked = this.done;
    el.setAttribute("aria-label", this.label);
    el.onmousedown = (e) => e.preventDefault();
    el.onclick = (e) => {
      if (view.state.readOnly) return e.preventDefault();
      const pos = view.posAtDOM(el);
      view.dispatch({ changes: { from: pos + 1, to: pos + 2, insert: this.done ? " " : "x" } });
    };
    return el;
  }
  override ignoreEvent(): boolean { return true; }
}

// A mark that is hidden stays in its line as text without width: a replaced one would let
// the line break between a word and its comma.
const HIDE = Decoration.mark({ class: "md-hidden" });
const MARGIN = Decoration.mark({ class: "md-margin" });
const BULLET = Decoration.replace({ widget: new Bullet() });
const CODE = Decoration.mark({ class: "md-inline-code" });
const LINK = Decoration.mark({ class: "md-link" });
const DASH = Decoration.mark({ class: "md-dash" });
const NUMBER = Decoration.mark({ class: "md-number" });
const CAPTION = Decoration.mark({ class: "md-caption" });
const RULE_ON = Decoration.mark({ class: "md-on" });
const INDENT = Decoration.mark({ class: "md-indent" });
const TAGS = Decoration.mark({ class: "md-tags" });
const REF = Decoration.mark({ class: "md-ref" });
const DONE = Decoration.mark({ class: "md-done" });

/**
 * livePreview hides the marks of markdown but for those at the cursor, so that the text
 * reads like a page and is edited as markdown.
 */
export function livePreview(o: PictureOptions) {
  return [unseen.of((state, from, to) => hiddenIn(state, from, to, o)), ViewPlugin.fromClass(
    class {
      decorations: DecorationSet;
      constructor(view: EditorView) { this.decorations = build(view, o); }
      update(u: ViewUpdate): void {
        if (u.docChanged || u.viewportChanged || u.selectionSet || u.startState.readOnly !== u.state.readOnly || u.startState.facet(shownMarks) !== u.state.facet(shownMarks) || syntaxTree(u.startState) !== syntaxTree(u.state)) this.decorations = build(u.view, o);
      }
    },
    { decorations: (v) => v.decorations },
  )];
}

type Put = (d: Decoration, from: number, to: number) => void;

function build(view: EditorView, o: PictureOptions): DecorationSet {
  const { state } = view;
  const out: Range<Decoration>[] = [];
  const put: Put = (d, from, to) => { if (to > from) out.push(d.range(from, to)); };
  const shows: Shows = (from, to) => showsMarks(state, from, to);
  for (const { from, to } of view.visibleRanges) syntaxTree(state).iterate({ from, to, enter: (n) => { dress(state, n.node, shows, put, out, o); } });
  return Decoration.set(out, true);
}

// A text of at most so many characters is read to its end, in at most so many ms; in a longer one marks are known where it was read.
const LONGEST = 1_000_000, MOST = 1000;

// Lists the marks that are hidden away from the cursor.
function hiddenIn(state: EditorState, from: number, to: number, o: PictureOptions): Hidden[] {
  const out: Hidden[] = [], tree = (state.doc.length <= LONGEST ? ensureSyntaxTree(state, to, MOST) : null) ?? syntaxTree(state);
  tree.iterate({
    from, to,
    enter: ({ node }) => {
      const of = /^(?:Link|Image|Escape)$/.test(node.name) ? node : node.name.endsWith("Mark") ? node.parent : null;
      const put: Put = (d, from, to) => { if (to > from && (d === HIDE || (d === REF && node.name === "FootnoteRef"))) out.push({ from, to, of: of && { from: of.from, to: of.to } }); };
      dress(state, node, () => false, put, [], o);
    },
  });
  return out;
}

type Shows = (from: number, to: number) => boolean;

// Puts the decorations of one node.
function dress(state: EditorState, n: SyntaxNode, shows: Shows, put: Put, out: Range<Decoration>[], o: PictureOptions): void {
  const up = n.parent;
  const at = (m: SyntaxNode | null) => m !== null && shows(m.from, m.to);
  const blank = () => n.to + (state.sliceDoc(n.to, n.to + 1) === " " ? 1 : 0);
  switch (n.name) {
    case "InlineCode": return put(CODE, n.from, n.to);
    case "EmphasisMark":
    case "StrikethroughMark": return at(up) ? undefined : put(HIDE, n.from, n.to);
    case "CodeMark":
    case "CodeInfo": return !/^(InlineCode|FencedCode)$/.test(up?.name ?? "") || at(up) ? undefined : put(HIDE, n.from, n.to);
    case "ListItem": {
      const line = state.doc.lineAt(n.from), tags = tagsIn(line.text);
      if (tags >= 0) put(TAGS, line.from + tags, line.from + line.text.trimEnd().length);
      return put(INDENT, n.from - blanksBefore(state, n.from), n.from);
    }
    case "Paragraph": return up?.name === "ListItem" ? within(state, n, put) : undefined;
    case "HardBreak": return state.sliceDoc(n.from, n.from + 1) !== "\\" || shows(n.from, n.from + 1) ? undefined : put(HIDE, n.from, n.from + 1);
    case "Escape": return at(n) ? undefined : put(HIDE, n.from, n.from + 1);
    case "HeaderMark": {
      if (up?.name.startsWith("Setext")) return at(up) ? undefined : put(HIDE, n.from, n.to);
      const line = state.doc.lineAt(n.from);
      const closing = n.from > line.from + 3;
      return put(shows(line.from, line.to) && !closing ? MARGIN : HIDE, n.from, closing ? n.to : blank());
    }
    case "QuoteMark": {
      const line = state.doc.lineAt(n.from);
      return put(shows(line.from, line.to) ? MARGIN : HIDE, n.from, blank());
    }
    case "FootnoteRef":
    case "FootnoteLabel": return footnote(state, n, shows, put);
    case "HorizontalRule": return at(n) ? put(RULE_ON, n.from, n.to) : undefined;
    case "LinkMark": return up?.name !== "Autolink" || at(up) ? undefined : put(HIDE, n.from, n.to);
    case "URL": return (addressOf(state, n) === null && up?.name !== "Autolink") || up?.name === "Link" || up?.name === "Image" ? undefined : put(LINK, n.from, n.to);
    case "Link":
    case "Image": return link(state, n, shows, put, out, o);
    case "ListMark": return listMark(state, n, shows, put, out);
    case "TaskMarker": return task(state, n, shows, put, out);
  }
}

function blanksBefore(state: EditorState, pos: number): number { return /[ \t]*$/.exec(state.sliceDoc(state.doc.lineAt(pos).from, pos))![0].length; }

// The later lines of an item hang by themselves: the blanks before them are not shown.
function within(state: EditorState, n: SyntaxNode, put: Put): void {
  const first = state.doc.lineAt(n.parent!.from).number;
  for (let l = state.doc.lineAt(n.from); ; l = state.doc.line(l.number + 1)) {
    if (l.number > first) put(HIDE, l.from, l.from + /^[ \t]*/.exec(l.text)![0].length);
    if (l.to >= n.to) return;
  }
}

// A number of a note is raised, and its marks show at the cursor alone; without a note it is text.
function footnote(state: EditorState, n: SyntaxNode, shows: Shows, put: Put): void {
  const tail = n.name === "FootnoteLabel" ? 2 : 1;
  if (!noteOf(state, state.sliceDoc(n.from, n.to - tail + 1))) return;
  const on = shows(n.from, n.to);
  put(REF, on ? n.from : n.from + 2, on ? n.to : n.to - tail);
  if (on) return;
  put(HIDE, n.from, n.from + 2);
  put(HIDE, n.to - tail, n.to);
}

// A link shows its text alone until the cursor comes to its address.
function link(state: EditorState, n: SyntaxNode, shows: Shows, put: Put, out: Range<Decoration>[], o: PictureOptions): void {
  const address = addressOf(state, n);
  if (address === null) return;
  const [open, close] = n.getChildren("LinkMark"), bare = !open || !close || close.from === open.to, image = n.name === "Image";
  const hosted = image && elsewhere(n, address, bare, out, o), shown = image && open && close && picture(n, address, state.sliceDoc(open.to, close.from), out, o);
  if (!open || !close || (bare && !hosted && !shown)) return put(LINK, n.from, n.to);
  put(shown ? CAPTION : LINK, open.to, close.from);
  if (shows(bare ? n.from : close.to, n.to)) return;
  put(HIDE, open.from, open.to);
  put(HIDE, close.from, n.to);
}

function listMark(state: EditorState, n: SyntaxNode, shows: Shows, put: Put, out: Range<Decoration>[]): void {
  if (!/^[-*+]$/.test(state.sliceDoc(n.from, n.to))) return put(NUMBER, n.from, n.to);
  const marker = n.parent?.getChild("Task")?.getChild("TaskMarker");
  if (marker && !shows(n.from, marker.to)) return put(HIDE, n.from, marker.from);
  if (shows(n.from, n.to + 1)) return put(DASH, n.from, n.to);
  out.push(BULLET.range(n.from, n.to));
}

function task(state: EditorState, n: SyntaxNode, shows: Shows, put: Put, out: Range<Decoration>[]): void {
  const line = state.doc.lineAt(n.from);
  const done = /x/i.test(state.sliceDoc(n.from, n.to));
  if (done) put(DONE, n.to + 1, line.to);
  const mark = n.parent?.parent?.getChild("ListMark");
  if (mark && shows(mark.from, n.to)) return;
  out.push(Decoration.replace({ widget: new Box(done, state.sliceDoc(n.to, line.to).trim()) }).range(n.from, n.to));
}
