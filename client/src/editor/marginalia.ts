import { isolateHistory } from "@codemirror/commands";
import { StateEffect, StateField, type EditorState, type Range as Put, type Text } from "@codemirror/state";
import { Decoration, EditorView, ViewPlugin, WidgetType, type DecorationSet } from "@codemirror/view";
import type { Mark, Note } from "../text/critic.ts";
import { done, drop, keep, type Edit } from "../text/criticacts.ts";
import { unsentNotes } from "../text/sentcomments.ts";
import { margins as say } from "../text/strings.ts";
import { criticField, notedField, type Critic } from "./criticfield.ts";
import { readingField } from "./reading.ts";

/** MarginOptions is what the margin needs from the window. */
export interface MarginOptions {
  /** is given what is done with a mark, and does it */
  onAct: (act: () => void) => void;
  /** the names of the comments that were sent */
  sent: { peek: () => readonly string[]; subscribe: (told: () => void) => () => void };
}

// Aside is what stands in the margin: a comment, or a suggestion.
type Aside = { note: Note } | { mark: Mark };

const markOf = (a: Aside) => ("note" in a ? a.note.mark : a.mark);

function asidesOf({ marks, notes }: Critic): Aside[] {
  const of = new Map(notes.map((n) => [n.mark, n]));
  return marks.flatMap((m): Aside[] => (m.kind === "mark" ? [] : m.kind === "note" ? [{ note: of.get(m)! }] : [{ mark: m }]));
}

// Returns the end of the line below which a mark's aside stands; of a row in a table that of the last one, for nothing stands between rows.
function below(doc: Text, m: Mark): number {
  let line = doc.lineAt(m.to);
  while (/^\s*\|/.test(line.text) && line.number < doc.lines && /^\s*\|/.test(doc.line(line.number + 1).text)) line = doc.line(line.number + 1);
  return line.to;
}

// Box holds what stands beside the marks that end in a line.
class Box extends WidgetType {
  readonly #key: string;
  constructor(readonly words: Words[], readonly o: MarginOptions) {
    super();
    this.#key = JSON.stringify(words);
  }
  override eq(o: Box): boolean { return o.#key === this.#key; }
  toDOM(view: EditorView): HTMLElement {
    const box = document.createElement("div"), all = document.createElement("div");
    box.className = "md-aside";
    this.words.forEach((w, i) => all.append(cardOf(w, (act) => this.o.onAct(() => perform(view, box, i, act)))));
    box.append(all);
    return box;
  }
  override get estimatedHeight(): number { return 0; }
  override ignoreEvent(): boolean { return true; }
}

interface Words { label: string; says: string; sent: boolean; acts: Act[] }

type Act = "done" | "keep" | "drop";

function wordsOf(state: EditorState, a: Aside, isSent: (n: Note) => boolean): Words {
  const part = (r: { from: number; to: number }) => state.sliceDoc(r.from, r.to).replace(/\s+/g, " ").trim();
  if ("note" in a) return { label: a.note.about === null ? say.comment : say.commentOn(short(part(a.note.about.inner))), says: a.note.words, sent: isSent(a.note), acts: ["done"] };
  const { kind, inner, now } = a.mark;
  const says = kind === "add" ? say.add(short(part(inner))) : kind === "del" ? say.del(short(part(inner))) : say.sub(short(part(inner)), short(part(now!)));
  return { label: says, says, sent: false, acts: ["keep", "drop"] };
}

const MOST = 80;
const short = (words: string) => (words.length > MOST ? `${words.slice(0, MOST)}…` : words);

function cardOf({ label, says, sent, acts }: Words, act: (a: Act) => void): HTMLElement {
  const card = document.createElement("div"), words = document.createElement("p");
  card.className = `md-aside-card${acts.length > 1 ? " md-suggestion" : ""}`;
  card.setAttribute("role", "group");
  card.setAttribute("aria-label", label);
  words.dir = "auto";
  words.textContent = says;
  card.append(words);
  if (sent) card.append(Object.assign(document.createElement("span"), { textContent: say.sent }));
  for (const a of acts) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = say.acts[a];
    button.onmousedown = (e) => e.preventDefault();
    button.onclick = () => act(a);
    card.append(button);
  }
  return card;
}

function perform(view: EditorView, box: HTMLElement, i: number, act: Act): void {
  const at = view.posAtDOM(box), critic = view.state.field(criticField);
  const a = asidesOf(critic).filter((a) => below(view.state.doc, markOf(a)) === at)[i];
  if (a === undefined || view.state.readOnly) return;
  const edits: Edit[] = "note" in a ? done(a.note, critic.notes) : act === "keep" ? keep(a.mark) : drop(a.mark);
  view.dispatch({ changes: edits, selection: { anchor: edits[0]!.from }, userEvent: `input.${act}`, annotations: isolateHistory.of("full") });
  view.focus();
}

function boxesOf(state: EditorState, o: MarginOptions): Put<Decoration>[] {
  const lines = new Map<number, Words[]>(), sent = o.sent.peek();
  const open = sent.length > 0 ? new Set(unsentNotes(state.doc.toString(), sent).map((n) => n.mark.from)) : null;
  for (const a of asidesOf(state.field(criticField))) {
    const at = below(state.doc, markOf(a));
    lines.set(at, [...(lines.get(at) ?? []), wordsOf(state, a, (n) => open !== null && n.words !== "" && !open.has(n.mark.from))]);
  }
  return [...lines].map(([at, words]) => Decoration.widget({ widget: new Box(words, o), block: true, side: 1 }).range(at));
}

// Comments stand at the end of what is read, and of what is printed.
class AtEnd extends WidgetType {
  constructor(readonly words: string[]) { super(); }
  override eq(o: AtEnd): boolean { return o.words.join("\0") === this.words.join("\0"); }
  toDOM(): HTMLElement {
    const box = document.createElement("section"), head = document.createElement("h2"), list = document.createElement("ol");
    box.className = "md-comments";
    box.setAttribute("aria-label", say.comments);
    head.textContent = say.comments;
    for (const words of this.words) {
      const item = document.createElement("li");
      item.dir = "auto";
      item.textContent = words;
      list.append(item);
    }
    box.append(head, list);
    return box;
  }
  override ignoreEvent(): boolean { return false; }
}

function drawn(state: EditorState, o: MarginOptions): DecorationSet {
  const { marks, notes } = state.field(criticField);
  if (marks.length === 0) return Decoration.none;
  const boxes = state.field(readingField) ? [] : boxesOf(state, o);
  const end = notes.length === 0 || !state.field(notedField) ? [] : [Decoration.widget({ widget: new AtEnd(notes.map((n) => n.words)), block: true, side: 2 }).range(state.doc.length)];
  return Decoration.set([...boxes, ...end], true);
}

const sentChanged = StateEffect.define<null>();

const boxes = (o: MarginOptions) => StateField.define<DecorationSet>({
  create: (state) => drawn(state, o),
  update(set, tr) {
    const was = tr.startState, now = tr.state;
    if (was.field(criticField, false) === undefined) return set; // it has come with this transaction
    const same = was.field(readingField) === now.field(readingField) && was.field(notedField) === now.field(notedField) && was.field(criticField).words === now.field(criticField).words && !tr.effects.some((e) => e.is(sentChanged));
    return same ? set.map(tr.changes) : drawn(now, o);
  },
  provide: (f) => EditorView.decorations.from(f),
});

// Where the words are that an aside is about.
function placeOf(a: Aside): number { return "mark" in a ? a.mark.inner.from : (a.note.about?.inner.from ?? a.note.mark.to); }

const GAP = 6; // px between two cards

// Where there is room beside the text, each box stands at its passage, and none over another.
const places = ViewPlugin.define((view) => {
  const place = () => view.requestMeasure({
    key: places,
    read: () => {
      let free = -Infinity;
      return [...view.contentDOM.querySelectorAll<HTMLElement>(":scope > .md-aside")].map((box) => {
        const all = box.firstElementChild as HTMLElement, here = box.getBoundingClientRect();
        if (here.height > 1) return { all, by: 0 };
        const at = view.posAtDOM(box), a = asidesOf(view.state.field(criticField)).find((a) => below(view.state.doc, markOf(a)) === at);
        const want = (a && view.coordsAtPos(placeOf(a), 1)?.top) ?? here.top, top = Math.max(want, free);
        free = top + all.offsetHeight + GAP;
        return { all, by: Math.round(top - here.top) };
      });
    },
    write: (to) => { for (const { all, by } of to) all.style.insetBlockStart = `${by}px`; },
  });
  place();
  return { update: (u) => { if ((u.docChanged || u.geometryChanged || u.viewportChanged) && u.state.field(criticField).marks.length > 0) place(); } };
});

/** margin sets comments and suggestions beside the text, or below their lines where there is no room. */
export function margin(o: MarginOptions) {
  const field = boxes(o);
  const told = ViewPlugin.define((view) => {
    let first = true; // it is told at once
    const off = o.sent.subscribe(() => { if (!first) view.dispatch({ effects: sentChanged.of(null) }); first = false; });
    return { destroy: off };
  });
  return [field, places, told];
}
