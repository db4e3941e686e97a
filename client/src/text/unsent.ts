import type { Shelf } from "./queue.ts";

interface Kept {
  at: string;
  text: string;
}

/**
 * Unsent keeps texts that were written and not sent. Each tab keeps its own, so that none
 * overwrites another's. The text of a closed tab goes to the next tab that opens the
 * dialog and has no text of its own; that of a tab that is open stays there, since it
 * would come back here after it was sent there.
 */
export class Unsent {
  constructor(private readonly shelf: Shelf, private tab: string, private readonly fresh: () => string) {}

  /** rename gives the tab another name, where one that lives has the same: what is kept under the old one is not its own. */
  rename(tab: string): void { this.tab = tab; }

  /** take returns the tab's own text, or the newest that a tab left which is not among the living; that is the tab's own then. */
  take(project: string, dialog: string, living: ReadonlySet<string> = new Set()): string {
    const own = this.#read(this.#key(project, dialog));
    if (own !== null) return own.text;
    const prefix = prefixOf(project, dialog);
    const others = this.shelf.keys().filter((k) => k.startsWith(prefix) && !living.has(k.slice(prefix.length))).flatMap((key) => {
      const kept = this.#read(key);
      return kept === null ? [] : [{ key, ...kept }];
    });
    const newest = others.sort((a, b) => b.at.localeCompare(a.at))[0];
    if (newest === undefined) return "";
    if (this.#write(this.#key(project, dialog), newest)) this.shelf.removeItem(newest.key);
    return newest.text;
  }

  /** keep stores the text; "" removes it. Where the storage is full, the text is lost at a reload. */
  keep(project: string, dialog: string, text: string, at: string): void {
    const key = this.#key(project, dialog);
    if (text === "") this.shelf.removeItem(key);
    else this.#write(key, { at, text });
  }

  /**
   * changed is called when another tab changed a key. This tab still shows its text: if
   * the other tab took it, it is stored again; if the other tab stores its own under the
   * same key, as a duplicated tab does, this one takes another key.
   */
  changed(key: string | null, value: string | null, project: string, dialog: string, text: string, at: string): void {
    if (key !== this.#key(project, dialog)) return;
    if (value !== null) this.tab = this.fresh();
    this.keep(project, dialog, text, at);
  }

  #key(project: string, dialog: string): string { return prefixOf(project, dialog) + this.tab; }

  #write(key: string, { at, text }: Kept): boolean {
    try {
      this.shelf.setItem(key, JSON.stringify({ at, text }));
      return true;
    } catch {
      return false;
    }
  }

  #read(key: string): Kept | null {
    try {
      const { at, text } = JSON.parse(this.shelf.getItem(key) ?? "{}") as Record<string, unknown>;
      return typeof at === "string" && typeof text === "string" ? { at, text } : null;
    } catch {
      return null; // a text that can't be read is dropped
    }
  }
}

function prefixOf(project: string, dialog: string): string { return `vibey.message/${project}/${dialog}/`; }
