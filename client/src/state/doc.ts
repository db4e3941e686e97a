import { signal, type Signal } from "@preact/signals";
import type { Doc, ProjectRules } from "../types.ts";
import { escapeTitle, MAIN, oneLine } from "../text/names.ts";
import { confirmItem, type Tentative } from "../text/plan.ts";
import { comments, docs as say } from "../text/strings.ts";
import { pauseAfter } from "../text/pause.ts";
import type { Range } from "../text/passage.ts";
import type { Answer, Lines, Writer } from "../text/versions.ts";
import { afterwards, wordsStand } from "./afterwards.ts";
import { api, ApiError } from "./api.ts";
import { dropDraft, keepDraft, keepDraftNow, readDraft } from "./drafts.ts";
import { dialogs, dialogTitle, loadFiles, onChange } from "./project.ts";
import { readSent } from "./sentcomments.ts";
import { project } from "./projects.ts";
import { announce, toast } from "./toast.ts";

/** What is shown above the text of the doc in view. */
export type Bar =
  | { kind: "restored"; at: string; more: number }
  /** a closed tab left another text of it that was not saved */
  | { kind: "more" }
  | { kind: "overlap"; theirs: Doc }
  | { kind: "gone" };

/** By is who changed the doc in view. */
interface By { who: Writer; /** the title of the agent's dialog, or "" */ dialog: string }

/** News is what others changed in the doc in view since it came up; its number tells it from other news in the same words. */
export interface News extends By { id: number; lines: Lines }

/** Place is where the human was in a text: the cursor, and the line that began so many px below the text's upper edge. */
export interface Place { cursor: number; line: number; top: number }

/** Selected is where a passage ends on the page, by the editor's box, which has that width and height; shown is false where that is scrolled away. */
export interface Selected { top: number; bottom: number; left: number; width: number; height: number; shown: boolean }

/** Drawn is a suggestion that is drawn in the text: pieces of it go, others come behind them; host, which asks about it, stands below. Without pieces it is an answer about a passage. */
export interface Drawn extends Range { key: string; pieces: (Range & { add: string })[]; host: HTMLElement }

/** DocEditor is what OpenDoc needs of the editor. */
export interface DocEditor {
  read(): string;
  dirty(): boolean;
  /** changes returns the human's changes in the file's text, as JSON */
  changes(): unknown;
  place(): Place;
  /** goTo puts the cursor at the beginning of a line, counted from 1, or selects words that stand in it or near it, and shows that */
  goTo(line: number, words?: string): void;
  /** selectedLines returns the first and the last line in which something is selected, or that of the cursor, counted from 1 */
  selectedLines(): { from: number; to: number };
  /** topOf returns how far below the window's upper edge a line begins, in px; null where it is not drawn */
  topOf(line: number): number | null;
  /** putFiles adds files to the project, and puts them in at the cursor */
  putFiles(files: File[]): void;
  /** replace makes the text another one, which the human can undo */
  replace(text: string): Promise<void>;
  /** saving marks the text as on its way to the disk, and saved as being there */
  saving(): void;
  saved(): void;
  /** revert goes back to the file's text; undo brings back what was there */
  revert(): void;
  /**
   * rebase merges another version of the file in, once the text may be changed, and where
   * `still` is true then: undefined where it is not. It is null where both changed the same
   * words and no answer is given.
   */
  rebase(theirs: string, still: () => boolean, answer?: Answer): Promise<Lines | null | undefined>;
  /** hasTheirs reports whether what others changed since that is told of still stands as it was written */
  hasTheirs(): boolean;
  /** theirLines counts that, all together */
  theirLines(): Lines;
  showTheirs(): void;
  undoTheirs(): void;
  forgetTheirs(): void;
  /** lines returns the lines of the text, one by one */
  lines(): Iterable<string>;
  setLabel(words: string): void;
  /** retitle writes the first heading of level 1 anew, or one above the text where there is none */
  retitle(heading: string): void;
  /** selected returns what is selected, at whole letters; null for nothing */
  selected(): Range | null;
  /** select selects a passage and takes the focus */
  select(passage: Range): void;
  /** ask marks the passage that is asked about; null ends that */
  ask(passage: Range | null): void;
  /** comment puts a comment on the marked passage, and reports whether one can stand there */
  comment(words: string): Promise<boolean>;
  /** setNoted sets whether comments are shown in the reading view */
  setNoted(on: boolean): void;
  /** asked returns the marked passage, where it stands by now */
  asked(): Range | null;
  /** suggest draws suggestions in place of those before */
  suggest(all: readonly Drawn[]): void;
  /** suggestedAt returns where a suggestion stands by now; null for one that is not drawn */
  suggestedAt(key: string): Range | null;
  /** showSuggested scrolls to a suggestion */
  showSuggested(key: string): void;
  setReading(on: boolean): void;
  /** setOnPaper draws all of the text at once, also what is not in view */
  setOnPaper(on: boolean): void;
  setFocusing(on: boolean): void;
  focus(): void;
}

const sum = (l: Lines) => l.added + l.removed + l.changed;

// Who wrote what two did.
function together(a: By, b: By): By {
  return { who: a.who === b.who ? a.who : "unknown", dialog: a.who === b.who && a.dialog === b.dialog ? a.dialog : "" };
}

const TRIES = 5;
// How long in ms an agent's call is given to tell that it made a change.
const MOMENT = 700;
let newsCount = 0;

// Other tabs of this browser tell that they save, so that their changes are no agent's.
const tabs = typeof BroadcastChannel === "function" ? new BroadcastChannel("vibey.saving") : null;

/** OpenDoc is the doc in view: the version that was read, and the text that is edited. */
export class OpenDoc {
  /** content is the file's text that the editor begins with; null before it was read */
  readonly content = signal<string | null>(null);
  /** draft is what the human had not saved in it */
  draft: unknown = null;
  /** saved is the file's text, as last read or written here: what Discard goes back to */
  readonly saved = signal<string | null>(null);
  /** version changes with each edit of the text */
  readonly version = signal(0);
  /** true once the text has had its editor */
  readonly mounted = signal(false);
  readonly dirty = signal(false);
  readonly savedAt = signal<string | null>(null);
  readonly saving = signal(false);
  readonly bar = signal<Bar | null>(null);
  readonly news = signal<News | null>(null);
  readonly failure = signal("");
  /** true while both versions are shown */
  readonly comparing = signal(false);
  /** what the file says of how agents work, as it was last read or saved; null for any doc but the one that leads */
  readonly rules = signal<ProjectRules | null>(null);
  editor: DocEditor | null = null;
  /** where what is selected ends, and where what is asked about does; null for nothing */
  readonly selected = signal<Selected | null>(null);
  readonly askedAt = signal<Selected | null>(null);
  /** the suggestions of which all was in view, by key */
  readonly seen = signal<ReadonlySet<string>>(new Set());
  /** true while the field that asks about a passage is open */
  readonly asking = signal(false);
  /** the question that went out last: its dialog and its passage */
  readonly question = signal<(Range & { dialog: string }) | null>(null);
  /** opens that field, with the focus, before it returns: what is typed behind the key for it is not for the text */
  onAsk: (() => void) | null = null;
  /** how many comments stand in the text, and whether the field for one is open */
  readonly comments = signal(0);
  /** the names of those that were sent, by this browser */
  readonly sentComments: Signal<readonly string[]>;
  readonly commenting = signal(false);
  onComment: (() => void) | null = null;
  /** onCommented is called where a comment was written, with the text before it. */
  onCommented: ((before: string) => void) | null = null;

  #etag = "";
  #timer: ReturnType<typeof setTimeout> | undefined;
  #offChange: () => void;
  #closed = false;
  #kept = false;
  // How many drafts of it closed tabs left besides the one that is shown.
  #more = 0;
  #run: Promise<boolean> | null = null;
  #again = false;
  #wantsSave = false;
  #turn: Promise<unknown> = Promise.resolve();
  // How often the text was sent to be written: what was read before is older than that.
  #sent = 0;
  // Who wrote what the news tells of, as far as that is known; each news has its own.
  #by: { known: By | null } = { known: null };
  #otherTab = -Infinity;
  // A failure that passes once the server answers again, how often in a row, and what looks again.
  #passing = false;
  #failures = 0;
  #retry: ReturnType<typeof setTimeout> | undefined;

  /** leave is called when the file is gone and nothing in it is unsaved. */
  constructor(readonly project: string, readonly name: string, readonly leave: () => void) {
    this.sentComments = signal(readSent(project, name));
    this.#offChange = onChange((c) => {
      if (c.kind === "dialogs" || (c.name !== undefined && c.name !== "" && c.name !== name)) return;
      this.#look();
    });
    tabs?.addEventListener("message", this.#heard);
    void this.#load();
  }

  #heard = (e: MessageEvent) => { if (e.data === this.#id) this.#otherTab = performance.now(); };
  get #id(): string { return `${this.project}/${this.name}`; }

  /** text is the text in the editor, or as it was read while there is no editor. */
  get text(): string { return this.editor?.read() ?? this.content.value ?? ""; }

  async #load(): Promise<void> {
    try {
      const { draft, more } = await readDraft(this.project, this.name);
      const doc = await api.readDoc(this.project, this.name).catch((e: ApiError) => {
        if (e.status === 404 && draft !== null) return draft; // the editor finds out that the file is gone
        throw e;
      });
      if (this.#closed) return;
      this.#answered();
      this.#more = more;
      // A draft is shown on the version that it was written on; a newer one is merged in once it can be.
      this.#etag = draft?.etag ?? doc.etag;
      this.draft = draft?.mine ?? null;
      this.#kept = draft !== null;
      this.dirty.value = draft !== null;
      if (draft) this.bar.value = { kind: "restored", at: draft.at, more };
      this.saved.value = draft?.base ?? (doc as Doc).content;
      this.content.value = this.saved.value;
      afterwards(() => void this.loadRules());
    } catch (e) {
      wordsStand();
      if ((e as ApiError).status === 404) return this.#deselect();
      this.#failed(e as ApiError);
    }
  }

  // What the server did not answer, or could not, says nothing of the text: it is asked again, and told until it answers.
  #failed(e: ApiError): void {
    if (this.#closed) return;
    this.failure.value = e.message;
    this.#passing = e.status === 0 || e.status >= 500;
    clearTimeout(this.#retry);
    if (this.#passing) this.#retry = setTimeout(() => this.#look(), pauseAfter(++this.#failures));
  }

  #answered(): void {
    if (!this.#passing) return;
    this.#passing = false;
    this.#failures = 0;
    clearTimeout(this.#retry);
    this.failure.value = "";
  }

  /** attach gives the doc its editor, and looks for what was changed while there was none. */
  attach(editor: DocEditor): void {
    this.editor = editor;
    this.version.value++;
    this.mounted.value = true;
    this.#settle();
    afterwards(() => this.#look());
    wordsStand();
  }

  /** detach takes the editor away, and keeps what is written in it for the next. */
  detach(): void {
    this.keepDraft();
    if (this.editor) {
      this.draft = this.dirty.value ? this.editor.changes() : null;
      this.content.value = this.saved.value;
    }
    this.editor = null;
  }

  /** loadRules reads what the doc that leads says of how agents work. */
  async loadRules(): Promise<void> {
    if (this.name !== MAIN) return;
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
      toast(say.confirmed);
    } catch (e) {
      if ((e as ApiError).status !== 409) return toast((e as Error).message);
      toast(say.changed);
    }
    this.#look();
    await this.loadRules();
  }

  /** confirmPlan confirms a tentative item of the plan, in the file as it was shown. */
  async confirmPlan(item: Tentative): Promise<void> {
    const text = confirmItem(this.saved.value ?? "", item);
    if (this.dirty.value || this.#run || text === null) return;
    this.saving.value = true;
    this.#sent++;
    await this.#running(this.#confirmIn(text));
  }

  async #confirmIn(text: string): Promise<boolean> {
    try {
      const etag = await api.writeDoc(this.project, this.name, text, this.#etag);
      await this.#take({ name: this.name, content: text, etag });
      this.forgetTheirs();
      this.savedAt.value = new Date().toISOString();
    } catch (e) {
      toast((e as ApiError).status === 409 ? say.planChanged : (e as Error).message);
    }
    return this.#again ? this.#saveAll() : !this.dirty.value;
  }

  /** edited is called by the editor when its text changed; `dirty` says whether it differs from the file's. */
  edited(dirty: boolean): void {
    this.dirty.value = dirty;
    this.version.value++;
    if (this.editor?.hasTheirs() === false) this.news.value = null;
    this.#timer ??= setTimeout(() => this.keepDraft(), 400);
  }

  /** keepDraft keeps what is not saved; `now` says that the page goes away. */
  keepDraft(now = false): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (!this.dirty.value || !this.editor) {
      if (this.#kept && !this.dirty.value) {
        void dropDraft(this.project, this.name);
        if (this.#more > 0) this.bar.value ??= { kind: "more" };
      }
      this.#kept &&= this.dirty.value;
      return;
    }
    this.#kept = true;
    const draft = { etag: this.#etag, base: this.saved.value!, mine: this.editor.changes(), at: new Date().toISOString() };
    if (now) return keepDraftNow(this.project, this.name, draft);
    void keepDraft(this.project, this.name, draft).then((ok) => { if (!ok) this.failure.value = say.noRoom; });
  }

  /** save writes the text, after a write that is on its way. It reports whether the text is on disk now. */
  save(): Promise<boolean> {
    if (this.#run) {
      this.#again = true;
      return this.#run;
    }
    return this.#running(this.#saveAll());
  }

  #running(write: Promise<boolean>): Promise<boolean> {
    this.#run = write.finally(() => {
      this.#run = null;
      this.saving.value = false;
      this.#look(); // another writer may have saved right after us
    });
    return this.#run;
  }

  async #saveAll(): Promise<boolean> {
    let done: boolean;
    do {
      this.#again = false;
      done = await this.#saveOnce(0);
    } while (this.#again && done && this.dirty.value);
    return done;
  }

  async #saveOnce(tries: number): Promise<boolean> {
    const { editor } = this;
    if (!editor) return false;
    if (this.bar.value?.kind === "overlap") {
      announce(say.notSavedYet); // both texts may be in view already
      return this.#ask();
    }
    const text = editor.read();
    this.saving.value = true;
    this.#sent++;
    this.failure.value = "";
    editor.saving();
    this.keepDraft(); // with what was sent: nothing may be heard of it
    tabs?.postMessage(this.#id);
    try {
      const gone = this.bar.value?.kind === "gone";
      const etag = (await api.writeDoc(this.project, this.name, text, gone ? "" : this.#etag)) || (await api.readDoc(this.project, this.name)).etag;
      this.#written(text, etag);
      return true;
    } catch (e) {
      if ((e as ApiError).status !== 409) {
        this.#failed(e as ApiError);
        return false;
      }
    }
    return (await this.#lost()) && tries < TRIES ? this.#saveOnce(tries + 1) : false;
  }

  #written(text: string, etag: string): void {
    this.#etag = etag;
    this.saved.value = text;
    this.savedAt.value = new Date().toISOString();
    this.bar.value = null;
    this.comparing.value = false;
    this.#wantsSave = false;
    this.editor?.saved();
    this.#settle();
    void this.loadRules();
    loadFiles();
  }

  // Merges the version that was faster. It reports whether the text can be saved now.
  async #lost(): Promise<boolean> {
    try {
      return (await this.#take(await api.readDoc(this.project, this.name))) || this.#ask();
    } catch (e) {
      if ((e as ApiError).status === 404) this.bar.value = { kind: "gone" };
      else this.#failed(e as ApiError);
      return false;
    }
  }

  // Shows both versions of what overlaps, and saves once the human has answered.
  #ask(): false {
    this.comparing.value = true;
    this.#wantsSave = true;
    return false;
  }

  /** answer settles an overlap, and makes the save that waited for it. */
  async answer(a: Answer): Promise<void> {
    const bar = this.bar.value;
    if (bar?.kind !== "overlap") return;
    await this.#take(bar.theirs, a);
    if (this.#wantsSave && this.dirty.value) await this.save();
    this.#wantsSave = false;
  }

  /** retitle gives the doc another title, in its text, and saves that. */
  async retitle(title: string): Promise<void> {
    this.editor?.retitle(`# ${escapeTitle(oneLine(title))}`);
    if (!(await this.save())) throw new Error(say.notRetitled);
  }

  /** sha256 is that of the file's text, as last read or written here. */
  get sha256(): string { return this.#etag.replaceAll('"', ""); }

  /** putBack makes an earlier text that of the doc, and saves it as what the human writes. It reports whether that is on disk; nothing is done where something is not saved. */
  async putBack(text: string): Promise<boolean> {
    if (this.dirty.peek() || this.bar.peek() !== null || this.editor === null) return false;
    await this.editor.replace(text);
    return this.save();
  }

  /** discard goes back to the text on disk. */
  async discard(): Promise<void> {
    const bar = this.bar.value;
    if (bar?.kind === "overlap") await this.#take(bar.theirs, "theirs");
    this.editor?.revert();
    this.bar.value = null;
    this.#settle();
    if (bar?.kind === "gone") this.#deselect();
  }

  /** abandon forgets what is not saved, for a text that is left. */
  abandon(): void {
    this.dirty.value = false;
    this.#kept = true;
    this.keepDraft();
  }

  showTheirs(): void { this.editor?.showTheirs(); }
  undoTheirs(): void {
    this.editor?.undoTheirs();
    this.news.value = null;
  }
  forgetTheirs(): void {
    this.editor?.forgetTheirs();
    this.news.value = null;
  }

  /** file returns the file as it was read or written last, by its text and ETag. */
  get file(): { text: string; etag: string } { return { text: this.saved.peek() ?? "", etag: this.#etag }; }

  /** reread reads the file once more, and merges in what is another version of it. */
  async reread(): Promise<void> {
    this.#look();
    await this.#turn;
  }

  /** ask opens the field that asks about what is selected. */
  ask(): void {
    const passage = this.editor?.selected() ?? null;
    if (passage === null) return toast(say.selectFirst);
    this.editor!.ask(passage);
    this.asking.value = true;
    this.onAsk?.();
  }

  /** comment opens the field for a comment on what is selected. */
  comment(): void {
    const passage = this.editor?.selected() ?? null;
    if (passage === null) return toast(comments.onSelected);
    this.editor!.ask(passage);
    this.commenting.value = true;
    this.onComment?.();
  }

  /** byAct saves what an act in the margin did, where nothing else is unsaved. */
  byAct(act: () => void): void {
    const clean = !this.dirty.peek() && this.bar.peek() === null;
    act();
    if (clean && this.dirty.peek()) void this.save();
  }

  // Reads the file again after a change that may be ours, one reading after the other.
  #look(): void {
    this.#turn = this.#turn.then(async () => {
      if (this.#closed || this.saving.value) return;
      if (this.#passing && this.content.peek() === null) return this.#load();
      if (!this.editor) return;
      const sent = this.#sent;
      const past = () => this.#closed || this.saving.value || sent !== this.#sent; // a save's end looks again
      try {
        const doc = await api.readDoc(this.project, this.name);
        if (past()) return;
        this.#answered();
        if (this.bar.value?.kind === "gone") this.bar.value = null;
        if (doc.etag === this.#etag) return;
        await this.#take(doc);
      } catch (e) {
        if (past()) return;
        if ((e as ApiError).status !== 404) return this.#passing ? this.#failed(e as ApiError) : undefined;
        if (this.dirty.value) this.bar.value = { kind: "gone" };
        else this.#deselect();
      }
    });
  }

  // Merges another version of the file into the text, unless a save has begun before that can be done; where both
  // overlap it asks. It reports whether it is merged.
  async #take(theirs: Doc, answer?: Answer): Promise<boolean> {
    const sent = this.#sent, told = this.editor?.hasTheirs();
    const lines = await this.editor?.rebase(theirs.content, () => !this.#closed && sent === this.#sent, answer);
    if (lines === undefined || this.#closed) return false;
    if (lines === null) {
      this.bar.value = { kind: "overlap", theirs };
      return false;
    }
    this.#etag = theirs.etag;
    this.saved.value = theirs.content;
    // What was left of closed tabs is no less true by this.
    if (this.bar.value?.kind !== "restored" && this.bar.value?.kind !== "more") this.bar.value = null;
    this.comparing.value = false;
    if (answer !== undefined) this.forgetTheirs();
    else if (sum(lines) > 0) void this.#tell(theirs.etag, told ? this.#by : (this.#by = { known: null }));
    this.#settle();
    void this.loadRules();
    return true;
  }

  #settle(): void {
    if (this.editor) this.dirty.value = this.editor.dirty();
    if (!this.dirty.value && this.bar.value?.kind === "restored") this.bar.value = null;
    this.keepDraft();
  }

  // Tells of a change, and who made it as far as its history knows, which is asked once. The result of a call may get
  // there after its change: while an agent works, and shortly after, it is given a moment.
  async #tell(etag: string, news: { known: By | null }): Promise<void> {
    let by: By = { who: "you", dialog: "" };
    if (performance.now() - this.#otherTab >= 10_000) {
      const works = (dialogs.peek() ?? []).some((d) => d.status === "active" || Date.now() - Date.parse(d.mtime) < 60_000);
      if (works) await new Promise((ok) => setTimeout(ok, MOMENT));
      const v = (await api.history(this.project, this.name).catch(() => null))?.versions.findLast((v) => `"${v.sha256}"` === etag);
      by = v?.who === "agent" ? { who: "agent", dialog: dialogTitle(v.dialog) } : { who: v === undefined || v.who === "human" || works ? "unknown" : "other", dialog: "" };
    }
    if (this.#closed || news !== this.#by || !this.editor?.hasTheirs()) return;
    news.known = together(news.known ?? by, by);
    const lines = this.editor.theirLines();
    if (sum(lines) === 0) this.forgetTheirs(); // the later change took back the one before
    else this.news.value = { id: ++newsCount, ...news.known, lines };
  }

  #deselect(): void {
    if (!this.#closed && project.value === this.project) this.leave();
  }

  close(): void {
    if (this.#timer !== undefined) this.keepDraft(true);
    this.#closed = true;
    this.#offChange();
    tabs?.removeEventListener("message", this.#heard);
    clearTimeout(this.#timer);
    clearTimeout(this.#retry);
    this.editor = null;
  }
}
