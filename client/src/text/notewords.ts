/** A piece of a note: words, or what an element of that name has in it. A link has its address. */
export type Piece = string | { tag: "em" | "strong" | "s" | "code" | "a"; in: Piece[]; href?: string };

const INLINE = /\\(\p{P})|(`+)(.*?[^`])\2(?!`)|!?\[((?:[^\][]|\[[^\][]*\])*)\]\((?:(https?:[^)\s]*)[^)]*|[^)]*)\)|(\*\*|__|~~)(?=\S)(.*?\S)\6(?!\*)|\*(?=\S)((?:\*\*.+?\*\*|[^*])+?)(?<=\S)\*(?!\*)|(?<![\p{L}\p{N}])_(?=\S)(.*?\S)_(?![\p{L}\p{N}])/su;

/** piecesOf reads the emphasis, code and links of a note's text. Behind a link to the web stands its address. */
export function piecesOf(text: string): Piece[] {
  const m = INLINE.exec(text);
  if (!m) return text === "" ? [] : [text];
  const [all, escaped, , code, words, href, mark, marked, slanted = m[9]] = m;
  const made: Piece[] = escaped !== undefined ? [escaped] : code !== undefined ? [{ tag: "code", in: [code] }]
    : mark !== undefined ? [{ tag: mark === "~~" ? "s" : "strong", in: piecesOf(marked!) }]
    : slanted !== undefined ? [{ tag: "em", in: piecesOf(slanted) }]
    : href === undefined ? piecesOf(words!) : [{ tag: "a", in: piecesOf(words!), href }, ` (${href})`];
  return [...(m.index > 0 ? [text.slice(0, m.index)] : []), ...made, ...piecesOf(text.slice(m.index + all.length))];
}
