/** wordCount counts words but those of comments, also in scripts without blanks between them; not so where it is to be rough and quick. */
export function wordCount(text: string, rough = false): number {
  text = text.replace(/\{>>(?:(?!\{>>)[^])*?<<\}/g, "");
  if (rough || segmenter === null) return text.split(/\s+/).filter((w) => /[\p{L}\p{N}]/u.test(w)).length;
  let n = 0;
  for (const s of segmenter.segment(text)) if (s.isWordLike) n++;
  return n;
}

const segmenter = typeof Intl !== "undefined" && "Segmenter" in Intl ? new Intl.Segmenter(undefined, { granularity: "word" }) : null;
