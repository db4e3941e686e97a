/** A line of a diff; marks are the [from, to) of the words in it that changed. at is its number, from 1, in its text: of a removed line in the first, else in the second. */
export interface DiffLine {
  kind: "same" | "del" | "add";
  text: string;
  marks: [number, number][];
  at: number;
}

/** A stretch of lines that is shown, or folded. */
export interface Run<T = DiffLine> { folded: boolean; lines: T[] }

/** A change turns [fromA, toA) of one text into [fromB, toB) of another. */
export interface Change { fromA: number; toA: number; fromB: number; toB: number }

/** Differ finds the changes between two texts, in their order. */
export type Differ = (a: string, b: string, limits: { scanLimit: number; timeout: number }) => readonly Change[];

// What all lies between the first difference and the last is one change.
const coarse: Differ = (a, b) => {
  if (a === b) return [];
  let from = 0, toA = a.length, toB = b.length;
  while (from < toA && from < toB && a[from] === b[from]) from++;
  while (toA > from && toB > from && a[toA - 1] === b[toB - 1]) { toA--; toB--; }
  return [{ fromA: from, toA, fromB: from, toB }];
};

let differ = coarse;

/** refine sets what finds the changes: it is loaded with the first diff. Until then a diff is coarser, never wrong. */
export function refine(d: Differ): void { differ = d; }

/** changedWords returns the changes between two texts, widened to whole words; those that touch are one. */
export function changedWords(a: string, b: string): Change[] {
  return joined(differ(a, b, { scanLimit: 500, timeout: 200 }).map((c) => wholeWords(c, a, b)));
}

/** joined makes one change of those that touch, or share words. */
export function joined(changes: Change[]): Change[] {
  const out: Change[] = [];
  for (const c of changes) {
    const last = out.at(-1);
    if (last && (c.fromA <= last.toA || c.fromB <= last.toB)) Object.assign(last, { toA: Math.max(last.toA, c.toA), toB: Math.max(last.toB, c.toB) });
    else out.push({ ...c });
  }
  return out;
}

interface Block { a0: number; a1: number; b0: number; b1: number }

/** diffLines is the line diff of two texts, with the changed words marked inside replaced lines. */
export function diffLines(a: string, b: string): DiffLine[] {
  const A = new Lines(a);
  const B = new Lines(b);
  const changes = changesBetween(a, b);
  const blocks: Block[] = [];
  for (const c of changes) {
    const next = { a0: A.at(c.fromA), a1: A.at(c.toA) + 1, b0: B.at(c.fromB), b1: B.at(c.toB) + 1 };
    const last = blocks[blocks.length - 1];
    if (last && (next.a0 < last.a1 || next.b0 < last.b1)) Object.assign(last, { a1: next.a1, b1: next.b1 });
    else blocks.push(next);
  }
  const marked = changes.map((c, i) => wholeWords(c, a, b, changes[i - 1], changes[i + 1]));
  const out: DiffLine[] = [];
  let row = 0, shift = 0; // how many more lines the second text has before the row
  const same = () => out.push({ kind: "same", text: A.line(row), marks: [], at: row + shift + 1 });
  for (const k of blocks.map((k) => trim(k, A, B))) {
    for (; row < k.a0; row++) same();
    const replaced = k.a1 > k.a0 && k.b1 > k.b0;
    for (let i = k.a0; i < k.a1; i++) {
      out.push({ kind: "del", text: A.line(i), marks: replaced ? A.marks(i, marked.map((c) => [c.fromA, c.toA])) : [], at: i + 1 });
    }
    for (let i = k.b0; i < k.b1; i++) {
      out.push({ kind: "add", text: B.line(i), marks: replaced ? B.marks(i, marked.map((c) => [c.fromB, c.toB])) : [], at: i + 1 });
    }
    row = k.a1;
    shift = k.b1 - k.a1;
  }
  for (; row < A.count; row++) same();
  return out;
}

/** changesBetween returns what turns one text into the other. */
export function changesBetween(a: string, b: string): readonly Change[] {
  // The limits keep two wholly different texts of 1 MB under 200 ms; past them
  // the diff is coarser, never wrong.
  return differ(a, b, { scanLimit: 500, timeout: 200 });
}

/** fold folds what is further than `context` lines from a change. */
export function fold(lines: DiffLine[], context = 3): Run[] { return foldFrom(lines, (l) => l.kind !== "same", context); }

/** foldFrom folds what is further than `context` entries from one that changed. */
export function foldFrom<T>(lines: T[], changed: (l: T) => boolean, context: number): Run<T>[] {
  const near = new Array<boolean>(lines.length).fill(false);
  lines.forEach((l, i) => {
    if (!changed(l)) return;
    for (let j = Math.max(0, i - context); j <= Math.min(lines.length - 1, i + context); j++) near[j] = true;
  });
  const runs: Run<T>[] = [];
  lines.forEach((l, i) => {
    const last = runs[runs.length - 1];
    if (last && last.folded === !near[i]) last.lines.push(l);
    else runs.push({ folded: !near[i], lines: [l] });
  });
  return runs;
}

/** counts returns how many lines are removed and added. */
export function counts(lines: DiffLine[]): { del: number; add: number } {
  return {
    del: lines.filter((l) => l.kind === "del").length,
    add: lines.filter((l) => l.kind === "add").length,
  };
}

const LETTER = /[\p{L}\p{M}\p{N}_]/u;
const isLetter = (s: string, at: number) => at >= 0 && at < s.length && LETTER.test(s[at]!);

/** wholeWords widens a change within words to whole ones, as far as the changes beside it. The text around it is the same on both sides, so both get as much. */
export function wholeWords({ fromA, toA, fromB, toB }: Change, a: string, b: string, before?: Change, after?: Change): Change {
  const low = before?.toA ?? 0, high = after?.fromA ?? a.length;
  if (isLetter(a, fromA) || isLetter(b, fromB)) while (fromA > low && isLetter(a, fromA - 1) && a[fromA - 1] === b[fromB - 1]) { fromA--; fromB--; }
  if (isLetter(a, toA - 1) || isLetter(b, toB - 1)) while (toA < high && isLetter(a, toA) && a[toA] === b[toB]) { toA++; toB++; }
  return { fromA, toA, fromB, toB };
}

// A change that begins or ends at a line's edge touches a line that stayed.
function trim(k: Block, A: Lines, B: Lines): Block {
  let { a0, b0 } = k;
  let a1 = Math.min(k.a1, A.count), b1 = Math.min(k.b1, B.count);
  while (a0 < a1 && b0 < b1 && A.line(a0) === B.line(b0)) { a0++; b0++; }
  while (a0 < a1 && b0 < b1 && A.line(a1 - 1) === B.line(b1 - 1)) { a1--; b1--; }
  return { a0, a1, b0, b1 };
}

// Lines finds lines by offset. A final newline begins no new line, but an offset
// behind it has a line of its own, so that both sides count alike.
class Lines {
  #starts: number[] = [0];
  readonly count: number;
  constructor(readonly text: string) {
    for (let i = text.indexOf("\n"); i >= 0; i = text.indexOf("\n", i + 1)) this.#starts.push(i + 1);
    this.count = this.#starts[this.#starts.length - 1] === text.length ? this.#starts.length - 1 : this.#starts.length;
  }
  line(i: number): string {
    const end = this.#starts[i + 1];
    return this.text.slice(this.#starts[i], end === undefined ? undefined : end - 1);
  }
  at(pos: number): number {
    let lo = 0, hi = this.#starts.length - 1;
    while (lo < hi) {
      const mid = (lo + hi + 1) >> 1;
      if (this.#starts[mid]! <= pos) lo = mid; else hi = mid - 1;
    }
    return lo;
  }
  marks(i: number, ranges: [number, number][]): [number, number][] {
    const from = this.#starts[i]!;
    const to = from + this.line(i).length;
    const out: [number, number][] = [];
    for (const [f, t] of ranges) {
      const a = Math.max(f, from) - from, b = Math.min(t, to) - from;
      const last = out.at(-1);
      if (a >= b) continue;
      if (last !== undefined && a <= last[1]) last[1] = Math.max(last[1], b);
      else out.push([a, b]);
    }
    return out;
  }
}
