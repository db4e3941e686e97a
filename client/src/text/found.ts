import type { SearchResult } from "../types.ts";

// What a search found in a dialog's file, as one reads it.

/** An escape of a JSON string, whole. */
const ESCAPE = /\\(?:u([0-9a-fA-F]{4})|(.))/g;
const MEANT: Record<string, string> = { n: " ", r: " ", t: " ", b: "", f: "" };

/**
 * readable returns what is shown of a line in which something was found. Of a line of JSON,
 * as the input and the result of a call are, it is the one string that holds the match,
 * without escapes; an excerpt may begin and end anywhere in it.
 */
export function readable({ text, role }: Pick<SearchResult, "text" | "role">, typed: string): string {
  const json = role === "Tool Request" || role === "Tool Result" || ((role === "Reasoning" || role === "Note") && /"\s*:\s*["[{]/.test(text));
  const at = text.toLowerCase().indexOf(typed.trim().toLowerCase());
  if (!json || at < 0) return text;
  let from = at, to = at;
  while (from > 0 && !endsString(text, from - 1)) from--;
  while (to < text.length && !endsString(text, to)) to++;
  return text.slice(from, to).replace(ESCAPE, (_, hex: string | undefined, c: string) => (hex !== undefined ? String.fromCharCode(parseInt(hex, 16)) : MEANT[c] ?? c));
}

// The head of a dialog's file holds its id, its title, which stands among the dialogs, and what a program reads.
const ofHeader = (r: SearchResult) => r.dialogId !== undefined && r.role === undefined && /^> [A-Z][A-Za-z]*:/.test(r.text);

/** readables returns what was found without what reads like one before it in the same file, as a thought beside its provider's own form, and without the heads of dialogs. */
export function readables(all: SearchResult[], typed: string): SearchResult[] {
  const seen = new Set<string>();
  return all.filter((r) => !ofHeader(r)).map((r) => ({ ...r, text: readable(r, typed) })).filter((r) => {
    const key = `${r.file}\n${r.section}\n${r.text}`;
    if (r.dialogId === undefined || !seen.has(key)) return !!seen.add(key);
    return false;
  });
}

/** sorted parts what was found: what docs say, what is said in dialogs, and what agents are told there, the System text, which repeats in each dialog. */
export function sorted(all: SearchResult[]): { docs: SearchResult[]; dialogs: SearchResult[]; told: SearchResult[] } {
  const docs = all.filter((r) => r.dialogId === undefined);
  const [told, dialogs] = [true, false].map((is) => all.filter((r) => r.dialogId !== undefined && (r.role === "System") === is)) as [SearchResult[], SearchResult[]];
  return { docs, dialogs, told };
}

// A quotation mark that is none of the string: an even number of backslashes is before it.
function endsString(line: string, i: number): boolean {
  if (line[i] !== '"') return false;
  let n = 0;
  while (line[i - 1 - n] === "\\") n++;
  return n % 2 === 0;
}
