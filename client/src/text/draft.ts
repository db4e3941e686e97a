/** A text that was not saved, and the version of the file that it was written on. */
export interface Draft {
  etag: string;
  content: string;
  at: string;
}

/** Storage is what drafts need of localStorage. */
export interface Store {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
  removeItem(key: string): void;
}

/** Drafts keeps one unsaved text per file, so that a crash of the tab loses none. */
export class Drafts {
  constructor(private readonly store: Store) {}

  read(project: string, file: string): Draft | null {
    try {
      const d: unknown = JSON.parse(this.store.getItem(key(project, file)) ?? "null");
      if (typeof d !== "object" || d === null) return null;
      const { etag, content, at } = d as Record<string, unknown>;
      return typeof content === "string" && typeof etag === "string" ? { etag, content, at: String(at) } : null;
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
