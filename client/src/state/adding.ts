import { signal, type Signal } from "@preact/signals";
import { addedName, MOST, refusedWords, withFile } from "../text/added.ts";
import { added as say } from "../text/strings.ts";
import type { AddedFile } from "../types.ts";
import { api, type ApiError } from "./api.ts";
import { announce } from "./toast.ts";

/**
 * addFile adds a file to the project, and tells that it did. It throws an Error with words for the human,
 * "" where `signal` ended it.
 */
export async function addFile(project: string, file: File, signal: AbortSignal): Promise<AddedFile> {
  const name = nameOf(file);
  try {
    if (file.size > MOST) throw { status: 413 };
    // A folder, or a file that is gone by now, can't be read, and is no trouble of the connection.
    const bytes = await file.arrayBuffer().catch(() => { throw { status: -1, message: say.unreadable }; });
    if (bytes.byteLength === 0) throw { status: -1, message: say.nothingIn };
    const is = await api.addFile(project, name, new Blob([bytes]), signal);
    announce(say.added(addedName(is.path)));
    return is;
  } catch (e) {
    if (signal.aborted) throw new Error("");
    const { status, message } = e as ApiError;
    throw new Error(refusedWords(name, status, message));
  }
}

/** nameOf is what a file is called before the server has named it. */
export function nameOf(file: File): string { return file.name || say.noName; }

/** Adding is a file on its way to a message. `trouble` says why it did not come; "" while it is under way. */
export interface Adding { file: File; trouble: string; off: AbortController }

/** Text is a text to which files are added. */
interface Text { readonly text: { peek(): string }; write(text: string): void }

// What is on its way outlives the box that it was put into: it comes to the same words where they are shown by then.
const all = new Map<string, FilesOf>();

/** FilesOf are the files that are on their way to one message. */
export class FilesOf {
  readonly adding: Signal<Adding[]> = signal([]);
  #last = Promise.resolve();

  private constructor(readonly project: string, private draft: Text) {}

  /** of returns those of a message, which `draft` is from now on. */
  static of(project: string, of: string, draft: Text): FilesOf {
    const key = `${project}/${of}`, known = all.get(key) ?? new FilesOf(project, draft);
    known.draft = draft;
    all.set(key, known);
    return known;
  }

  /** add puts files into the message, one after the other. */
  add(files: File[]): void { for (const file of files) this.#begin({ file, trouble: "", off: new AbortController() }); }

  #begin(a: Adding): void {
    this.adding.value = [...this.adding.peek(), a];
    this.#last = this.#last.then(() => this.#bring(a));
  }

  async #bring(a: Adding): Promise<void> {
    if (a.off.signal.aborted) return;
    try {
      const { path } = await addFile(this.project, a.file, a.off.signal);
      if (a.off.signal.aborted) return;
      this.#drop(a);
      this.draft.write(withFile(this.draft.text.peek(), { words: addedName(path), path }));
    } catch (e) {
      const trouble = (e as Error).message;
      if (trouble === "") return;
      announce(trouble);
      this.adding.value = this.adding.peek().map((b) => (b === a ? { ...a, trouble } : b));
    }
  }

  #drop(a: Adding): void { this.adding.value = this.adding.peek().filter((b) => b.file !== a.file || b.off !== a.off); }

  /** remove takes a file off that did not come yet. */
  remove(a: Adding): void {
    a.off.abort();
    this.#drop(a);
  }

  again(a: Adding): void {
    this.#drop(a);
    this.add([a.file]);
  }

  /** holds says why the message can't go out yet; "" where it can. */
  holds(): string {
    const [first] = this.adding.value;
    const bad = this.adding.value.find((a) => a.trouble !== "");
    return bad ? say.first(nameOf(bad.file)) : first ? say.still(nameOf(first.file)) : "";
  }
}
