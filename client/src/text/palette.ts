import type { SearchResult } from "../types.ts";
import type { Route } from "./route.ts";

/** Something that can be found or done by its name. */
export interface Choice {
  kind: "do" | "dialog" | "doc" | "project";
  key: string;
  name: string;
  /** another name by which it is found */
  also?: string;
  /** what stands beside the name */
  about?: string;
  to?: Route;
  act?: () => void;
}

/**
 * matching returns the choices whose names hold each word of what was typed, in any
 * order; those that begin with it come first. Nothing typed matches all.
 */
export function matching(all: Choice[], typed: string): Choice[] {
  const words = plain(typed).split(/\s+/).filter((w) => w !== "");
  const rank = (name: string) => (words.length > 0 && name.startsWith(words[0]!) ? 0 : 1);
  return all
    .map((c) => ({ c, name: plain(c.also === undefined ? c.name : `${c.name} ${c.also}`) }))
    .filter(({ name }) => words.every((w) => name.includes(w)))
    .sort((a, b) => rank(a.name) - rank(b.name))
    .map(({ c }) => c);
}

// Without capitals and accents.
function plain(s: string): string { return s.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase(); }

/** around cuts a line to what stands around the first match of what was searched for: the text before it, the match, and what follows. */
export function around(line: string, typed: string, before = 40, after = 120): [string, string, string] {
  const at = line.toLowerCase().indexOf(typed.trim().toLowerCase());
  if (at < 0) return [line.slice(0, before + after), "", ""];
  const end = at + typed.trim().length;
  const from = Math.max(0, at - before);
  return [(from > 0 ? "…" : "") + line.slice(from, at), line.slice(at, end), line.slice(end, end + after) + (end + after < line.length ? "…" : "")];
}

/** wayTo is where a line that was found stands. */
export function wayTo(project: string, r: SearchResult): Route {
  return r.dialogId ? { at: "dialogs", project, dialog: r.dialogId } : { at: "docs", project, file: r.file };
}
