import { reveal, type Piece } from "./hidden.ts";

// What writers set between words and in them: no-break and thin spaces, and the soft hyphen.
const TYPOGRAPHY = new Set(["U+00A0", "U+00AD", "U+2007", "U+2009", "U+200A", "U+202F"]);

// Scripts that are not written right without joiners.
const JOINED = /[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Nko}\p{Script=Mongolian}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Oriya}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Khmer}]$/u;

/**
 * revealProse is reveal for a text that is read and decides nothing: what writers of
 * books and of joined scripts set stays as it is.
 */
export function revealProse(text: string): Piece[] {
  const out: Piece[] = [];
  for (const p of reveal(text)) {
    const last = out.at(-1);
    const before = typeof last === "string" ? last : "";
    const plain = typeof p === "string" ? p : TYPOGRAPHY.has(p.code) || ((p.code === "U+200C" || p.code === "U+200D") && JOINED.test(before)) ? String.fromCodePoint(parseInt(p.code.slice(2), 16)) : null;
    if (plain === null) out.push(p);
    else if (typeof last === "string") out[out.length - 1] = last + plain;
    else out.push(plain);
  }
  return out;
}
