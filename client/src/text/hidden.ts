/** A piece of revealed text: text as it stands, or a character that would not be seen. */
export type Piece = string | { code: string; name: string };

const NAMES: Record<number, string> = {
  0x00: "null", 0x07: "bell", 0x08: "backspace", 0x0d: "carriage return", 0x1b: "escape", 0x7f: "delete",
  0x85: "next line", 0xa0: "no-break space", 0xad: "soft hyphen", 0x34f: "grapheme joiner",
  0x61c: "Arabic letter mark", 0x115f: "Hangul filler", 0x1160: "Hangul filler", 0x180e: "Mongolian vowel separator",
  0x200b: "zero-width space", 0x200c: "zero-width non-joiner", 0x200d: "zero-width joiner",
  0x200e: "left-to-right mark", 0x200f: "right-to-left mark", 0x2028: "line separator", 0x2029: "paragraph separator",
  0x202a: "left-to-right embedding", 0x202b: "right-to-left embedding", 0x202c: "end of embedding",
  0x202d: "left-to-right override", 0x202e: "right-to-left override", 0x2060: "word joiner",
  0x2066: "left-to-right isolate", 0x2067: "right-to-left isolate", 0x2068: "first strong isolate",
  0x2069: "end of isolate", 0x2800: "blank braille", 0x3000: "wide space", 0x3164: "Hangul filler",
  0xfe0f: "emoji selector", 0xfeff: "byte order mark", 0xffa0: "Hangul filler", 0xfffd: "unreadable character",
};

// Controls, formats (bidi, zero-width, tags), separators and odd spaces, private
// use, lone surrogates, unassigned; and what is a letter or mark by its class,
// yet draws nothing.
const UNSEEN =
  /(?![\n\t ])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Zs}\p{Co}\p{Cs}\p{Cn}\u034f\u115f\u1160\u2800\u3164\uffa0\ufe00-\ufe0f\u{e0100}-\u{e01ef}\ufffd]/gu;
const PICTURE = /\p{Extended_Pictographic}/u;
const AFTER_PICTURE = /[\p{Extended_Pictographic}\p{Emoji_Modifier}\ufe0f]/u;

/**
 * reveal cuts text into what shows and what would hide: control, bidi,
 * zero-width and tag characters come out as a code and a name. Newline, tab and
 * the plain space stand as they are, and so do the joiners inside an emoji.
 */
export function reveal(text: string): Piece[] {
  const out: Piece[] = [];
  let from = 0;
  for (const m of text.matchAll(UNSEEN)) {
    const c = m[0];
    if (inEmoji(text, m.index, c)) continue;
    if (m.index > from) out.push(text.slice(from, m.index));
    from = m.index + c.length;
    const n = c.codePointAt(0)!;
    out.push({ code: "U+" + n.toString(16).toUpperCase().padStart(4, "0"), name: nameOf(n) });
  }
  if (from < text.length) out.push(text.slice(from));
  return out;
}

/** hiddenCount tells how many characters of text would not be seen. */
export function hiddenCount(text: string): number {
  return reveal(text).filter((p) => typeof p !== "string").length;
}

function inEmoji(text: string, at: number, c: string): boolean {
  if (c !== "\ufe0f" && c !== "\u200d") return false;
  const before = at === 0 ? "" : String.fromCodePoint(text.codePointAt(at >= 2 && isLow(text.charCodeAt(at - 1)) ? at - 2 : at - 1)!);
  if (c === "\ufe0f") return PICTURE.test(before);
  const after = text.codePointAt(at + 1);
  return AFTER_PICTURE.test(before) && after !== undefined && PICTURE.test(String.fromCodePoint(after));
}

function isLow(n: number): boolean { return n >= 0xdc00 && n < 0xe000; }

function nameOf(n: number): string {
  const known = NAMES[n];
  if (known) return known;
  if (n >= 0xe0020 && n <= 0xe007e) return "tag " + String.fromCharCode(n - 0xe0000);
  if (n >= 0xe0000 && n <= 0xe007f) return "tag";
  if ((n >= 0xfe00 && n <= 0xfe0f) || (n >= 0xe0100 && n <= 0xe01ef)) return "variation selector";
  if (n < 0x20 || (n >= 0x7f && n < 0xa0)) return "control";
  const c = String.fromCodePoint(n);
  if (/\p{Zs}/u.test(c)) return "space";
  if (/\p{Co}/u.test(c)) return "private use";
  if (/\p{Cf}/u.test(c)) return "format";
  return "unknown character";
}
