/** A footnote of a doc: its label, where it stands, and its text. */
export interface Note { label: string; from: number; to: number; text: string }

/** A note begins with its label at the beginning of a line. */
export const NOTE = /^( {0,3})\[\^([^\]\s[]{1,60})\]:[ \t]*/;

/** What may stand in a note's first paragraph no more. */
export const ENDS = /^ {0,3}(?:#{1,6}\s|>|[-*+]\s|\d+[.)]\s|```|~~~|əəə|\||---|\[\^[^\]\s[]{1,60}\]:)/;

/** notesOf lists the footnotes of a text. One that stands in code is none. */
export function notesOf(text: string): Note[] {
  const out: Note[] = [];
  let at = 0, fence = "", open: Note | null = null;
  for (const line of text.split("\n")) {
    const to = at + line.length, mark = /^ {0,3}(```|~~~|əəə)/.exec(line)?.[1] ?? "";
    const head = fence === "" ? NOTE.exec(line) : null;
    if (mark !== "" && (fence === "" || fence === mark)) fence = fence === "" ? mark : "";
    if (head) out.push((open = { label: head[2]!, from: at, to, text: line.slice(head[0].length).trim() }));
    else if (open && line.trim() !== "" && (/^(?: {4}|\t)/.test(line) || (open.to === at - 1 && !ENDS.test(line)))) {
      open.text += `\n${line.trim()}`;
      open.to = to;
    } else if (line.trim() !== "") open = null;
    at = to + 1;
  }
  return out;
}
