import { marksIn, notesIn, type Note } from "./critic.ts";

// A comment is named by its passage and its words: with other words it is another.
function keyOf(text: string, { about, words }: Note): string { return JSON.stringify([about === null ? "" : text.slice(about.inner.from, about.inner.to), words]); }

/** unsentNotes lists the comments of a text but for those that were sent: of several with one name the first ones were. */
export function unsentNotes(text: string, sent: readonly string[]): Note[] {
  const rest = countOf(sent);
  return notesIn(text, marksIn(text)).filter((n) => {
    if (n.words === "") return false;
    const key = keyOf(text, n), was = rest.get(key) ?? 0;
    rest.set(key, was - 1);
    return was <= 0;
  });
}

/** sentKeys lists the names of the comments of a text. */
export function sentKeys(text: string): string[] { return unsentNotes(text, []).map((n) => keyOf(text, n)); }

/** withoutNew returns what was sent where a comment was written: it is none of those, though one of its name was sent before. */
export function withoutNew(sent: readonly string[], before: string, now: string): string[] {
  const had = countOf(sentKeys(before)), has = countOf(sentKeys(now)), kept = new Map<string, number>();
  return sent.filter((key) => {
    const n = (kept.get(key) ?? 0) + 1;
    kept.set(key, n);
    return (has.get(key) ?? 0) <= (had.get(key) ?? 0) || n <= (had.get(key) ?? 0);
  });
}

function countOf(keys: readonly string[]): Map<string, number> {
  const out = new Map<string, number>();
  for (const key of keys) out.set(key, (out.get(key) ?? 0) + 1);
  return out;
}
