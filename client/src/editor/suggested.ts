import { StateEffect, StateField, type EditorState, type Range as Put } from "@codemirror/state";
import { Decoration, EditorView, ViewPlugin, WidgetType, type DecorationSet, type ViewUpdate } from "@codemirror/view";
import type { Drawn } from "../state/doc.ts";
import { piecesOf, Spans } from "../text/spans.ts";
import type { Range } from "../text/passage.ts";
import { Below } from "./below.ts";
import { shownMarks } from "./reading.ts";

/** SuggestedOptions is what suggestions need from the window. */
export interface SuggestedOptions {
  /** how many px of the text's foot something lies over */
  covered: () => number;
  /** is called once all of a suggestion was in view: what goes, and what comes */
  onSeen: (key: string) => void;
}

interface Shown { all: readonly Drawn[]; /** the one whose card has the pointer or the focus */ pointed: string; drawn: DecorationSet; goes: readonly Range[] }

const setDrawn = StateEffect.define<readonly Drawn[]>();
const point = StateEffect.define<string>();
const NONE: Shown = { all: [], pointed: "", drawn: Decoration.none, goes: [] };

/** suggestedField is what agents want changed in the text and wait to be answered for. */
const suggestedField = StateField.define<Shown>({
  create: () => NONE,
  update(now, tr) {
    let { all, pointed } = now;
    if (tr.docChanged && all.length > 0) {
      const to = (at: number, side: number) => tr.changes.mapPos(at, side);
      all = all.map((d) => ({ ...d, from: to(d.from, 1), to: Math.max(to(d.from, 1), to(d.to, -1)), pieces: d.pieces.map((p) => ({ ...p, from: to(p.from, 1), to: Math.max(to(p.from, 1), to(p.to, -1)) })) }));
    }
    for (const e of tr.effects) {
      if (e.is(setDrawn)) all = e.value;
      else if (e.is(point)) pointed = e.value;
    }
    return all === now.all && pointed === now.pointed ? now : { all, pointed, drawn: draw(tr.state, all, pointed), goes: all.flatMap((d) => d.pieces) };
  },
  // The marks of what goes are shown, for all of it must be seen.
  provide: (f) => [EditorView.decorations.from(f, (v) => v.drawn), shownMarks.from(f, (v) => v.goes)],
});

const added = new WeakSet<EditorView>();

/** suggest draws suggestions in place of those before, and tells which of them were in view as a whole. */
export function suggest(view: EditorView, all: readonly Drawn[], o: SuggestedOptions): void {
  if (!added.has(view)) view.dispatch({ effects: StateEffect.appendConfig.of([suggestedField, ViewPlugin.define((v) => new Seen(v, o))]) });
  added.add(view);
  view.dispatch({ effects: setDrawn.of(all) });
}

/** suggestedAt returns where a suggestion stands by now; null for one that is not drawn. */
export function suggestedAt(state: EditorState, key: string): Drawn | null { return state.field(suggestedField, false)?.all.find((d) => d.key === key) ?? null; }

const ANSWERED = Decoration.mark({ class: "md-asked" });

function draw(state: EditorState, all: readonly Drawn[], pointed: string): DecorationSet {
  const out: Put<Decoration>[] = [];
  for (const d of all) {
    d.pieces.forEach((p, i) => {
      const attributes = { "data-suggested": d.key, "data-piece": String(i) }, more = d.key === pointed ? " md-pointed" : "";
      if (p.to > p.from) out.push(Decoration.mark({ tagName: "del", class: `md-struck${more}`, attributes }).range(p.from, p.to));
      if (p.add !== "") out.push(Decoration.widget({ widget: new Added(d.key, i, p.add, more), side: 1 }).range(p.to));
    });
    if (d.pieces.length === 0 && d.to > d.from) out.push(ANSWERED.range(d.from, d.to));
    out.push(Decoration.widget({ widget: new Below(d.host), block: true, side: 1 }).range(state.doc.lineAt(d.to).to));
  }
  return Decoration.set(out, true);
}

class Added extends WidgetType {
  constructor(readonly key: string, readonly piece: number, readonly text: string, readonly more: string) { super(); }
  override eq(o: Added): boolean { return o.key === this.key && o.piece === this.piece && o.text === this.text && o.more === this.more; }
  toDOM(): HTMLElement {
    const el = document.createElement("ins");
    el.className = `md-set-in${this.more}`;
    el.textContent = this.text;
    Object.assign(el.dataset, { suggested: this.key, piece: String(this.piece) });
    return el;
  }
  override get lineBreaks(): number { return this.text.split("\n").length - 1; }
}

// So many letters are seen at once.
const PIECE = 16, NEAR = 1;

const POINTS = ["mouseover", "mouseleave", "focusin"];

interface Sight { goes: Spans; comes: Spans }

// Seen keeps what was in view as positions of the words, so that nothing counts that was not drawn.
class Seen {
  readonly #known = new Map<string, Sight[]>();
  readonly #told = new Set<string>();
  #look: () => void;

  constructor(private readonly view: EditorView, private readonly o: SuggestedOptions) {
    this.#look = () => view.requestMeasure({ key: this, read: () => this.#see(), write: (keys) => { for (const k of keys) this.o.onSeen(k); } });
    view.scrollDOM.addEventListener("scroll", this.#look, { passive: true });
    document.addEventListener("visibilitychange", this.#look);
    for (const type of POINTS) view.dom.addEventListener(type, this.#point);
  }

  #point = (e: Event): void => {
    if (this.view.composing) return;
    const { all, pointed } = this.view.state.field(suggestedField);
    const over = e.type === "mouseleave" ? null : e.target as Node;
    const key = (all.find((d) => d.host.contains(over)) ?? all.find((d) => d.host.contains(document.activeElement)))?.key ?? "";
    if (key !== pointed) this.view.dispatch({ effects: point.of(key) });
  };

  update(u: ViewUpdate): void {
    if (u.state.field(suggestedField).all.length > 0 && (u.docChanged || u.geometryChanged || u.viewportChanged || u.startState.field(suggestedField) !== u.state.field(suggestedField))) this.#look();
  }

  // Returns the keys of what is in view as a whole by now.
  #see(): string[] {
    const { all } = this.view.state.field(suggestedField);
    if (document.visibilityState !== "visible" || all.length === 0) return [];
    const a = this.view.scrollDOM.getBoundingClientRect();
    const within = { top: a.top, bottom: a.bottom - this.o.covered(), left: a.left, right: a.right };
    for (const el of this.view.contentDOM.querySelectorAll<HTMLElement>("[data-suggested]")) {
      const d = all.find((s) => s.key === el.dataset["suggested"]), i = Number(el.dataset["piece"]);
      const piece = d?.pieces[i];
      if (d === undefined || piece === undefined) continue;
      const sight = this.#sightOf(d)[i]!;
      const nodes = document.createTreeWalker(el, NodeFilter.SHOW_TEXT);
      for (let at = 0, n = nodes.nextNode() as Text | null; n !== null; at += n.length, n = nodes.nextNode() as Text | null) {
        const start = el.localName === "ins" ? at : this.view.posAtDOM(n) - piece.from;
        for (const [from, to] of piecesOf(n.data, PIECE)) {
          if (inView(n, from, to, within)) (el.localName === "ins" ? sight.comes : sight.goes).add(start + from, start + to);
        }
      }
    }
    return all.filter((d) => this.#whole(d)).map((d) => signed(d)).filter((s) => !this.#told.has(s)).map((s) => { this.#told.add(s); return s.slice(0, s.indexOf("\n")); });
  }

  #sightOf(d: Drawn): Sight[] {
    const key = signed(d), now = this.#known.get(key) ?? d.pieces.map(() => ({ goes: new Spans(), comes: new Spans() }));
    this.#known.set(key, now);
    return now;
  }

  #whole(d: Drawn): boolean {
    const sight = this.#sightOf(d);
    return d.pieces.every((p, i) => seen(this.view.state.sliceDoc(p.from, p.to), sight[i]!.goes) && seen(p.add, sight[i]!.comes));
  }

  destroy(): void {
    this.view.scrollDOM.removeEventListener("scroll", this.#look);
    document.removeEventListener("visibilitychange", this.#look);
    for (const type of POINTS) this.view.dom.removeEventListener(type, this.#point);
  }
}

// Blanks are not to be seen.
function seen(text: string, of: Spans): boolean { return [...text.matchAll(/\S+/g)].every((m) => of.has(m.index, m.index + m[0].length)); }

// A suggestion that is drawn otherwise must be seen anew.
function signed(d: Drawn): string { return `${d.key}\n${d.pieces.map((p) => `${p.from - d.from} ${p.to - d.from} ${p.add}`).join("\n")}`; }

let range: globalThis.Range | null = null;

function inView(node: Text, from: number, to: number, v: { top: number; bottom: number; left: number; right: number }): boolean {
  range ??= document.createRange();
  range.setStart(node, from);
  range.setEnd(node, to);
  const r = range.getBoundingClientRect();
  const blank = node.data.slice(from, to).trim() === "";
  return (blank || (r.width > 0 && r.height > 0)) && r.top >= v.top - NEAR && r.bottom <= v.bottom + NEAR && r.left >= v.left - NEAR && r.right <= v.right + NEAR;
}
