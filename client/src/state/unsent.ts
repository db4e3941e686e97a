import { signal, type Signal } from "@preact/signals";
import { together } from "../text/queue.ts";
import { Unsent } from "../text/unsent.ts";
import { FilesOf } from "./adding.ts";
import { shelf } from "./shelf.ts";
import { another, living, named, tab } from "./tab.ts";

const unsent = new Unsent(shelf, tab(), another, crypto.getRandomValues(new Uint32Array(2)).join("-"));
void named.then((name) => unsent.rename(name), () => undefined);

/** Draft is a text that is written in a dialog and not sent; it outlives a reload and the tab. */
export class Draft {
  readonly text: Signal<string> = signal("");
  /** the files that are on their way to it */
  readonly files: FilesOf;
  #closed = false;
  #taken = false;

  /** `of` names what it belongs to: a dialog's id, or more behind it. */
  constructor(private readonly project: string, private readonly of: string) {
    this.files = FilesOf.of(project, of, this);
    addEventListener("storage", this.#stored);
    void this.#take();
  }

  async #take(): Promise<void> {
    const open = await living();
    const typed = this.text.peek();
    if (this.#closed && typed === "") return;
    const left = unsent.take(this.project, this.of, open);
    this.#taken = true;
    if (left !== "" || typed !== "") this.write(together(left, typed));
    if (typed !== "") unsent.begin(this.project, this.of, "", "");
  }

  /** write stores the text. One that is written before the kept one was read is joined to that. */
  write(text: string): void {
    this.text.value = text;
    const at = new Date().toISOString();
    if (this.#taken) unsent.keep(this.project, this.of, text, at);
    else unsent.begin(this.project, this.of, text, at);
  }

  #stored = (e: StorageEvent): void => {
    if (this.#taken) unsent.changed(e.key, e.newValue, this.project, this.of, this.text.peek(), new Date().toISOString());
  };

  close(): void {
    this.#closed = true;
    removeEventListener("storage", this.#stored);
  }
}
