/** Spans is a set of positions of a text, kept as ordered [from, to) ranges. */
export class Spans {
  #all: [number, number][] = [];

  /** add adds a range; ranges that touch become one. */
  add(from: number, to: number): void {
    if (to <= from || this.has(from, to)) return;
    const apart = this.#all.filter(([a, b]) => b < from || a > to);
    const near = this.#all.filter(([a, b]) => b >= from && a <= to);
    apart.push([Math.min(from, ...near.map(([a]) => a)), Math.max(to, ...near.map(([, b]) => b))]);
    this.#all = apart.sort(([a], [b]) => a - b);
  }

  /** has reports whether all of a range is in the set. */
  has(from: number, to: number): boolean { return to <= from || this.#all.some(([a, b]) => a <= from && to <= b); }
}

/** A piece of a text: [from, to). */
export type Piece = [number, number];

/**
 * piecesOf cuts a text into pieces of at most `size` characters, each within one
 * line. Blanks at the end of a line belong to no piece, since they are invisible.
 */
export function piecesOf(text: string, size: number): Piece[] {
  const out: Piece[] = [];
  for (let from = 0; from < text.length;) {
    const end = text.indexOf("\n", from);
    const line = end < 0 ? text.length : end;
    const last = from + text.slice(from, line).trimEnd().length;
    for (; from < last; from += size) out.push([from, Math.min(from + size, last)]);
    from = line + 1;
  }
  return out;
}
