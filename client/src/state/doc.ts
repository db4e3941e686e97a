import { signal } from "@preact/signals";
import { Drafts } from "../text/draft.ts";
import { api, ApiError } from "./api.ts";
import { go, guardLeaving } from "./navigation.ts";
import { loadFiles, onChange, project } from "./project.ts";
import { toast } from "./toast.ts";

/** What the doc in view must tell above its text. */
export type Bar =
  | { kind: "restored"; at: string }
  | { kind: "changed"; theirs: { content: string; etag: string } }
  | { kind: "gone" };

/** Pane is what the editor gives: the text as it stands, and a way to replace it. */
export interface Pane {
  read(): string;
  replace(text: string): void;
  markClean(): void;
}

const drafts = new Drafts(localStorage);

/** OpenDoc is the one doc in view: the version it began from, and what became of it. */
export class OpenDoc {
  /** null until it was read */
  readonly content = signal<string | null>(null);
  readonly dirty = signal(false);
  readonly savedAt = signal<string | null>(null);
  readonly saving = signal(false);
  readonly bar = signal<Bar | null>(null);
  readonly failure = signal("");
  /** both versions are on view */
  readonly comparing = signal(false);
  pane: Pane | null = null;

  #etag = "";
  #timer: ReturnType<typeof setTimeout> | undefined;
  #offChange: () => void;
  #closed = false;
  #told = false;

  constructor(readonly project: string, readonly name: string) {
    this.#offChange = onChange((c) => {
      if (c.kind === "dialogs" || (c.name !== undefined && c.name !== "" && c.name !== name)) return;
      void this.#look();
    });
    void this.#load();
  }

  /** text is the text as it stands in the editor, or as it was read. */
  get text(): string { return this.pane?.read() ?? this.content.value ?? ""; }

  async #load(): Promise<void> {
    try {
      const doc = await api.readDoc(this.project, this.name);
      if (this.#closed) return;
      this.#etag = doc.etag;
      // A change that was told while this answer was on its way is looked at now.
      if (this.#told) setTimeout(() => void this.#look());
      const draft = drafts.read(this.project, this.name);
      if (draft === null || draft.content === doc.content) {
        drafts.drop(this.project, this.name);
        this.content.value = doc.content;
        return;
      }
      // What was not saved is shown; if the file moved on meanwhile, both are.
      this.base = doc.content;
      this.content.value = draft.content;
      this.dirty.value = true;
      this.bar.value = draft.etag === doc.etag
        ? { kind: "restored", at: draft.at }
        : { kind: "changed", theirs: { content: doc.content, etag: doc.etag } };
      if (draft.etag !== doc.etag) this.#etag = draft.etag;
    } catch (e) {
      if ((e as ApiError).status === 404) return this.#deselect();
      this.failure.value = (e as Error).message;
    }
  }

  /** base is the text that Discard goes back to: the file's, as last read or written here. */
  base: string | null = null;

  /** edited hears from the editor that its text changed, and whether it differs from the base now. */
  edited(dirty: boolean): void {
    this.dirty.value = dirty;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.keepDraft(), 400);
  }

  keepDraft(): void {
    clearTimeout(this.#timer);
    if (!this.dirty.value) return drafts.drop(this.project, this.name);
    const draft = { etag: this.#etag, content: this.text, at: new Date().toISOString() };
    if (!drafts.write(this.project, this.name, draft)) this.failure.value = "This browser has no room left to keep a draft: save soon.";
  }

  /** save writes the text; a lost race shows both versions. It tells whether the text is on disk now. */
  async save(): Promise<boolean> {
    if (this.saving.value || this.content.value === null) return false;
    const text = this.text;
    this.saving.value = true;
    this.failure.value = "";
    try {
      const gone = this.bar.value?.kind === "gone";
      const etag = (await api.writeDoc(this.project, this.name, text, gone ? "" : this.#etag)) || (await api.readDoc(this.project, this.name)).etag;
      this.#written(text, etag);
      return true;
    } catch (e) {
      if ((e as ApiError).status === 409) await this.#conflict();
      else this.failure.value = (e as Error).message;
      return false;
    } finally {
      this.saving.value = false;
      void this.#look(); // someone may have written right behind us
    }
  }

  #written(text: string, etag: string): void {
    this.#etag = etag;
    this.base = text;
    this.savedAt.value = new Date().toISOString();
    this.bar.value = null;
    this.comparing.value = false;
    this.pane?.markClean();
    this.dirty.value = this.text !== text;
    this.keepDraft();
    loadFiles();
  }

  async #conflict(): Promise<void> {
    try {
      const doc = await api.readDoc(this.project, this.name);
      this.bar.value = { kind: "changed", theirs: doc };
      this.comparing.value = true;
    } catch {
      this.bar.value = { kind: "gone" };
    }
  }

  /** keepMine writes my text over the version that I was shown, and over no newer one. */
  async keepMine(): Promise<void> {
    const bar = this.bar.value;
    if (bar?.kind === "changed") this.#etag = bar.theirs.etag;
    await this.save();
  }

  takeTheirs(): void {
    const bar = this.bar.value;
    if (bar?.kind !== "changed") return;
    this.#show(bar.theirs.content, bar.theirs.etag);
  }

  /** discard goes back to the text on disk. */
  discard(): void {
    const bar = this.bar.value;
    if (bar?.kind === "changed") return this.takeTheirs();
    this.#show(this.base ?? this.content.value ?? "", this.#etag);
  }

  #show(text: string, etag: string): void {
    this.#etag = etag;
    this.base = text;
    this.content.value = text;
    this.pane?.replace(text);
    this.pane?.markClean();
    this.dirty.value = false;
    this.bar.value = null;
    this.comparing.value = false;
    this.keepDraft();
  }

  /** #look reads the file again after a change that may be ours: quietly where nothing is unsaved, with a bar where something is. */
  async #look(): Promise<void> {
    this.#told = true;
    if (this.content.value === null || this.saving.value) return;
    try {
      const doc = await api.readDoc(this.project, this.name);
      if (this.#closed || this.saving.value || doc.etag === this.#etag) return;
      if (!this.dirty.value || doc.content === this.text) this.#show(doc.content, doc.etag);
      else this.bar.value = { kind: "changed", theirs: doc };
    } catch (e) {
      if ((e as ApiError).status !== 404 || this.#closed) return;
      if (this.dirty.value) this.bar.value = { kind: "gone" };
      else this.#deselect();
    }
  }

  #deselect(): void {
    if (!this.#closed && project.value === this.project) go({ at: "docs", project: this.project, file: null });
  }

  close(): void {
    this.#closed = true;
    this.#offChange();
    clearTimeout(this.#timer);
    this.pane = null;
  }
}

/** The doc in view. */
export const openDoc = signal<OpenDoc | null>(null);

/** viewDoc puts a doc in view, or none. */
export function viewDoc(p: string | null, name: string | null): void {
  const now = openDoc.peek();
  if (now && now.project === p && now.name === name) return;
  now?.close();
  openDoc.value = p !== null && name !== null ? new OpenDoc(p, name) : null;
}

/** discardDoc drops what is unsaved, its draft too. */
export function discardDoc(): void { openDoc.peek()?.discard(); }

/** deleteDoc removes a doc from disk; what was unsaved in it goes with it. */
export async function deleteDoc(p: string, name: string): Promise<void> {
  try {
    await api.deleteFile(p, name);
  } catch (e) {
    if ((e as ApiError).status !== 404) return toast((e as Error).message);
  }
  drafts.drop(p, name);
  const doc = openDoc.peek();
  if (doc && doc.project === p && doc.name === name) {
    doc.dirty.value = false;
    go({ at: "docs", project: p, file: null });
  }
  loadFiles();
}

guardLeaving(() => openDoc.peek()?.dirty.peek() ?? false);
addEventListener("pagehide", () => openDoc.peek()?.keepDraft());
