/** What a call would do, in words for the human who decides. */
export interface CallWords {
  /** the question of the approval card: "Change deed/index.html?" */
  question: string;
  /** where the question names what another program named: that name, and the words around it */
  quoted?: { before: string; name: string; after: string };
  /** whether the object is another program's own words, and no name of ours */
  byName?: boolean;
  /** what happens if it is allowed */
  effect: string;
  /** whose doing it is, where it is not ours */
  whose?: string;
  /** what another program calls it, in a line */
  says?: string;
  /** whether the effect is that something may be lost */
  loses?: boolean;
  /** the list's second line: "wants to change deed/index.html" */
  wants: string;
  /** for one line: the verb by the state of the call, and its object */
  verb: { pending: string; running: string; done: string; denied: string; failed: string };
  object: string;
}

// Words of a shell that delete files, move them away or write over them. What a program
// does inside can't be seen.
const DELETES = /(?:^|[\s;&|(`])(?:rm|rmdir|mv|unlink|shred|truncate|dd)\s|\bgit\s+(?:clean|reset|checkout|restore|stash|rm)\b|\s-delete\b|(?:^|[^>&\d])>(?![>&])(?!\s*\/dev\/null)/;

/** deletes reports whether a command plainly deletes files or writes over them. */
export function deletes(command: string): boolean { return DELETES.test(command); }

/** oneLine returns a text as one line that fits into a question: its white space as blanks, and at most 120 characters. */
export function oneLine(s: string): string {
  const t = s.trim().replace(/\s+/g, " ");
  return t.length > 120 ? t.slice(0, 119) + "…" : t;
}
