import { effect, signal } from "@preact/signals";
import type { Passage, Section } from "../types.ts";
import { lastId, textOf } from "../text/items.ts";
import { TITLE_MAX } from "../text/names.ts";
import { sending } from "../text/strings.ts";
import { api, ApiError } from "./api.ts";
import type { OpenDoc } from "./doc.ts";
import type { ModelChoice } from "./dialog.ts";
import { keepAsked, lastAsked } from "./lastasked.ts";
import { byId, docTitle } from "./project.ts";

// How often passages are looked for anew where the file is another than was shown.
const TRIES = 4;

/** Said is a message about passages of the file as it was read or saved last. */
export interface Said { prompt: string; on: Passage[] }

/** Sent is a message that went out, and the dialog that has it. */
export interface Sent { id: string; prompt: string }

/** Words tell why a message does not go out. */
export interface Words { notSaved: string; notSent: (why: string) => string; waits: string; noModel: string }

/** Outgoing is a message about passages of the doc in view, and the dialog that it goes to. */
export abstract class Outgoing {
  /** the dialog that it goes to; "" for a new one */
  readonly to = signal("");
  readonly busy = signal(false);
  /** why it was not sent, or when it will be; "" for neither */
  readonly trouble = signal("");
  /** it goes out when its dialog rests */
  readonly waits = signal(false);
  #tried: { id: string; total: number; known: Set<string>; prompt: string } | null = null;
  #offWait: () => void;

  /** choose tells who answers in a new dialog. */
  constructor(readonly doc: OpenDoc, private readonly choose: () => Promise<ModelChoice>, private readonly why: Words) {
    this.#offWait = effect(() => {
      if (this.waits.value && !works(this.to.value)) queueMicrotask(() => void this.send());
    });
  }

  abstract send(): Promise<void>;

  /** toLast chooses the dialog that was asked last about the doc, or a new one. */
  toLast(): void {
    const last = lastAsked(this.doc.project, this.doc.name);
    this.to.value = byId.peek().has(last) ? last : "";
  }

  /** turnTo chooses the dialog that it goes to. */
  turnTo(id: string): void {
    this.to.value = id;
    this.rest();
  }

  /** rest leaves it unsent until it is sent anew. */
  protected rest(): void {
    this.waits.value = false;
    this.trouble.value = "";
  }

  /** goOut saves what is unsaved and sends what `say` says of the file. It returns what went out, which may be an earlier try, and the dialog that has it; null where nothing did, of which `trouble` tells. */
  protected async goOut(say: () => Said): Promise<Sent | null> {
    if (this.busy.peek()) return null;
    this.busy.value = true;
    this.waits.value = false;
    this.trouble.value = "";
    try {
      const sent = await this.#out(say);
      if (sent !== null) keepAsked(this.doc.project, this.doc.name, sent.id);
      return sent;
    } catch (e) {
      this.trouble.value = (e as Error).message;
      return null;
    } finally {
      this.busy.value = false;
    }
  }

  // Returns null where it waits for its dialog.
  async #out(say: () => Said): Promise<Sent | null> {
    const landed = await this.#landed();
    for (let n = 1; landed === null; n++) {
      if (this.doc.dirty.peek() && !(await this.doc.save())) throw new Error(this.why.notSaved);
      try {
        return this.to.peek() === "" ? await this.#begin(say) : await this.#goOn(this.to.peek(), say);
      } catch (e) {
        const { status, kind, message } = e as ApiError;
        if (status === 0) throw new Error(sending.notKnown);
        this.#tried = null;
        if (status === 404 && this.to.peek() !== "" && !byId.peek().has(this.to.peek())) this.to.value = "";
        else if (kind === "active" || kind === "stale") return this.#wait();
        else if (kind !== "target-changed" && status !== 404) throw status === undefined ? e : new Error(this.why.notSent(message));
        if (n === TRIES) throw new Error(this.why.notSent(message));
        await this.doc.reread();
      }
    }
    return landed;
  }

  // Of a try without an answer it is not known whether it went out: the next one looks first, and sends nothing twice.
  async #landed(): Promise<Sent | null> {
    const tried = this.#tried, p = this.doc.project;
    if (tried === null) return null;
    const { prompt } = tried;
    const has = (sections: Section[]) => sections.some((s) => s.role === "User" && textOf(s) === prompt);
    const all = tried.id !== "" ? [tried.id] : (await api.dialogs(p)).map((d) => d.dialogId).filter((id) => !tried.known.has(id));
    let found: Sent | null = null;
    for (const id of all) {
      if (!has((await api.dialogSince(p, id, tried.total)).sections)) continue;
      found = { id, prompt };
      break;
    }
    this.#tried = null;
    return found;
  }

  async #begin(say: () => Said): Promise<Sent> {
    const { provider, model } = await this.choose();
    if (provider === "") throw new Error(this.why.noModel);
    const title = [...docTitle(this.doc.name)].slice(0, TITLE_MAX).join("");
    const said = say();
    this.#tried = { id: "", total: 0, known: new Set(byId.peek().keys()), prompt: said.prompt };
    const res = await api.startDialog(this.doc.project, { provider, ...(model === "" ? {} : { model }), title, ...said });
    let id = "";
    const { readEvents } = await import("../live/events.ts");
    await readEvents(res, (events) => { // its first event names it; the turn goes on without this reader
      id = (JSON.parse(events[0]!.data) as { dialogId?: string }).dialogId ?? "";
      return true;
    });
    if (id === "") throw new ApiError(0, sending.notKnown);
    this.#tried = null;
    return { id, prompt: said.prompt };
  }

  // A call that came since is not denied by it unseen.
  async #goOn(id: string, say: () => Said): Promise<Sent | null> {
    const { total = 0 } = await api.dialogHead(this.doc.project, id);
    const now = await api.dialogSince(this.doc.project, id, Math.max(0, total - 1));
    if (now.status === "active" || (now.pending ?? []).length > 0) return this.#wait();
    const seen = lastId(now.sections), said = say();
    this.#tried = { id, total, known: new Set(), prompt: said.prompt };
    const res = await api.changeDialog(this.doc.project, id, { ...said, ...(seen === "" ? {} : { seen }) });
    await res.body?.cancel();
    this.#tried = null;
    return { id, prompt: said.prompt };
  }

  #wait(): null {
    this.trouble.value = this.why.waits;
    setTimeout(() => { if (this.trouble.peek() === this.why.waits) this.waits.value = true; }, PAUSE);
    return null;
  }

  close(): void { this.#offWait(); }
}

// The list may tell a moment later that a dialog works.
const PAUSE = 1000;

function works(id: string): boolean {
  const info = byId.value.get(id);
  return info !== undefined && (info.status === "active" || info.needs === "approval");
}
