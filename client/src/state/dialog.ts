import { computed, signal, type ReadonlySignal, type Signal } from "@preact/signals";
import type { Change, Changed, Frame, Section } from "../types.ts";
import { controlText, tryText, type Decision } from "../text/control.ts";
import { fold, headIsDue, UNKNOWN, type Act, type Known } from "../text/dialog.ts";
import { failureWords } from "../text/failure.ts";
import { together, type DialogState } from "../text/queue.ts";
import { lastId } from "../text/items.ts";
import { sending } from "../text/merge.ts";
import { deciding as say, told } from "../text/strings.ts";
import { lostSince, watch } from "./live.ts";
import type { FilesOf } from "./adding.ts";
import { api, ApiError } from "./api.ts";
import { announce, toast } from "./toast.ts";
import { Draft } from "./unsent.ts";

/** ModelChoice is the provider and the model that answer from a message on. */
export interface ModelChoice {
  provider: string;
  model: string;
}

// How many sections are read at first, for what is in view, and then at a time.
const FIRST = 24, STEP = 1000;

// The pause before what could not be read is asked for again, in ms.
const AGAIN = 2000;

/**
 * OpenDialog is the one dialog in view: what is known of it (text/dialog.ts folds that),
 * and what the human can do to it. It reads the last sections first, follows the live
 * stream from there on, and reads the earlier ones behind that: so a reload, a second tab
 * and a late joiner see the same.
 */
export class OpenDialog {
  readonly known: Signal<Known> = signal(UNKNOWN);
  readonly sections = this.#of("sections");
  readonly earlier = this.#of("earlier");
  readonly pending = this.#of("pending");
  readonly status = this.#of("status");
  readonly needs = this.#of("needs");
  readonly filename = this.#of("filename");
  readonly title = this.#of("title");
  readonly provider = this.#of("provider");
  readonly headed = this.#of("headed");
  readonly model = this.#of("model");
  readonly began = this.#of("began");
  readonly governor = this.#of("governor");
  readonly failure = this.#of("failure");
  readonly loaded = this.#of("loaded");
  readonly gone = this.#of("gone");
  readonly open = this.#of("open");
  readonly starting = this.#of("starting");
  /** true while text arrives */
  readonly writing = computed(() => this.known.value.open !== null);
  readonly #message: Draft;
  /** what is written in the message box and not sent, with its files */
  readonly message: ReadonlySignal<string>;
  readonly files: FilesOf;
  /** what is written to tell the agent why not, and not sent */
  readonly why: Draft;
  /** what is chosen for questions and not sent, by callKey: it outlives the card, as where another tab answers one of several */
  readonly chosen = signal<ReadonlyMap<string, "approve" | "deny">>(new Map());
  /** how many messages were sent at once from here */
  readonly went = signal(0);
  /** the command that the project's rules name as its check; "" for none, and before loadCheck */
  readonly check = signal("");
  /** the text being written as it was drawn last: the answer that it becomes takes no less room, and `select` selects in it what was selected there */
  wrote: { height: number; width: number; select: (() => ((answer: Element) => void) | null) } | null = null;
  /** true from sumUp on until its Summary was shown */
  summing = false;

  #leave: (() => void) | null = null;
  #closed = false;
  #offLine: () => void;

  constructor(readonly project: string, readonly id: string) {
    this.#message = new Draft(project, id);
    this.message = this.#message.text;
    this.files = this.#message.files;
    this.why = new Draft(project, `${id}?why`);
    // What could not be read when there was no connection is read when there is one.
    this.#offLine = lostSince.subscribe((lost) => {
      if (lost === null && this.#leave === null) void this.#load();
    });
  }

  #of<K extends keyof Known>(name: K): ReadonlySignal<Known[K]> { return computed(() => this.known.value[name]); }

  #act(act: Act): void { this.known.value = fold(this.known.peek(), act); }

  /** write stores the text of the message box. */
  write(text: string): void { this.#message.write(text); }

  /** state is what decides whether a message that waits may go out. */
  get state(): DialogState {
    const k = this.known.value;
    return { status: k.loaded ? k.status : null, needs: k.needs, asks: k.pending.length > 0 };
  }

  // Which reading this is, by number: restart begins another, and one that is left says nothing more.
  #reading = 0;
  #busy = -1;

  async #load(): Promise<void> {
    const mine = this.#reading;
    if (this.#busy === mine) return;
    this.#busy = mine;
    const left = () => this.#closed || mine !== this.#reading;
    try {
      const view = await api.dialogEnd(this.project, this.id, FIRST);
      if (left()) return;
      this.#act({ is: "opened", view });
      this.#leave = watch(`dialog/${this.project}/${this.id}`, view.at ?? "", (all) => this.#take(all.map((t) => t.frame as Frame)));
      await this.#loadEarlier(left);
    } catch (e) {
      if (left()) return;
      if ((e as ApiError).status === 404) this.#act({ is: "gone" });
      else {
        this.#act({ is: "failed", failure: { ...failureWords("", (e as Error).message), raw: "" } });
        setTimeout(() => { if (!this.#closed && this.#leave === null) void this.#load(); }, AGAIN);
      }
    } finally {
      if (this.#busy === mine) this.#busy = -1;
    }
  }

  // A window that can't be read is asked for again: without it nothing can be undone, and
  // what stands above is never shown.
  async #loadEarlier(left: () => boolean): Promise<void> {
    for (let before = this.known.peek().earlier; before > 0 && !left(); before = this.known.peek().earlier) {
      const from = Math.max(0, before - STEP);
      try {
        const { sections } = await api.dialogWindow(this.project, this.id, from, before - from);
        if (left() || this.known.peek().earlier !== before) return;
        this.#act({ is: "earlier", from, sections });
        if (this.known.peek().earlier === before) return; // the file is another by now: the stream begins anew
      } catch (e) {
        if ((e as ApiError).status === 404 || left()) return; // the stream tells that it is gone
        await new Promise((ok) => setTimeout(ok, AGAIN));
      }
    }
  }

  #take(frames: Frame[]): void {
    if (this.#closed) return;
    this.#act({ is: "frames", frames });
    for (const f of frames) if (f.type === "note" && f.kind === "control") toast(f.text);
    if (headIsDue(frames)) void this.refresh();
  }

  #asking = false;
  #again = false;

  /** refresh reads how the dialog stands: the provider, the status, and what the governor says of it. */
  async refresh(): Promise<void> {
    if (this.#asking) {
      this.#again = true;
      return;
    }
    this.#asking = true;
    try {
      do {
        this.#again = false;
        const { epoch, told } = this.known.peek();
        const view = await api.dialogHead(this.project, this.id);
        if (this.#closed) return;
        this.#act({ is: "head", view, epoch, told });
      } while (this.#again);
    } catch {
      // A lost connection is shown by the bar, a dialog that is gone by its stream.
    } finally {
      this.#asking = false;
    }
  }

  /** send shows the human's message and sends it. Where the server refuses, it removes the message and throws. */
  async send(prompt: string, choice: Partial<ModelChoice>, seen: string): Promise<void> {
    const section: Section = sending(prompt, new Date().toISOString());
    const status = this.status.peek();
    this.#act({ is: "sending", section });
    try {
      await this.#change({ prompt, ...choice, ...(seen === "" ? {} : { seen }) });
      this.#act({ is: "models", ...choice });
      announce(told.sent);
    } catch (e) {
      this.#act({ is: "unsent", section, status });
      throw e;
    }
  }

  /** decide sends one answer for the calls that were shown, bound to their hashes and to the last section that stood there then, with text as the next message. A text that was not taken is put into the message box. */
  async decide(decisions: Decision[], allow: string[], seen: string, text = ""): Promise<void> {
    const change: Change = { control: controlText(decisions, allow), seen };
    if (text.trim() !== "") change.prompt = text;
    const before = this.pending.peek();
    this.#act({ is: "decided", ids: new Set(decisions.map((d) => d.call.id)) });
    const yes = decisions.filter((d) => d.verdict === "approve").length;
    announce(told.decided(yes, decisions.length - yes)); // before what comes of it, and where it fails a toast says so
    try {
      await this.#change(change);
    } catch (e) {
      this.#act({ is: "undecided", pending: before });
      this.write(together(text, this.message.peek()));
      if ((e as ApiError).status !== 409) {
        void this.refresh();
        throw e;
      }
      toast(say.changed((e as ApiError).kind === "target-changed"));
      await this.restart();
    }
  }

  /** tryFirst lets commands, also those of these calls, run where nothing of them counts until the human has seen what they changed. */
  async tryFirst(ids: Set<string>): Promise<void> {
    const before = this.pending.peek();
    this.#act({ is: "decided", ids });
    try {
      await this.#change({ control: tryText(), seen: lastId(this.sections.peek()) });
    } catch (e) {
      this.#act({ is: "undecided", pending: before });
      throw e;
    }
  }

  /** askAgain ends the standing allow of a tool, or of the network, and that commands are tried. */
  async askAgain(tool: string): Promise<void> {
    await this.#change({ control: controlText([], [], [tool]), seen: lastId(this.sections.peek()) });
  }

  /** resume continues a dialog whose turn broke off. */
  async resume(): Promise<void> {
    const { failure } = this.known.peek();
    this.#act({ is: "failed", failure: null });
    try {
      await this.#change({ continue: true });
    } catch (e) {
      if (this.status.peek() !== "active") this.#act({ is: "failed", failure });
      throw e;
    }
  }

  /** loadCheck reads which command checks what was changed. */
  async loadCheck(): Promise<void> {
    try {
      const { rules } = await api.rules(this.project);
      this.check.value = rules.find((r) => r.name === "verify")?.value ?? "";
    } catch {
      // The mark is shown without the command.
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
  async undoSummary(id: string): Promise<void> { await api.undo(this.project, this.id, { id }); }

  async stop(): Promise<void> { await this.#change({ status: "waiting" }); }
  async finish(): Promise<void> { await this.#change({ status: "done" }); }

  async #change(change: Change): Promise<void> {
    const res = await api.changeDialog(this.project, this.id, change);
    if (!res.headers.get("Content-Type")?.startsWith("text/event-stream")) {
      const by = (await res.json()) as Changed;
      this.#act({ is: "changed", by });
      if (by.ignored && by.ignored.length > 0) toast(say.leftOut(by.ignored));
    } else {
      this.#act({ is: "changed", by: null });
      this.#alongside(res);
    }
  }

  // All content comes by the live stream. The answer of a PUT is read too until that
  // stream has followed: a turn that fails at once may say why nowhere else.
  #alongside(res: Response): void {
    const end = new AbortController();
    const { epoch } = this.known.peek();
    const timer = setInterval(() => { if (this.#closed || this.known.peek().epoch !== epoch) end.abort(); }, 2000);
    const take = (events: { data: string }[]) => {
      for (const e of events) {
        const f = JSON.parse(e.data) as Frame;
        if (f.type === "error" && !this.#closed) this.#take([f]);
      }
    };
    void import("../live/events.ts").then(({ readEvents }) => readEvents(res, take, end.signal)).catch(() => undefined).finally(() => clearInterval(timer));
  }

  /** restart drops everything and reads the dialog again. */
  async restart(): Promise<void> {
    this.#leave?.();
    this.#leave = null;
    this.#reading++;
    this.#act({ is: "forgotten" });
    await this.#load();
  }

  close(): void {
    this.#closed = true;
    this.#leave?.();
    this.#offLine();
    this.#message.close();
    this.why.close();
  }
}
