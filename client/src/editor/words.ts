import type { Text } from "@codemirror/state";
import { wordCount } from "../text/words.ts";

const HUGE = 100_000;
// A text of so many letters is counted by its blanks: the browser's own word breaks take 0.5 s for 5 MB.
const ROUGH = 200_000;

/**
 * Words counts the words of a text in steps. What was counted of a part is kept with that
 * part, which an edit elsewhere leaves as it is: 5 MB are counted once, then a few lines a key.
 */
export class Words {
  #known = new WeakMap<Text, number>();
  #rough = false;
  #part: { text: Text; at: number; n: number } | null = null;

  /** count returns the number of words, or null where `late` told to go on another time. */
  count(text: Text, late: () => boolean): number | null {
    if (text.length > ROUGH !== this.#rough) {
      this.#rough = !this.#rough;
      this.#known = new WeakMap();
    }
    return this.#count(text, late);
  }

  #count(text: Text, late: () => boolean): number | null {
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    if (late()) return null;
    let n: number | null = 0;
    if (text.children === null) n = text.length > HUGE ? this.#pieces(text, late) : wordCount(text.toString(), this.#rough);
    else for (const c of text.children) {
      const part: number | null = this.#count(c, late);
      if (part === null) return null;
      n += part;
    }
    if (n !== null) this.#known.set(text, n);
    return n;
  }

  // A line without end is counted piece by piece; each piece ends at a blank.
  #pieces(text: Text, late: () => boolean): number | null {
    if (this.#part?.text !== text) this.#part = { text, at: 0, n: 0 };
    const p = this.#part, s = text.toString();
    while (p.at < s.length) {
      if (late()) return null;
      const near = p.at + HUGE / 2;
      const blank = near >= s.length ? -1 : s.indexOf(" ", near);
      const end = blank < 0 || blank > near + HUGE / 2 ? Math.min(near, s.length) : blank;
      p.n += s.slice(p.at, end).match(/[\p{L}\p{N}]\S*/gu)?.length ?? 0;
      p.at = end;
    }
    return p.n;
  }
}

/** inIdleTime calls a step until it is done, at most 8 ms at a time, while the page has nothing else to do. */
export function inIdleTime(step: (late: () => boolean) => boolean): () => void {
  let stopped = false;
  const idle = typeof requestIdleCallback === "function" ? requestIdleCallback : (f: () => void) => setTimeout(f, 50);
  const run = () => {
    if (stopped) return;
    const end = performance.now() + 8;
    if (!step(() => performance.now() > end)) idle(run);
  };
  idle(run);
  return () => { stopped = true; };
}
