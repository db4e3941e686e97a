import { signal, type Signal } from "@preact/signals";
import { together } from "../text/queue.ts";
import { Unsent } from "../text/unsent.ts";
import { claim, heldNames } from "./lock.ts";
import { shelf } from "./shelf.ts";

const TAB = "vibey.tab";
const ALIVE = "vibey.alive/";

// The tab's name outlives a reload; a duplicated tab has the same one.
function fresh(): string {
  const name = crypto.getRandomValues(new Uint32Array(2)).join("-");
  sessionStorage.setItem(TAB, name);
  return name;
}

let tab = sessionStorage.getItem(TAB) ?? fresh();
const unsent = new Unsent(shelf, tab, another);

// Where another tab turns out to have this one's name.
function another(): string {
  tab = fresh();
  void claim(ALIVE + tab);
  return tab;
}

// A tab holds a lock under its name, by which the others know that it lives. The page
// that a reload replaces may hold it a moment longer.
const RELOADS = 500;
const named = (async () => {
  if (await claim(ALIVE + tab, RELOADS)) return;
  unsent.rename(another());
})();

/** Draft is a text that is written in a dialog and not sent; it outlives a reload and the tab. */
export class Draft {
  readonly text: Signal<string> = signal("");
  #closed = false;
  #taken = false;

  /** `of` names what it belongs to: a dialog's id, or more behind it. */
  constructor(private readonly project: string, private readonly of: string) {
    addEventListener("storage", this.#stored);
    void this.#take();
  }

  async #take(): Promise<void> {
    const names = await named.then(heldNames).catch((): string[] => []); // a browser that refuses locks
    const living = new Set(names.filter((n) => n.startsWith(ALIVE)).map((n) => n.slice(ALIVE.length)));
    const typed = this.text.peek();
    if (this.#closed && typed === "") return;
    const left = unsent.take(this.project, this.of, living);
    this.#taken = true;
    if (left !== "" || typed !== "") this.write(together(left, typed));
  }

  /** write stores the text. One that is written before the kept one was read is joined to that. */
  write(text: string): void {
    this.text.value = text;
    if (this.#taken) unsent.keep(this.project, this.of, text, new Date().toISOString());
  }

  #stored = (e: StorageEvent): void => {
    if (this.#taken) unsent.changed(e.key, e.newValue, this.project, this.of, this.text.peek(), new Date().toISOString());
  };

  close(): void {
    this.#closed = true;
    removeEventListener("storage", this.#stored);
  }
}
