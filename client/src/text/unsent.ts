import type { Shelf } from "./queue.ts";

interface Kept {
  at: string;
  text: string;
}

/**
 * Unsent keeps what is written to a dialog and was not sent. Each tab keeps its
 * own, so that none can wipe another's away, and one that was closed leaves its
 * text to the next that opens the dialog with nothing of its own.
 */
export class Unsent {
  constructor(private readonly shelf: Shelf, private tab: string, private readonly fresh: () => string) {}

  /** take gives the tab's own text, or the newest that another left, which is the tab's own from then on. */
  take(project: string, dialog: string): string {
    const own = this.#read(this.#key(project, dialog));
    if (own !== null) return own.text;
    const prefix = prefixOf(project, dialog);
    const others = this.shelf.keys().filter((k) => k.startsWith(prefix)).flatMap((key) => {
      const kept = this.#read(key);
      return kept === null ? [] : [{ key, ...kept }];
    });
    const newest = others.sort((a, b) => b.at.localeCompare(a.at))[0];
    if (newest === undefined) return "";
    if (this.#write(this.#key(project, dialog), newest)) this.shelf.removeItem(newest.key);
    return newest.text;
  }

  /** keep holds what is written now; "" is nothing. A full storage keeps none over a reload, and harms nothing else. */
  keep(project: string, dialog: string, text: string, at: string): void {
    const key = this.#key(project, dialog);
    if (text === "") this.shelf.removeItem(key);
    else this.#write(key, { at, text });
  }

  /**
   * changed is called where another tab changed a key. This tab still shows its
   * text: where that tab took it, it is kept again; and where it keeps its own
   * there, as the copy of a tab does, this one takes another place.
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
      return null; // what can't be read can't be sent either
    }
  }
}

function prefixOf(project: string, dialog: string): string { return `vibey.message/${project}/${dialog}/`; }
