import type { Shelf } from "./queue.ts";

/** What was not saved of a text: the version of the file that it was written on, and the changes in it. */
export interface Draft {
  etag: string;
  base: string;
  /** as the editor gives them: JSON */
  mine: unknown;
  at: string;
}

/** Left is a draft as a tab keeps it. */
export interface Left extends Draft {
  tab: string;
}

/**
 * pick returns the draft of a file that a tab shows: its own, or else the newest that a
 * tab left which is not among the living. `more` counts those that are left besides.
 */
export function pick(all: Left[], tab: string, living: ReadonlySet<string>): { draft: Left | null; more: number } {
  const newest = new Map<string, Left>();
  for (const d of all) if ((newest.get(d.tab)?.at ?? "") <= d.at) newest.set(d.tab, d);
  const own = newest.get(tab);
  const left = [...newest.values()].filter((d) => d.tab !== tab && !living.has(d.tab)).sort((a, b) => b.at.localeCompare(a.at));
  return own ? { draft: own, more: left.length } : { draft: left[0] ?? null, more: Math.max(0, left.length - 1) };
}

/** Drafts keeps a draft per file and tab in a Storage: it serves where a browser has no database. */
export class Drafts {
  constructor(private readonly shelf: Shelf) {}

  /** read returns all drafts of a file. */
  read(project: string, file: string): Left[] {
    const none = key(project, file, ""), prefix = `${none}/`;
    return this.shelf.keys().filter((k) => k === none || k.startsWith(prefix)).flatMap((k) => {
      try {
        const { etag, base, mine, at } = JSON.parse(this.shelf.getItem(k) ?? "{}") as Record<string, unknown>;
        return typeof base === "string" && typeof etag === "string" ? [{ etag, base, mine, at: String(at), tab: k.slice(prefix.length) }] : [];
      } catch {
        return []; // a draft that can't be read is dropped
      }
    });
  }

  /** write reports whether the draft was kept; a full storage is no error. */
  write(project: string, file: string, tab: string, draft: Draft): boolean {
    try {
      this.shelf.setItem(key(project, file, tab), JSON.stringify(draft));
      return true;
    } catch {
      return false;
    }
  }

  drop(project: string, file: string, tab: string): void { this.shelf.removeItem(key(project, file, tab)); }
}

// Drafts without a tab were kept before each tab had its own.
function key(project: string, file: string, tab: string): string { return `vibey.draft/${project}/${file}${tab === "" ? "" : `/${tab}`}`; }
