import table from "./hidden.json" with { type: "json" };
import { hidden as say } from "./strings.ts";

/** A piece of revealed text: text as it is, or a character that would be invisible. */
export type Piece = string | { code: string; name: string };

interface Row {
  from: number;
  to: number;
  name: string;
}

const point = (hex: string) => parseInt(hex, 16);
const ROWS: Row[] = table.hidden.map((r) => ({ from: point(r[0]!), to: point(r[1]!), name: r[2]! }));
const PICTURES = table.pictures.map((r) => [point(r[0]!), point(r[1]!)] as const);

// The characters of the table, and every code point that is unassigned in the Unicode
// version of this browser. `cmd/vibey/visible.go` uses the same table.
const HIDDEN = new RegExp(`[${ROWS.map((r) => `\\u{${r.from.toString(16)}}-\\u{${r.to.toString(16)}}`).join("")}\\p{Cn}]`, "gu");

const SELECTOR = 0xfe0f;
const JOINER = 0x200d;

/**
 * reveal splits text at the characters that would be invisible: control, bidi,
 * zero-width and tag characters become a code and a name. Newline, tab, the space
 * U+0020 and the joiners inside an emoji stay text.
 */
export function reveal(text: string): Piece[] {
  const out: Piece[] = [];
  let from = 0;
  for (const m of text.matchAll(HIDDEN)) {
    const c = m[0].codePointAt(0)!;
    if (inEmoji(text, m.index, c)) continue;
    if (m.index > from) out.push(text.slice(from, m.index));
    from = m.index + m[0].length;
    out.push({ code: "U+" + c.toString(16).toUpperCase().padStart(4, "0"), name: nameOf(c) });
  }
  if (from < text.length) out.push(text.slice(from));
  return out;
}

/** hiddenCount returns how many characters of text would be invisible. */
export function hiddenCount(text: string): number {
  return reveal(text).filter((p) => typeof p !== "string").length;
}

function inEmoji(text: string, at: number, c: number): boolean {
  if (c !== SELECTOR && c !== JOINER) return false;
  const before = at === 0 ? 0 : text.codePointAt(at >= 2 && isLow(text.charCodeAt(at - 1)) ? at - 2 : at - 1)!;
  if (c === SELECTOR) return isPicture(before);
  return (before === SELECTOR || isPicture(before)) && isPicture(text.codePointAt(at + 1) ?? 0);
}

function isLow(n: number): boolean { return n >= 0xdc00 && n < 0xe000; }

function isPicture(c: number): boolean { return PICTURES.some(([from, to]) => from <= c && c <= to); }

function nameOf(c: number): string {
  const name = ROWS.find((r) => r.from <= c && c <= r.to)?.name ?? say.unknown;
  return name === "tag" && c >= 0xe0020 && c <= 0xe007e ? "tag " + String.fromCodePoint(c - 0xe0000) : name;
}
