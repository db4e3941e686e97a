import { SearchQuery } from "@codemirror/search";
import type { EditorState } from "@codemirror/state";
import { hitsIn, moved, rewritten, type Hidden, type Hit } from "../text/seen.ts";
import { unseen } from "./reading.ts";

// So many characters are looked through at a time, for a text may be of 10 MB.
const PIECE = 1 << 16;

/**
 * Query finds words in a text as it is seen, and as it is written. In what it replaces, marks
 * stay around what is left of the words that they were around.
 */
export class Query extends SearchQuery {
  constructor(search: string, replace: string) { super({ search, replace, literal: true }); }

  /** hits returns what is found from one position to another, in order. */
  *hits(state: EditorState, from = 0, to = state.doc.length): Generator<Hit, null> {
    let last = from;
    for (let at = from; at <= to;) {
      const piece = this.#piece(state, at, Math.min(at + PIECE, to));
      for (const h of hitsIn(state.sliceDoc(piece.from, piece.to), this.search, piece.hidden)) {
        const hit = { ...h, from: piece.from + h.from, to: piece.from + h.to };
        if (hit.from < last || hit.to > to) continue;
        last = hit.to;
        yield hit;
      }
      at = piece.to + 1;
    }
    return null;
  }

  /** create returns what CodeMirror's commands ask. It takes the place of its own, which its declarations leave out. */
  create() {
    const next = (state: EditorState, from: number) => this.hits(state, from).next().value;
    return {
      spec: this,
      nextMatch: (state: EditorState, _: number, to: number) => next(state, to) ?? next(state, 0),
      prevMatch: (state: EditorState, from: number) => this.#last(state, from) ?? this.#last(state, state.doc.length),
      matchAll: (state: EditorState) => [...this.hits(state)],
      highlight: (state: EditorState, from: number, to: number, add: (from: number, to: number) => void) => { for (const h of this.hits(state, from, to)) add(h.from, h.to); },
      getReplacement: (h: Hit) => rewritten(h, this.replace),
    };
  }

  #last(state: EditorState, to: number): Hit | null {
    for (let end = to; ;) {
      const { from } = this.#piece(state, Math.max(0, end - PIECE - this.search.length), end), hit = [...this.hits(state, from, end)].at(-1);
      if (hit || from === 0) return hit ?? null;
      end = Math.min(end, from + this.search.length);
    }
  }

  // Widens a stretch to whole lines, and to all lines of what is hidden in several, which is told by positions in it. A plain text may be one line.
  #piece(state: EditorState, from: number, to: number): { from: number; to: number; hidden: Hidden[] } {
    const { doc } = state, hides = state.facet(unseen), n = this.search.length;
    if (hides.length === 0) return { from: Math.max(0, from - n), to: Math.min(doc.length, to + n), hidden: [] };
    for (;;) {
      const first = doc.lineAt(from).from, last = doc.lineAt(to).to;
      const all = hides.flatMap((f) => f(state, first, last)).sort((a, b) => a.from - b.from);
      from = Math.min(first, ...all.map((h) => h.from));
      to = Math.max(last, ...all.map((h) => h.to));
      if (from === first && to === last) return { from, to, hidden: all.map((h) => moved(h, -from)) };
    }
  }
}
