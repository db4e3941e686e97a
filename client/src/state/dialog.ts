import { batch, signal, type Signal } from "@preact/signals";
import type { Call, Change, Changed, Frame, Governor, Needs, Section, Status } from "../types.ts";
import { controlText, type Decision } from "../text/control.ts";
import { failureWords, type Words } from "../text/failure.ts";
import { together, type DialogState } from "../text/queue.ts";
import { lastId } from "../text/items.ts";
import { continues, stops } from "../text/notes.ts";
import { mergeSections, sending } from "../text/merge.ts";
import type { Message } from "../text/sse.ts";
import { api, ApiError } from "./api.ts";
import { loadDialogs, onChange } from "./project.ts";
import { follow, readEvents } from "./stream.ts";
import { Tail } from "./tail.ts";
import { toast } from "./toast.ts";
import { unsent } from "./unsent.ts";

/** Failure is what went wrong last in a dialog, in words for the human, and as the provider said it. */
export interface Failure extends Words {
  raw: string;
}

/** ModelChoice is the provider and the model that answer from a message on. */
export interface ModelChoice {
  provider: string;
  model: string;
}

/**
 * OpenDialog is the one dialog in view. All it knows comes from the dialog's
 * stream, which begins with what the file holds: so a reload, a second tab and
 * a late joiner see the same. It follows while the dialog runs, and joins again
 * when the project's stream tells of a change.
 */
export class OpenDialog {
  readonly sections = signal<Section[]>([]);
  readonly pending = signal<Call[]>([]);
  readonly status = signal<Status | null>(null);
  readonly needs = signal<Needs>("none");
  readonly filename = signal("");
  /** the provider that answers the next message; "" before `headed`, and where damage took it from the file */
  readonly provider = signal("");
  readonly headed = signal(false);
  readonly model = signal("");
  /** the model that answered until a message named another */
  readonly began = signal("");
  /** what the governor says of it; null before it was read */
  readonly governor = signal<Governor | null>(null);
  readonly failure = signal<Failure | null>(null);
  /** what is written in the message box and not sent; kept in localStorage, so that it outlives the tab */
  readonly message: Signal<string>;
  /** the command that the project's rules name as its check; "" for none, and before loadCheck */
  readonly check = signal("");
  /** true once the sections on file have been read */
  readonly loaded = signal(false);
  readonly gone = signal(false);
  /** true while text arrives in the tail */
  readonly writing = signal(false);
  readonly tail = new Tail();
  /** true from sumUp on until its Summary was shown */
  summing = false;

  #lastEvent = "";
  #joined: { stop: () => void } | null = null;
  #offChange: () => void;
  #closed = false;
  #again = false;
  #live = false;
  // Grows with each change; an answer that was requested before one is stale.
  #epoch = 0;

  constructor(readonly project: string, readonly id: string) {
    this.message = signal(unsent.take(project, id));
    addEventListener("storage", this.#stored);
    this.#offChange = onChange((c) => {
      if (c.kind === "reset" || (c.kind === "dialogs" && (!c.dialogId || c.dialogId === id))) this.join();
    });
    document.addEventListener("visibilitychange", this.#seen);
    this.join();
  }

  /** write stores the text of the message box. */
  write(text: string): void {
    this.message.value = text;
    unsent.keep(this.project, this.id, text, new Date().toISOString());
  }

  #stored = (e: StorageEvent): void => {
    unsent.changed(e.key, e.newValue, this.project, this.id, this.message.peek(), new Date().toISOString());
  };

  /** state is what decides whether a message that waits may go out. */
  get state(): DialogState {
    return { status: this.loaded.value ? this.status.value : null, needs: this.needs.value, asks: this.pending.value.length > 0 };
  }

  /** join follows the dialog's stream from the last event on. While a stream is followed, it joins again when that ends. */
  join(): void {
    if (this.#closed) return;
    if (this.#joined) {
      this.#again = true;
      return;
    }
    this.#again = false;
    this.#live = false;
    this.#reading = this.#head();
    this.#joined = follow({
      path: api.dialogStream(this.project, this.id),
      lastId: () => this.#lastEvent,
      onOpen: () => { this.#live = true; },
      onBroken: () => { this.#live = false; },
      take: (messages) => batch(() => this.#take(messages)),
      onRefused: (e) => {
        this.#joined = null;
        this.loaded.value = true;
        if ((e as ApiError).status === 404) this.gone.value = true;
        else this.failure.value = { ...failureWords("", (e as Error).message), raw: "" };
      },
    });
  }

  // How many sections the head told of, and how often frames told of budget and phase.
  #read = 0;
  #told = 0;
  #reading: Promise<void> = Promise.resolve();

  // Reads what no frame tells: the provider, the status of a dialog that runs, and what
  // the governor says of all of it.
  async #head(): Promise<void> {
    const epoch = this.#epoch, told = this.#told;
    try {
      const h = await api.dialogHead(this.project, this.id);
      if (this.#closed) return;
      batch(() => {
        this.#read = h.total ?? 0;
        this.#govern(h.governor ?? null, told === this.#told);
        this.headed.value = true;
        this.provider.value = h.provider ?? this.provider.value;
        this.model.value = h.model ?? this.model.value;
        this.began.value = h.began ?? this.began.value;
        if (epoch !== this.#epoch) return;
        this.filename.value = h.filename;
        this.status.value = h.status;
        this.needs.value = h.needs;
        if (h.status !== "active") this.pending.value = h.pending ?? [];
      });
    } catch {
      // The failure that is shown is the stream's.
    }
  }

  // Reads the head again where sections came since, which may have changed what it told.
  async #agree(): Promise<void> {
    await this.#reading;
    if (!this.#closed && this.#read !== this.sections.value.length) await this.#head();
  }

  // A frame that came while the head was read is newer than its budget and phase.
  #govern(g: Governor | null, fresh: boolean): void {
    const now = this.governor.peek();
    if (g === null || now === null || fresh) this.governor.value = g;
    else this.governor.value = { ...g, budget: now.budget, ...(now.phase ? { phase: now.phase, label: now.label ?? "" } : {}) };
  }

  #tell(more: Partial<Governor>): void {
    this.#told++;
    if (this.governor.value) this.governor.value = { ...this.governor.value, ...more };
  }

  #take(messages: Message[]): boolean {
    let end = false;
    for (const m of messages) {
      if (m.id !== "") this.#lastEvent = m.id;
      const frame = JSON.parse(m.data) as Frame;
      if (frame.type === "section") {
        this.#came.push(frame.section);
        continue;
      }
      this.#settle();
      if (frame.type === "reset") {
        this.sections.value = [];
        this.#quiet();
      } else {
        end = this.#frame(frame) || end;
      }
    }
    this.#settleSoon();
    if (!end) return false;
    this.loaded.value = true;
    void this.#agree();
    this.#joined = null;
    loadDialogs();
    if (this.#again) setTimeout(() => this.join());
    return true;
  }

  // Sections that arrived and are not drawn yet: a long dialog arrives in hundreds
  // of pieces, and to draw each would take longer than to read them.
  #came: Section[] = [];
  #settling: ReturnType<typeof setTimeout> | undefined;

  #settleSoon(): void {
    if (this.#came.length > 0) this.#settling ??= setTimeout(() => batch(() => this.#settle()), this.loaded.value ? 0 : 60);
  }

  #settle(): void {
    clearTimeout(this.#settling);
    this.#settling = undefined;
    if (this.#came.length === 0) return;
    const sections = this.#came;
    this.#came = [];
    if (sections.some((s) => s.role === "Assistant")) this.#quiet();
    this.#add(sections);
    this.loaded.value = true;
  }

  #frame(f: Exclude<Frame, { type: "section" | "reset" }>): boolean {
    switch (f.type) {
      case "chunk":
        this.#epoch++;
        this.status.value = "active";
        this.writing.value = true;
        this.tail.push(f.content);
        return false;
      case "tool_request":
        this.#rest("waiting", "approval", f.filename);
        this.pending.value = f.toolCalls.map((c) => ({ id: c.id, tool: c.name, input: c.input, inputText: c.inputText, sha256: c.sha256, ...(c.description ? { description: c.description } : {}), ...(c.target ? { target: c.target } : {}) }));
        return true;
      case "done":
        this.#rest(f.status, f.needs, f.filename);
        this.pending.value = [];
        return true;
      case "error":
        this.failure.value = { ...failureWords(f.kind, f.message), raw: f.message };
        this.#rest("waiting", "continue", this.filename.value);
        this.pending.value = [];
        void this.#head();
        return true;
      case "note":
        if (f.kind === "control") toast(f.text);
        return false;
      case "budget":
        this.#tell({ budget: { used: f.used, limit: f.limit } });
        return false;
      case "phase":
        this.#tell({ phase: f.phase, label: f.label });
        return false;
      default:
        return false; // a type of a newer server
    }
  }

  #rest(status: Status, needs: Needs, filename: string): void {
    this.#epoch++;
    this.status.value = status;
    this.needs.value = needs;
    if (filename) this.filename.value = filename;
    this.#quiet();
  }

  #quiet(): void {
    this.writing.value = false;
    this.tail.clear();
  }

  #add(more: Section[]): void {
    this.sections.value = mergeSections(this.sections.value, more);
    // A message, a stop and a Continue begin anew what the governor counts.
    if (this.loaded.value && more.some((s) => s.role === "User" || stops(s) || continues(s))) void this.#head();
    const decided = new Set(more.filter((s) => s.role === "Tool Result").map((s) => s.id));
    if (decided.size > 0) this.pending.value = this.pending.value.filter((c) => !decided.has(c.id));
  }

  /** send shows the human's message and sends it. Where the server refuses, it removes the message and throws. */
  async send(prompt: string, choice: Partial<ModelChoice>, seen: string): Promise<void> {
    const own = sending(prompt, new Date().toISOString());
    const before = this.status.value;
    batch(() => {
      this.sections.value = [...this.sections.value, own];
      this.status.value = "active";
      this.failure.value = null;
    });
    try {
      await this.#change({ prompt, ...choice, ...(seen === "" ? {} : { seen }) });
      batch(() => {
        if (choice.provider) this.provider.value = choice.provider;
        if (choice.model) this.model.value = choice.model;
      });
    } catch (e) {
      batch(() => {
        this.sections.value = this.sections.value.filter((s) => s !== own);
        this.status.value = before;
      });
      throw e;
    }
  }

  /** decide sends one answer for the calls that were shown, bound to their hashes, with text as the next message. A text that was not taken is put into the message box. */
  async decide(decisions: Decision[], allow: string[], text = ""): Promise<void> {
    const change: Change = { control: controlText(decisions, allow), seen: lastId(this.sections.value) };
    if (text.trim() !== "") change.prompt = text;
    const answered = new Set(decisions.map((d) => d.call.id));
    const before = this.pending.value;
    batch(() => {
      this.pending.value = before.filter((c) => !answered.has(c.id));
      this.failure.value = null;
    });
    try {
      await this.#change(change);
    } catch (e) {
      this.pending.value = before;
      this.write(together(text, this.message.peek()));
      if ((e as ApiError).status !== 409) throw e;
      const what = (e as ApiError).kind === "target-changed" ? "The file" : "Something";
      toast(`${what} changed since you looked, so nothing was done. This is how it stands now.`);
      this.restart();
    }
  }

  /** askAgain ends the standing allow of a tool, or of the network. */
  async askAgain(tool: string): Promise<void> {
    await this.#change({ control: controlText([], [], [tool]), seen: lastId(this.sections.value) });
  }

  /** goOn continues a dialog whose turn broke off. */
  async goOn(): Promise<void> {
    this.failure.value = null;
    await this.#change({ continue: true });
  }

  /** loadCheck reads which command checks what was changed. */
  async loadCheck(): Promise<void> {
    try {
      const { rules } = await api.rules(this.project);
      this.check.value = rules.find((r) => r.name === "verify")?.value ?? "";
    } catch {
      // The mark is told without the command.
    }
  }

  /** sumUp puts a Summary in the place of the earlier turns, for the model. */
  async sumUp(): Promise<void> {
    this.summing = true;
    try {
      await this.#change({ compact: true });
    } catch (e) {
      this.summing = false;
      throw e;
    }
  }

  /** undoSummary lets the model read again what a Summary stands for. */
  async undoSummary(id: string): Promise<void> {
    await api.undo(this.project, this.id, id);
    this.join();
  }

  async stop(): Promise<void> { await this.#change({ status: "waiting" }); }
  async finish(): Promise<void> { await this.#change({ status: "done" }); }

  async #change(change: Change): Promise<void> {
    this.#epoch++;
    const res = await api.changeDialog(this.project, this.id, change);
    if (!res.headers.get("Content-Type")?.startsWith("text/event-stream")) {
      this.#changed((await res.json()) as Changed);
    } else {
      this.status.value = "active";
      this.needs.value = "none";
      this.#alongside(res);
    }
    this.join();
    loadDialogs();
  }

  // All content comes by the joined stream, which begins with the file. The answer
  // of a PUT is read too until that stream is open: a turn that fails at once says
  // so nowhere else.
  #alongside(res: Response): void {
    const end = new AbortController();
    const enough = () => {
      if (this.#live || this.#closed) end.abort();
      else timer = setTimeout(enough, 2000);
    };
    let timer = setTimeout(enough, 2000);
    const take = (messages: Message[]) => {
      for (const m of messages) {
        const f = JSON.parse(m.data) as Frame;
        if (f.type === "error") batch(() => void this.#frame(f));
      }
    };
    void readEvents(res, take, end.signal).catch(() => undefined).finally(() => clearTimeout(timer));
  }

  #changed(c: Changed): void {
    batch(() => {
      this.status.value = c.status;
      this.needs.value = c.needs;
      this.filename.value = c.filename;
      if (c.pending) this.pending.value = c.pending;
    });
    if (c.ignored && c.ignored.length > 0) toast(`Not understood, and left out: ${c.ignored.join(" · ")}`);
  }

  /** restart drops everything and reads the dialog again. */
  restart(): void {
    this.#joined?.stop();
    this.#joined = null;
    this.#lastEvent = "";
    this.#came = [];
    this.sections.value = [];
    this.#quiet();
    this.join();
  }

  // A hidden tab closes its stream: a browser opens six connections to a host, for all its tabs.
  #seen = (): void => {
    if (document.visibilityState === "visible") return this.join();
    setTimeout(() => {
      if (document.visibilityState === "visible" || this.#closed) return;
      this.#joined?.stop();
      this.#joined = null;
    }, 10_000);
  };

  close(): void {
    this.#closed = true;
    this.#joined?.stop();
    this.#offChange();
    document.removeEventListener("visibilitychange", this.#seen);
    removeEventListener("storage", this.#stored);
  }
}

/** The dialog in view. */
export const openDialog = signal<OpenDialog | null>(null);

/** viewDialog puts a dialog in view, or none. */
export function viewDialog(p: string | null, id: string | null): void {
  const now = openDialog.peek();
  if (now && now.project === p && now.id === id) return;
  now?.close();
  openDialog.value = p !== null && id !== null ? new OpenDialog(p, id) : null;
}
