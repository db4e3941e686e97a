import type { Range } from "./passage.ts";

// What is found in a text as it is seen: marks that are hidden stand between no two words.

/** Hidden is a piece of a text that is not seen. `of` is the whole mark whose sign it is, null for what stands for itself, as a comment. */
export interface Hidden extends Range { of: Range | null }

/** Hit is where words were found. */
export interface Hit extends Range {
  /** false where it begins or ends within a letter that is written in several parts, as "e" in "é" */
  precise: boolean;
  /** its words as they are written */
  text: string;
  /** what is not seen of them, by positions in them; none where they were found as they are written */
  hidden: readonly Hidden[];
}

/** hitsIn lists where words stand in a text, as it is seen and as it is written. What is hidden is given in its order. */
export function hitsIn(text: string, words: string, hidden: readonly Hidden[]): Hit[] {
  const seen = found(text, words, hidden);
  if (hidden.length === 0) return seen;
  let last = 0;
  return [...seen, ...found(text, words, [])].sort((a, b) => a.from - b.from).filter((h) => h.from >= last && (last = h.to) > 0);
}

function found(text: string, words: string, hidden: readonly Hidden[]): Hit[] {
  const out: Hit[] = [], want = lettersOf(words, []).words, { words: all, from, to } = lettersOf(text, hidden);
  const whole = wholeAt(hidden);
  for (let i = want === "" ? -1 : all.indexOf(want); i >= 0; i = all.indexOf(want, i + want.length)) {
    const last = i + want.length - 1, r = whole({ from: from(i), to: to(last) });
    const within = r.to - r.from === want.length ? [] : hidden.filter((h) => h.from >= r.from && h.to <= r.to);
    out.push({ ...r, text: text.slice(r.from, r.to), precise: (i === 0 || from(i - 1) !== from(i)) && (last + 1 === all.length || to(last + 1) !== to(last)), hidden: within.map((h) => moved(h, -r.from)) });
  }
  return out;
}

/** wholeAt returns what widens a range: by the sign right before it of a mark that ends in it, and by the one right behind it of a mark that begins there. */
export function wholeAt(hidden: readonly Hidden[]): (r: Range) => Range {
  const before = new Map(hidden.map((h) => [h.to, h])), behind = new Map(hidden.map((h) => [h.from, h]));
  return ({ from, to }) => {
    for (let h = before.get(from); h?.of && h.of.to <= to; h = before.get(from)) from = h.from;
    for (let h = behind.get(to); h?.of && h.of.from >= from; h = behind.get(to)) to = h.to;
    return { from, to };
  };
}

/** moved returns what is hidden as it stands in a text that begins elsewhere. */
export const moved = (h: Hidden, by: number): Hidden => ({ from: h.from + by, to: h.to + by, of: h.of && { from: h.of.from + by, to: h.of.to + by } });

const OTHER = /[^\0-\x7f]/g;
// One writes straight quotation marks where another's program sets curly ones, high or low.
const QUOTES: Record<string, string> = { "‘": "'", "’": "'", "‚": "'", "‛": "'", "ʼ": "'", "“": '"', "”": '"', "„": '"', "‟": '"' };

// A run of letters as they are compared, from number n on, and where it begins in the text; size is that of its one character where that became several, or another.
interface Run { n: number; at: number; size: number }

// The letters of a text as they are compared: small ones, each in its parts, and straight quotation marks. from and to return where the n-th of them stands.
function lettersOf(text: string, hidden: readonly Hidden[]): { words: string; from: (n: number) => number; to: (n: number) => number } {
  const runs: Run[] = [], parts: string[] = [];
  let n = 0, at = 0, other = -1;
  const add = (letters: string, size: number, by: number) => {
    runs.push({ n, at, size });
    parts.push(letters);
    n += letters.length;
    at += by;
  };
  for (let i = 0; i <= hidden.length; i++) {
    const end = hidden[i]?.from ?? text.length;
    while (at < end) {
      if (other < at) {
        OTHER.lastIndex = at;
        other = OTHER.exec(text)?.index ?? text.length;
      }
      const to = Math.min(end, other);
      if (to > at) add(text.slice(at, to).toLowerCase(), 0, to - at);
      else {
        const c = String.fromCodePoint(text.codePointAt(at)!);
        add(QUOTES[c] ?? c.normalize("NFKD").toLowerCase(), c.length, c.length);
      }
    }
    at = Math.max(at, hidden[i]?.to ?? 0);
  }
  // What is asked for is near to what was asked for last.
  let k = 0;
  const run = (n: number) => {
    while (k > 0 && runs[k]!.n > n) k--;
    while (k + 1 < runs.length && runs[k + 1]!.n <= n) k++;
    return runs[k]!;
  };
  return {
    words: parts.join(""),
    from: (n) => { const r = run(n); return r.size > 0 ? r.at : r.at + n - r.n; },
    to: (n) => { const r = run(n); return r.size > 0 ? r.at + r.size : r.at + n - r.n + 1; },
  };
}

// Where each character stands that is seen.
function placesOf(text: string, hidden: readonly Hidden[]): number[] {
  const out: number[] = [];
  let at = 0;
  for (const h of [...hidden, { from: text.length, to: text.length }]) {
    for (; at < h.from; at++) out.push(at);
    at = Math.max(at, h.to);
  }
  return out;
}

/**
 * rewritten returns what was found so that it is seen as `words`. Every mark stays around what is
 * left of the words that it was around, comments and footnotes stay, and a mark around nothing goes.
 */
export function rewritten({ text, hidden }: Hit, words: string): string {
  if (hidden.length === 0) return words;
  const at = placesOf(text, hidden), most = Math.min(at.length, words.length);
  let head = 0, tail = 0;
  while (head < most && text[at[head]!] === words[head]) head++;
  while (tail < most - head && text[at[at.length - 1 - tail]!] === words[words.length - 1 - tail]) tail++;
  const put = words.slice(head, words.length - tail), gone = new Set(at.slice(head, at.length - tail));
  const place = head < at.length - tail ? at[head]! : head > 0 ? at[head - 1]! + 1 : 0;
  const holds = (of: Range) => of.from < 0 || of.to > text.length || (put !== "" && of.from < place && place < of.to) || at.some((i) => i >= of.from && i < of.to && !gone.has(i));
  for (const h of hidden) if (h.of && !holds(h.of)) for (let i = h.from; i < h.to; i++) gone.add(i);
  let out = "";
  for (let i = 0; i < text.length; i++) out += (i === place ? put : "") + (gone.has(i) ? "" : text[i]!);
  return place === text.length ? out + put : out;
}
