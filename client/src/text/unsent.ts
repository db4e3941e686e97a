import { together, type Shelf } from "./queue.ts";

interface Kept {
  at: string;
  text: string;
}

/**
 * Unsent keeps texts that were written and not sent. Each tab keeps its own, so that none
 * overwrites another's. The text of a closed tab goes to the next tab that opens the
 * dialog and has no text of its own; that of a tab that is open stays there, since it
 * would come back here after it was sent there.
 *
 * Which tabs are open is known a moment after the page was loaded. What is typed until
 * then is kept beside the tab's text, by `begin`, and joined to it by the next take.
 */
export class Unsent {
  /** `page` names this page among those that the tab loads. */
  constructor(private readonly shelf: Shelf, private tab: string, private readonly fresh: () => string, private readonly page = "") {}

  /** rename gives the tab another name, where one that lives has the same: what is kept under the old one is not its own. */
  rename(tab: string): void { this.tab = tab; }

  /** take returns the tab's own text, or the newest that a tab left which is not among the living; that is the tab's own then. */
  take(project: string, dialog: string, living: ReadonlySet<string> = new Set()): string {
    const own = this.#key(project, dialog), prefix = prefixOf(project, dialog);
    const kept = (is: (tab: string, page: string) => boolean) => this.shelf.keys().flatMap((key) => {
      const [tab = "", page = ""] = key.slice(prefix.length).split(PAGE);
      const k = key.startsWith(prefix) && is(tab, page) ? this.#read(key) : null;
      return k === null ? [] : [{ key, ...k }];
    }).sort((a, b) => a.at.localeCompare(b.at));
    const mine = kept((tab, page) => tab === this.tab && (page === "" || page !== this.page));
    const newest = kept((tab) => tab !== this.tab && !living.has(tab)).at(-1);
    const all = mine.length > 0 ? mine : newest !== undefined ? [newest] : [];
    // The tab's own text comes first, then what was begun beside it, the oldest first.
    const text = all.sort((a, b) => Number(b.key === own) - Number(a.key === own)).reduce((before, k) => together(before, k.text), "");
    const begun = all.filter((k) => k.key !== own);
    if (begun.length > 0 && this.#write(own, { at: begun.at(-1)!.at, text })) for (const { key } of begun) this.shelf.removeItem(key);
    return text;
  }

  /** begin stores a text that is written before take was called; "" removes it, as it must be once the text is kept with what was taken. */
  begin(project: string, dialog: string, text: string, at: string): void {
    const of = prefixOf(project, dialog), key = this.#begun.get(of) ?? this.#key(project, dialog) + PAGE + this.page;
    this.#begun.set(of, key);
    this.#put(key, { at, text });
  }

  // Under which key a text was begun: the tab may have another name by now.
  readonly #begun = new Map<string, string>();

  /** keep stores the text; "" removes it. Where the storage is full, the text is lost at a reload. */
  keep(project: string, dialog: string, text: string, at: string): void { this.#put(this.#key(project, dialog), { at, text }); }

  #put(key: string, kept: Kept): void {
    if (kept.text === "") this.shelf.removeItem(key);
    else this.#write(key, kept);
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

// Between a tab's name and a page's.
const PAGE = "~";

function prefixOf(project: string, dialog: string): string { return `vibey.message/${project}/${dialog}/`; }
