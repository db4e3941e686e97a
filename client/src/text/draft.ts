/** What was not saved of a text: the version of the file that it was written on, and the changes in it. */
export interface Draft {
  etag: string;
  base: string;
  /** as the editor gives them: JSON */
  mine: unknown;
  at: string;
}

/** Storage is what drafts need of localStorage. */
export interface Store {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
  removeItem(key: string): void;
}

/** Drafts keeps one draft per file in a Storage: it serves where a browser has no database. */
export class Drafts {
  constructor(private readonly store: Store) {}

  read(project: string, file: string): Draft | null {
    try {
      const d: unknown = JSON.parse(this.store.getItem(key(project, file)) ?? "null");
      if (typeof d !== "object" || d === null) return null;
      const { etag, base, mine, at } = d as Record<string, unknown>;
      return typeof base === "string" && typeof etag === "string" ? { etag, base, mine, at: String(at) } : null;
    } catch {
      return null; // a draft that can't be read is dropped
    }
  }

  /** write reports whether the draft was kept; a full storage is no error. */
  write(project: string, file: string, draft: Draft): boolean {
    try {
      this.store.setItem(key(project, file), JSON.stringify(draft));
      return true;
    } catch {
      return false;
    }
  }

  drop(project: string, file: string): void { this.store.removeItem(key(project, file)); }
}

function key(project: string, file: string): string { return `vibey.draft/${project}/${file}`; }
