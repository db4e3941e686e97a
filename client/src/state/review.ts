import { computed, signal } from "@preact/signals";
import type { CallChange, ChangeHunk, RefusedFile } from "../types.ts";
import { byFile, countComments, keysOf, messageOf, readComments, straysOf, withComment, without, type Comment, type Comments } from "../text/review.ts";
import { review as say } from "../text/strings.ts";
import { api } from "./api.ts";
import type { OpenDialog } from "./dialog.ts";
import { sendMessage } from "./queue.ts";
import { shelf } from "./shelf.ts";
import { toast } from "./toast.ts";

/** The turn that is reviewed, by the message that it began with. */
export const reviewing = signal<{ dialog: OpenDialog; turn: string } | null>(null);

const keyOf = (d: OpenDialog, turn: string) => `vibey.review/${d.project}/${d.id}/${turn}`;

/** unsentIn counts the comments on a turn that wait to be sent. */
export function unsentIn(d: OpenDialog, turn: string): number { return countComments(readComments(shelf.getItem(keyOf(d, turn)))); }

/** Review is what a turn changed, and the comments on it. These are kept in this browser until they are sent, for all its tabs. */
export class Review {
  readonly changes = signal<CallChange[] | null>(null);
  readonly trouble = signal("");
  readonly comments = signal<Comments>({});
  readonly files = computed(() => byFile(this.changes.value ?? []));
  readonly #keys = computed(() => keysOf(this.files.value));
  readonly count = computed(() => countComments(this.comments.value));
  /** the comments on lines that are not shown any more: of a file that changed since, say */
  readonly strays = computed(() => straysOf(this.#keys.value, this.comments.value));
  readonly #key: string;
  #read = 0;

  constructor(readonly dialog: OpenDialog, readonly turn: string) {
    this.#key = keyOf(dialog, turn);
    this.#load();
    addEventListener("storage", this.#stored);
  }

  close(): void { removeEventListener("storage", this.#stored); }

  #load(): void { this.comments.value = readComments(shelf.getItem(this.#key)); }

  #stored = (e: StorageEvent): void => { if (e.key === this.#key) this.#load(); };

  /** read reads what the turn changed, and what of it stands; of two readings the later one counts. */
  async read(): Promise<void> {
    const n = ++this.#read;
    try {
      const all = await api.changes(this.dialog.project, this.dialog.id, this.turn);
      if (n !== this.#read) return;
      this.changes.value = all;
      this.trouble.value = "";
    } catch (e) {
      if (n === this.#read) this.trouble.value = (e as Error).message;
    }
  }

  /** write keeps the comment on a line; an empty one is none. */
  write(key: string, comment: Comment): void {
    try {
      this.#keep(withComment(readComments(shelf.getItem(this.#key)), key, comment));
    } catch {
      toast(say.notKept);
    }
  }

  #keep(all: Comments): void {
    this.comments.value = all;
    if (Object.keys(all).length === 0) shelf.removeItem(this.#key);
    else shelf.setItem(this.#key, JSON.stringify(all));
  }

  /** takeBack takes back one hunk, and returns the file if it was left as it is. */
  takeBack(c: CallChange, h: ChangeHunk): Promise<RefusedFile[]> { return this.#undo({ id: c.call, hunk: { path: c.path, from: h.from, to: h.to } }); }

  /** bringBack undoes an undo. */
  bringBack(note: string): Promise<RefusedFile[]> { return this.#undo({ id: note }); }

  async #undo(what: Parameters<typeof api.undo>[2]): Promise<RefusedFile[]> {
    const { refused } = await api.undo(this.dialog.project, this.dialog.id, what);
    await this.read();
    return refused;
  }

  /** send makes one message of the comments. It returns false where this browser has no room for it: then they stay. */
  send(): boolean {
    const sent = this.comments.value, text = messageOf(this.files.value, sent);
    if (text === "" || !sendMessage(this.dialog, text, {})) return false;
    try {
      this.#keep(without(readComments(shelf.getItem(this.#key)), sent));
    } catch {
      // what is left is less than before: it stays as it was
    }
    return true;
  }
}
