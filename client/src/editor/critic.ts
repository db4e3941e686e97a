import { isolateHistory } from "@codemirror/commands";
import { syntaxTree } from "@codemirror/language";
import { EditorState, findClusterBreak, type Range as Put } from "@codemirror/state";
import { Decoration, EditorView, ViewPlugin, WidgetType, type DecorationSet, type ViewUpdate } from "@codemirror/view";
import type { SyntaxNode } from "@lezer/common";
import type { Mark, Range } from "../text/critic.ts";
import { comment, cut, signsOf, type Inline } from "../text/criticacts.ts";
import type { Hidden } from "../text/seen.ts";
import { criticField, notedField, setNoted } from "./criticfield.ts";
import { margin, type MarginOptions } from "./marginalia.ts";
import { readingField, unfoldedAt, unseen } from "./reading.ts";

const HIDE = Decoration.mark({ class: "md-hidden" });
const DIM = Decoration.mark({ class: "md-sign" });
const PASSAGE = Decoration.mark({ class: "md-passage" });
const ADD = Decoration.mark({ class: "md-add", tagName: "ins" });
const DEL = Decoration.mark({ class: "md-del", tagName: "del" });
const WORDS_OF_NOTE = Decoration.mark({ class: "md-sign md-note-words" });

// The letter of a comment in the list at the end: of what is read, and of what is printed. Footnotes have numbers.
class Ref extends WidgetType {
  constructor(readonly n: number) { super(); }
  override eq(o: Ref): boolean { return o.n === this.n; }
  toDOM(): HTMLElement {
    const el = document.createElement("sup");
    el.className = "md-comment-ref";
    el.textContent = letters(this.n);
    return el;
  }
}

// a to z, then aa, as a list of letters has them.
function letters(n: number): string { return n > 26 ? letters(Math.floor((n - 1) / 26)) + letters(((n - 1) % 26) + 1) : String.fromCharCode(96 + n); }

class Anchor extends WidgetType {
  override eq(): boolean { return true; }
  toDOM(): HTMLElement {
    const el = document.createElement("span");
    el.className = "md-comment-anchor";
    el.setAttribute("aria-hidden", "true");
    return el;
  }
}

const ANCHOR = Decoration.widget({ widget: new Anchor(), side: -1 });

// The signs of a mark are shown where the cursor is in them, or a selection.
function shows(state: EditorState, from: number, to: number): boolean {
  return !state.field(readingField) && unfoldedAt(state).some((r) => r.from < to && r.to > from);
}

function build(view: EditorView): DecorationSet {
  const { state } = view, { marks, notes } = state.field(criticField);
  const out: Put<Decoration>[] = [];
  if (marks.length === 0) return Decoration.none;
  const reading = state.field(readingField), noted = state.field(notedField);
  const put = (d: Decoration, from: number, to: number) => { if (to > from) out.push(d.range(from, to)); };
  const inView = (m: Mark) => view.visibleRanges.some((r) => m.from <= r.to && m.to >= r.from);
  for (const m of marks) {
    if (!inView(m)) continue;
    if (m.kind === "note") {
      const on = shows(state, m.from, m.to), i = notes.findIndex((n) => n.mark === m);
      put(on ? WORDS_OF_NOTE : HIDE, m.from, m.to);
      if (noted) out.push(Decoration.widget({ widget: new Ref(i + 1), side: -1 }).range(m.from));
      if (!reading && notes[i]?.about === null) out.push(ANCHOR.range(m.from));
      continue;
    }
    for (const r of signsOf(m)) put((m.kind === "mark" ? shows(state, r.from, r.to) : shows(state, m.from, m.to)) ? DIM : HIDE, r.from, r.to);
    if (m.kind !== "mark") put(m.kind === "add" ? ADD : DEL, m.inner.from, m.inner.to);
    else if (!reading || noted) put(PASSAGE, m.inner.from, m.inner.to);
    if (m.now) put(ADD, m.now.from, m.now.to);
  }
  return Decoration.set(out, true);
}

const inText = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet;
    constructor(view: EditorView) { this.decorations = build(view); }
    update(u: ViewUpdate): void {
      const before = u.startState.field(criticField), now = u.state.field(criticField);
      if (before.marks.length + now.marks.length === 0) return;
      if (u.docChanged || u.viewportChanged || u.selectionSet || before !== now || u.startState.readOnly !== u.state.readOnly || u.startState.field(notedField) !== u.state.field(notedField)) this.decorations = build(u.view);
    }
  },
  { decorations: (v) => v.decorations },
);

// What a selection that is written over or taken out leaves of a mark goes too: half a mark is words that nobody wrote.
function leftOf(marks: readonly Mark[], from: number, to: number): Range[] {
  return marks
    .filter((m) => (m.kind === "note" ? m.from < to && m.to > from && (from < m.inner.from || to > m.inner.to) : signsOf(m).some((r) => r.from < to && r.to > from)))
    .flatMap((m) => (m.kind === "note" ? [m] : signsOf(m)))
    .flatMap((r) => [cut(r.from, Math.min(r.to, from)), cut(Math.max(r.from, to), r.to)])
    .filter((r) => r.from < r.to);
}

// What a key takes out of from to to, but for what is hidden there, or where all of it is, the letter behind or before that.
function lettersOf(state: EditorState, from: number, to: number, forward: boolean): Range[] | null {
  const hidden = state.field(criticField).marks
    .flatMap((m) => (m.kind === "note" ? [m] : m.kind === "mark" || !shows(state, m.from, m.to) ? signsOf(m) : []))
    .filter((r) => !shows(state, r.from, r.to))
    .sort((a, b) => a.from - b.from);
  if (!hidden.some((r) => r.from < to && r.to > from)) return null;
  const out: Range[] = [];
  let at = from;
  for (const r of hidden) {
    if (r.to <= at || r.from >= to) continue;
    if (r.from > at) out.push(cut(at, r.from));
    at = r.to;
  }
  if (at < to) out.push(cut(at, to));
  if (out.length > 0) return out;
  if (forward) for (const r of hidden) { if (r.from <= to && r.to > to) to = r.to; }
  else for (const r of hidden.reverse()) { if (r.to >= from && r.from < from) from = r.from; }
  const pos = forward ? to : from, line = state.doc.lineAt(pos), next = line.from + findClusterBreak(line.text, pos - line.from, forward);
  return next === pos ? [] : [cut(Math.min(pos, next), Math.max(pos, next))];
}

const wholeMarks = EditorState.transactionFilter.of((tr) => {
  if (!tr.docChanged || !(tr.isUserEvent("input") || tr.isUserEvent("delete")) || tr.startState.selection.ranges.length > 1) return tr;
  const { from, to, empty } = tr.startState.selection.main;
  const all: Range[] = [];
  tr.changes.iterChangedRanges((a, b) => { all.push(cut(a, b)); });
  const [one] = all;
  if (!one || all.length > 1) return tr;
  if (!empty) {
    const left = one.from <= from && one.to >= to ? leftOf(tr.startState.field(criticField).marks, from, to) : [];
    return left.length > 0 ? [tr, { changes: left }] : tr;
  }
  const letters = tr.isUserEvent("delete") ? lettersOf(tr.startState, one.from, one.to, tr.isUserEvent("delete.forward")) : null;
  return letters ? { changes: letters, userEvent: "delete", scrollIntoView: true } : tr;
});

const INLINE = /^(?:Emphasis|StrongEmphasis|Strikethrough|InlineCode|Link|Image|Autolink|URL|FootnoteRef)$/, SIGN = /Mark$/;

// The marks of markdown in the lines of a passage. In a picture and in an address nothing may stand.
function inlineIn(state: EditorState, { from, to }: Range): Inline[] {
  const out: Inline[] = [];
  syntaxTree(state).iterate({
    from: state.doc.lineAt(from).from, to: state.doc.lineAt(to).to,
    enter: ({ name, node, from, to }) => {
      if (!INLINE.test(name)) return;
      const signs: SyntaxNode[] = [];
      for (let c = node.firstChild; c; c = c.nextSibling) if (SIGN.test(c.name)) signs.push(c);
      const holds = signs.length > 1 && !/^(?:Image|Autolink|URL)$/.test(name);
      out.push({ from, to, inner: holds ? { from: signs[0]!.to, to: (name === "Link" ? signs[1] : signs.at(-1))!.from } : null });
    },
  });
  return out;
}

/** putComment puts a comment on a passage, and reports whether it can stand there. */
export function putComment(view: EditorView, passage: Range, words: string): boolean {
  const now = view.state.field(criticField, false);
  const edits = now ? comment(view.state.doc.toString(), now.marks, passage, words, inlineIn(view.state, passage)) : null;
  if (edits === null) return false;
  view.dispatch({ changes: edits, userEvent: "input.comment", annotations: isolateHistory.of("full") });
  return true;
}

export { setNoted };

/** DrawOptions is what the drawing needs from the window. */
export interface DrawOptions extends MarginOptions {
  /** is told how many comments stand in the text */
  onNotes: (n: number) => void;
}

const hidden = unseen.of((state, from, to) => state.field(criticField).marks
  .filter((m) => m.from <= to && m.to >= from)
  .flatMap((m): Hidden[] => (m.kind === "note" ? [{ from: m.from, to: m.to, of: null }] : signsOf(m).map((r) => ({ ...r, of: { from: m.from, to: m.to } })))));

/** critic draws CriticMarkup as what it says, and comments and suggestions in the margin. */
export function critic(o: DrawOptions) {
  return [
    criticField,
    notedField,
    inText,
    hidden,
    wholeMarks,
    margin(o),
    ViewPlugin.define((view) => {
      let told = 0;
      const tell = () => {
        const n = view.state.field(criticField).notes.length;
        if (n !== told) queueMicrotask(() => o.onNotes(n));
        told = n;
      };
      tell();
      return { update: tell, destroy: () => { if (told > 0) o.onNotes(0); } };
    }),
  ];
}
