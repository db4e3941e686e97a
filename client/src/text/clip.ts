import { parts as say } from "./strings.ts";

/** A text cut for showing. */
export interface Clip {
  shown: string;
  lines: number;
  moreLines: number;
  moreChars: number;
}

/**
 * clip cuts text to at most `lines` lines and `chars` characters. A long
 * line is cut too, since what is off the screen was not read.
 */
export function clip(text: string, lines: number, chars: number): Clip {
  const all = countLines(text);
  let end = 0;
  for (let n = 0; n < lines; n++) {
    const i = text.indexOf("\n", end);
    if (i < 0) { end = text.length; break; }
    end = i + 1;
  }
  if (end < text.length) end -= 1;
  end = Math.min(end, chars);
  // Never cut between the halves of a surrogate pair.
  if (end > 0 && end < text.length && isHigh(text.charCodeAt(end - 1))) end -= 1;
  const shown = text.slice(0, end);
  if (end === text.length) return { shown, lines: all, moreLines: 0, moreChars: 0 };
  return { shown, lines: all, moreLines: all - countLines(shown), moreChars: text.length - end };
}

/** countLines counts lines as an editor does: a final newline begins no new one. */
export function countLines(text: string): number {
  if (text === "") return 0;
  let n = 1;
  for (let i = text.indexOf("\n"); i >= 0 && i < text.length - 1; i = text.indexOf("\n", i + 1)) n++;
  return n;
}

/** more says in words what a clip leaves out: "212 more lines", "9,031 more characters". */
export function more(c: Clip): string {
  return c.moreLines > 0 ? say.moreLines(c.moreLines) : say.moreChars(c.moreChars);
}

function isHigh(n: number): boolean { return n >= 0xd800 && n < 0xdc00; }
