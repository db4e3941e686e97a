import { batch, computed, effect, signal, untracked, type ReadonlySignal } from "@preact/signals";
import type { Call, DialogView } from "../types.ts";
import { outcomeOf } from "../text/outcome.ts";
import { placeOf, type Range } from "../text/passage.ts";
import { passage as say } from "../text/strings.ts";
import { isAbout } from "../text/suggestion.ts";
import { api } from "./api.ts";
import { OpenDialog } from "./dialog.ts";
import type { OpenDoc } from "./doc.ts";
import { keepClosed, lastAsked, wasClosed } from "./lastasked.ts";
import { dialogs, onChange } from "./project.ts";
import { toast } from "./toast.ts";

/** Wanted is a change of the doc in view that waits for an answer. Another version of the file leaves its key: what changes is the same. */
export interface Wanted {
  key: string;
  dialog: OpenDialog;
  call: Call;
}

/** Placed is such a change, and the words that go and come in each of its places, where it is drawn in the text; null where it is not. */
export interface Placed extends Wanted { inText: { gone: string; come: string }[] | null }

/** Answered is a passage whose question went to a dialog, and where it stood then. */
export interface Answered extends Range { dialog: OpenDialog }

// How many dialogs are followed at once for what they want changed, the pause before their targets are read anew, in ms,
// and within how many sections the last question and its answer are looked for.
const MOST = 12, PAUSE = 150, LAST = 24;

const UNASKED: Pick<DialogView, "sections" | "status"> = { sections: [], status: "waiting" };

/** Beside follows what dialogs say and want of the doc in view: the answers to what was asked about it, and the edits of it that wait. */
export class Beside {
  readonly #opened = signal<readonly OpenDialog[]>([]);
  readonly answers = signal<readonly Answered[]>([]);
  readonly wanted: ReadonlySignal<Wanted[]>;
  // Which entries of the list were looked at, by what they were.
  readonly #looked = new Map<string, string>();
  // What waited of each dialog, until its result is there.
  readonly #asked = new Map<OpenDialog, Map<string, Call>>();
  readonly #off: (() => void)[];
  #timer: ReturnType<typeof setTimeout> | undefined;
  #closed = false;

  constructor(readonly doc: OpenDoc) {
    this.wanted = computed(() => this.#opened.value.flatMap((dialog) => dialog.pending.value.filter((c) => isAbout(c, doc.name)).map((call) => ({ key: `${dialog.id}/${call.id}/${call.sha256}`, dialog, call }))));
    this.#off = [
      effect(() => { for (const d of dialogs.value ?? []) if (d.needs === "approval") void this.#look(d.dialogId, `${d.mtime} ${d.filename}`); }),
      effect(() => this.#drop()),
      // Another version of the file has another hash, to which an answer is bound.
      onChange((c) => {
        if (c.kind === "dialogs" || (c.name !== undefined && c.name !== "" && c.name !== doc.name)) return;
        clearTimeout(this.#timer);
        this.#timer = setTimeout(() => { for (const d of this.#opened.peek()) if (d.pending.peek().length > 0) void d.refresh(); }, PAUSE);
      }),
    ];
    void this.#again();
  }

  // What was asked about the doc last stands beside its passage again after a reload, until it is closed: the dialog's text tells both.
  async #again(): Promise<void> {
    const { project, name } = this.doc, id = lastAsked(project, name);
    const { sections, status } = id === "" ? UNASKED : await api.dialogEnd(project, id, LAST).catch(() => UNASKED);
    const at = sections.findLastIndex((s) => s.role === "User"), asked = sections[at];
    if (this.#closed || asked === undefined || wasClosed(project, name, asked.id) || this.answers.peek().some((a) => a.dialog.id === id)) return;
    const place = placeOf(asked, name, this.doc.text);
    if (place !== null && (status === "active" || sections.slice(at).some((s) => s.role === "Assistant"))) this.answer(id, place);
  }

  /** answer shows what a dialog answers, below a passage. */
  answer(id: string, { from, to }: Range): void {
    const dialog = this.#follow(id);
    batch(() => { this.answers.value = [...this.answers.peek().filter((a) => a.dialog !== dialog), { from, to, dialog }]; });
  }

  /** dismiss takes an answer away. */
  dismiss(dialog: OpenDialog): void {
    keepClosed(this.doc.project, this.doc.name, dialog.sections.peek().findLast((s) => s.role === "User")?.id ?? "");
    this.answers.value = this.answers.peek().filter((a) => a.dialog !== dialog);
  }

  async #look(id: string, as: string): Promise<void> {
    if (this.#looked.get(id) === as || this.#opened.peek().some((d) => d.id === id) || this.#opened.peek().length >= MOST) return;
    this.#looked.set(id, as);
    try {
      const { pending } = await api.dialogHead(this.doc.project, id);
      if (!this.#closed && (pending ?? []).some((c) => isAbout(c, this.doc.name))) this.#follow(id);
    } catch {
      this.#looked.delete(id); // its next change looks again
    }
  }

  #follow(id: string): OpenDialog {
    const known = this.#opened.peek().find((d) => d.id === id);
    if (known) return known;
    const d = new OpenDialog(this.doc.project, id);
    this.#opened.value = [...this.#opened.peek(), d];
    return d;
  }

  // Tells of what was allowed and not made, and reports whether a result of the dialog is still to come.
  #results(d: OpenDialog): boolean {
    const asked = this.#asked.get(d) ?? new Map<string, Call>();
    this.#asked.set(d, asked);
    for (const c of d.pending.value) if (isAbout(c, this.doc.name)) asked.set(c.id, c);
    if (asked.size === 0) return false;
    const sections = d.sections.value;
    for (let i = sections.length - 1; i >= 0 && asked.size > 0; i--) {
      const s = sections[i]!, call = s.role === "Tool Result" ? asked.get(s.id) : undefined;
      if (call === undefined) continue;
      asked.delete(s.id);
      const { state, error } = outcomeOf(call.tool, call.inputText, s);
      if (state === "failed") untracked(() => toast(say.notMade(error)));
    }
    return asked.size > 0;
  }

  // Lets go of dialogs that want nothing of this doc any more and answer nothing.
  #drop(): void {
    const kept = new Set(this.answers.value.map((a) => a.dialog));
    const all = this.#opened.value;
    const left = all.filter((d) => [this.#results(d), kept.has(d), !d.loaded.value].some(Boolean));
    if (left.length === all.length) return;
    queueMicrotask(() => {
      if (this.#closed) return;
      const now = this.#opened.peek(), gone = now.filter((d) => all.includes(d) && !left.includes(d));
      this.#opened.value = now.filter((d) => !gone.includes(d));
      for (const d of gone) {
        this.#asked.delete(d);
        d.close();
      }
    });
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    for (const off of this.#off) off();
    for (const d of this.#opened.peek()) d.close();
  }
}
