import { effect, signal } from "@preact/signals";
import type { Passage } from "../types.ts";
import { lastId } from "../text/items.ts";
import { TITLE_MAX } from "../text/names.ts";
import { findPassage, passageIn } from "../text/passage.ts";
import { passage as say, told } from "../text/strings.ts";
import { api, ApiError } from "./api.ts";
import type { OpenDoc } from "./doc.ts";
import type { ModelChoice } from "./dialog.ts";
import { byId, docTitle } from "./project.ts";
import { announce } from "./toast.ts";
import { Draft } from "./unsent.ts";

// Which dialog was last asked about a doc, as this browser keeps it.
const keyOf = (p: string, name: string) => `vibey.asked/${p}/${name}`;

// How often the passage is looked for anew where the file is another than was shown.
const TRIES = 4;

/** Ask is a question about a passage of the doc in view: its words, and the dialog that they go to. */
export class Ask {
  readonly words: Draft;
  /** the dialog that it goes to; "" for a new one */
  readonly to = signal("");
  readonly busy = signal(false);
  /** why it was not sent, or when it will be; "" for neither */
  readonly trouble = signal("");
  /** it goes out when its dialog rests */
  readonly waits = signal(false);
  #asked = { from: 0, text: "" };
  #offWait: () => void;

  /** choose tells who answers in a new dialog. */
  constructor(readonly doc: OpenDoc, private readonly choose: () => Promise<ModelChoice>) {
    this.words = new Draft(doc.project, `?on:${doc.name}`);
    this.#offWait = effect(() => {
      if (this.waits.value && !works(this.to.value)) queueMicrotask(() => void this.send());
    });
  }

  /** begin takes the passage that is marked in the text. */
  begin(): void {
    const at = this.doc.editor!.asked()!;
    this.#asked = { from: at.from, text: this.doc.text.slice(at.from, at.to) };
    this.trouble.value = "";
    const last = localStorage.getItem(keyOf(this.doc.project, this.doc.name)) ?? "";
    this.to.value = byId.peek().has(last) ? last : "";
  }

  /** turnTo chooses the dialog that it goes to. */
  turnTo(id: string): void {
    this.to.value = id;
    this.waits.value = false;
    this.trouble.value = "";
  }

  /** leave closes the field; focus and selection are given back. */
  leave(): void {
    this.waits.value = false;
    this.doc.asking.value = false;
    const { editor } = this.doc, at = editor?.asked();
    if (!editor || !at) return;
    editor.ask(null);
    editor.select(at);
  }

  /** send saves what is unsaved, and sends the question with its passage. Where it does not go out, the words stay. */
  async send(): Promise<void> {
    const prompt = this.words.text.peek();
    if (prompt.trim() === "" || this.busy.peek()) return;
    this.busy.value = true;
    this.waits.value = false;
    this.trouble.value = "";
    try {
      const id = await this.#out(prompt);
      if (id === null) return;
      localStorage.setItem(keyOf(this.doc.project, this.doc.name), id);
      this.words.write("");
      this.doc.asking.value = false;
      announce(told.sent);
      const at = this.doc.editor?.asked();
      if (!at) return;
      this.doc.question.value = { dialog: id, ...at };
      this.doc.editor!.ask(null);
      this.doc.editor!.select({ from: at.to, to: at.to }); // what is typed next takes the place of nothing
    } catch (e) {
      this.trouble.value = (e as Error).message;
    } finally {
      this.busy.value = false;
    }
  }

  // Returns the dialog that has the question; null where it waits for that.
  async #out(prompt: string): Promise<string | null> {
    for (let n = 1; ; n++) {
      if (this.doc.dirty.peek() && !(await this.doc.save())) throw new Error(say.notSaved);
      try {
        return this.to.peek() === "" ? await this.#begin(prompt) : await this.#goOn(this.to.peek(), prompt);
      } catch (e) {
        const { status, kind, message } = e as ApiError;
        if (status === 404 && this.to.peek() !== "" && !byId.peek().has(this.to.peek())) this.to.value = "";
        else if (kind === "active" || kind === "stale") return this.#wait();
        else if (kind !== "target-changed" && status !== 404) throw status === undefined ? e : new Error(say.notSent(message));
        if (n === TRIES) throw new Error(say.notSent(message));
        await this.doc.reread();
      }
    }
  }

  // The passage in the file as it was read or saved last.
  #on(): Passage {
    const { text, etag } = this.doc.file, at = this.doc.editor?.asked() ?? null;
    const { text: words, from } = this.#asked;
    const range = at !== null && text.slice(at.from, at.to) === words ? at : findPassage(text, words, at?.from ?? from);
    if (range === null) throw new Error(say.changed);
    if (at?.from !== range.from || at.to !== range.to) this.doc.editor?.ask(range);
    return passageIn(this.doc.name, etag, text, range);
  }

  async #begin(prompt: string): Promise<string> {
    const { provider, model } = await this.choose();
    if (provider === "") throw new Error(say.noModel);
    const title = [...docTitle(this.doc.name)].slice(0, TITLE_MAX).join("");
    const res = await api.startDialog(this.doc.project, { provider, ...(model === "" ? {} : { model }), title, prompt, on: [this.#on()] });
    let id = "";
    const { readEvents } = await import("../live/events.ts");
    await readEvents(res, (events) => { // its first event names it; the turn goes on without this reader
      id = (JSON.parse(events[0]!.data) as { dialogId?: string }).dialogId ?? "";
      return true;
    });
    return id;
  }

  // A call that came since is not denied by it unseen.
  async #goOn(id: string, prompt: string): Promise<string | null> {
    const { total = 0 } = await api.dialogHead(this.doc.project, id);
    const now = await api.dialogSince(this.doc.project, id, Math.max(0, total - 1));
    if (now.status === "active" || (now.pending ?? []).length > 0) return this.#wait();
    const seen = lastId(now.sections);
    const res = await api.changeDialog(this.doc.project, id, { prompt, on: [this.#on()], ...(seen === "" ? {} : { seen }) });
    await res.body?.cancel();
    return id;
  }

  #wait(): null {
    this.trouble.value = say.waits;
    setTimeout(() => { if (this.trouble.peek() === say.waits) this.waits.value = true; }, PAUSE);
    return null;
  }

  close(): void {
    this.#offWait();
    this.words.close();
  }
}

// The list may tell a moment later that a dialog works.
const PAUSE = 1000;

function works(id: string): boolean {
  const info = byId.value.get(id);
  return info !== undefined && (info.status === "active" || info.needs === "approval");
}
