import { signal } from "@preact/signals";
import type { ProjectRules } from "../types.ts";
import { Drafts } from "../text/draft.ts";
import { confirmItem, type Tentative } from "../text/plan.ts";
import { api, ApiError } from "./api.ts";
import { go, guardLeaving } from "./navigation.ts";
import { loadFiles, onChange, project } from "./project.ts";
import { toast } from "./toast.ts";

/** What is shown above the text of the doc in view. */
export type Bar =
  | { kind: "restored"; at: string }
  | { kind: "changed"; theirs: { content: string; etag: string } }
  | { kind: "gone" };

/** DocEditor is what OpenDoc needs of the editor: to read and to replace its text. */
export interface DocEditor {
  read(): string;
  replace(text: string): void;
  /** goTo puts the cursor at the beginning of a line, counted from 1, and shows it */
  goTo(line: number): void;
  markClean(): void;
}

const drafts = new Drafts(localStorage);

/** OpenDoc is the doc in view: the version that was read, and the text that is edited. */
export class OpenDoc {
  /** null before it was read */
  readonly content = signal<string | null>(null);
  readonly dirty = signal(false);
  readonly savedAt = signal<string | null>(null);
  readonly saving = signal(false);
  readonly bar = signal<Bar | null>(null);
  readonly failure = signal("");
  /** true while both versions are shown */
  readonly comparing = signal(false);
  /** what the file says of how agents work, as it was last read or saved; null for any doc but the one that leads */
  readonly rules = signal<ProjectRules | null>(null);
  editor: DocEditor | null = null;

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

  /** text is the text in the editor, or as it was read while there is no editor. */
  get text(): string { return this.editor?.read() ?? this.content.value ?? ""; }

  async #load(): Promise<void> {
    try {
      const doc = await api.readDoc(this.project, this.name);
      if (this.#closed) return;
      this.#etag = doc.etag;
      this.base = doc.content;
      void this.loadRules();
      // A change that was announced while this answer was on its way is read now.
      if (this.#told) setTimeout(() => void this.#look());
      const draft = drafts.read(this.project, this.name);
      if (draft === null || draft.content === doc.content) {
        drafts.drop(this.project, this.name);
        this.content.value = doc.content;
        return;
      }
      // The unsaved draft is shown; where the file has changed since, both are.
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

  /** saved is the file's text, as last read or written here; null before it was read. */
  readonly saved = signal<string | null>(null);

  /** base is the text that Discard goes back to: the saved one. */
  get base(): string | null { return this.saved.value; }
  set base(text: string | null) { this.saved.value = text; }

  /** loadRules reads what the doc that leads says of how agents work. */
  async loadRules(): Promise<void> {
    if (this.name !== "doc-main.md") return;
    try {
      const rules = await api.rules(this.project);
      if (!this.#closed) this.rules.value = rules;
    } catch {
      // The doc can be read and written without its card.
    }
  }

  /** confirmWish lets the control block hold in each new dialog, as it was shown. */
  async confirmWish(etag: string): Promise<void> {
    try {
      await api.confirm(this.project, etag);
      toast("Confirmed. It holds in each new dialog from now on.");
    } catch (e) {
      if ((e as ApiError).status !== 409) return toast((e as Error).message);
      toast("The doc changed since you looked, so nothing was confirmed. This is how it stands now.");
    }
    await this.#look();
    await this.loadRules();
  }

  /** confirmPlan confirms a tentative item of the plan, in the file as it was shown. */
  async confirmPlan(item: Tentative): Promise<void> {
    const text = confirmItem(this.base ?? "", item);
    if (this.dirty.value || this.saving.value || text === null) return;
    this.saving.value = true;
    try {
      const etag = await api.writeDoc(this.project, this.name, text, this.#etag);
      this.#show(text, etag);
      this.savedAt.value = new Date().toISOString();
    } catch (e) {
      toast((e as ApiError).status === 409 ? "The plan changed since you looked, so nothing was confirmed. This is how it stands now." : (e as Error).message);
    } finally {
      this.saving.value = false;
      void this.#look();
    }
  }

  /** edited is called by the editor when its text changed; `dirty` says whether it differs from the base. */
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

  /** save writes the text; a lost race shows both versions. It reports whether the text is on disk now. */
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
      void this.#look(); // another writer may have saved right after us
    }
  }

  #written(text: string, etag: string): void {
    this.#etag = etag;
    this.base = text;
    this.savedAt.value = new Date().toISOString();
    this.bar.value = null;
    this.comparing.value = false;
    this.editor?.markClean();
    this.dirty.value = this.text !== text;
    this.keepDraft();
    void this.loadRules();
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

  /** keepMine writes the human's text over the version that was shown, and over no newer one. */
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
    this.editor?.replace(text);
    this.editor?.markClean();
    this.dirty.value = false;
    this.bar.value = null;
    this.comparing.value = false;
    this.keepDraft();
    void this.loadRules();
  }

  /** #look reads the file again after a change that may be ours: quietly where nothing is unsaved, else with a question above the text. */
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
    this.editor = null;
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
