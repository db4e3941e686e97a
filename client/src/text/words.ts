// Where a link or picture leads, the mark of a footnote, and the signs of emphasis within a word.
const UNSEEN = /\]\((?:[^()\n]|\([^()\n]*\))*\)|\[\^[^\]\s[]+\]:?|(?<=\p{L})[*~]+(?=\p{L})/gu;
const ADDRESS = /https?:\S+/gi;

/** wordCount counts the words that are seen, an address as one and none of comments, also in scripts without blanks between them; not so where it is to be rough and quick. */
export function wordCount(text: string, rough = false): number {
  text = text.replace(/\{>>(?:(?!\{>>)[^])*?<<\}/g, "").replace(UNSEEN, "").replace(ADDRESS, "a");
  if (rough || segmenter === null) return text.split(/\s+/).filter((w) => /[\p{L}\p{N}]/u.test(w)).length;
  let n = 0;
  for (const s of segmenter.segment(text)) if (s.isWordLike) n++;
  return n;
}

const segmenter = typeof Intl !== "undefined" && "Segmenter" in Intl ? new Intl.Segmenter(undefined, { granularity: "word" }) : null;
