import { signal, type ReadonlySignal } from "@preact/signals";
import type { DialogInfo, ProjectChange } from "../types.ts";
import { pauseAfter } from "../text/pause.ts";
import { applied, changes, reread, type News } from "../text/group.ts";
import { api, type ApiError } from "./api.ts";
import { renewed, token } from "./session.ts";
import { watch } from "./live.ts";

// Changes are shown so often at most, in ms: with many agents at work each network piece holds some.
const PACE = 100;

/**
 * DialogList is the list of a project's dialogs. It is read whole where anything may have
 * changed; a single dialog that changed comes as its entry.
 */
export class DialogList {
  readonly #dialogs = signal<DialogInfo[] | null>(null);
  readonly dialogs: ReadonlySignal<DialogInfo[] | null> = this.#dialogs;
  /** why the list could not be read last; "" where it could. What was read before stays, and it is tried again. */
  readonly failed = signal("");
  #failures = 0;
  #retry: ReturnType<typeof setTimeout> | undefined;
  #entries = new Map<string, DialogInfo | null>();
  #due: ReturnType<typeof setTimeout> | undefined;
  #shown = -Infinity;
  #reading: "no" | "yes" | "again" = "no";
  #closed = false;

  /** news is called with what needs a human or ended, gone if there is no such project. */
  constructor(readonly project: string, readonly news: (n: News[]) => void = () => undefined, readonly gone: () => void = () => undefined) {}

  /** take takes a change in the project. */
  take(c: ProjectChange): void {
    if (c.kind === "reset" || (c.kind === "dialogs" && c.item === undefined)) return void this.#read();
    if (c.kind !== "dialogs" || c.dialogId === undefined) return;
    this.#entries.set(c.dialogId, c.item ?? null);
    if (this.#due !== undefined || this.#reading !== "no") return;
    this.#due = setTimeout(() => this.#show(), Math.max(0, PACE - (performance.now() - this.#shown)));
  }

  #show(list = this.#dialogs.peek()): void {
    clearTimeout(this.#due);
    this.#due = undefined;
    if (this.#closed || list === null) return;
    this.#shown = performance.now();
    const before = this.#dialogs.peek();
    for (const [id, item] of this.#entries) list = applied(list, id, item);
    this.#entries.clear();
    this.#dialogs.value = list;
    if (before === null) return;
    const news = changes(before, list);
    if (news.length > 0) this.news(news);
  }

  async #read(): Promise<void> {
    if (this.#reading !== "no") {
      this.#reading = "again";
      return;
    }
    clearTimeout(this.#retry);
    let used = token.peek();
    try {
      do {
        this.#reading = "yes";
        used = token.peek();
        const list = await api.dialogs(this.project);
        this.#failures = 0;
        this.failed.value = "";
        // What came meanwhile may be newer than what was read.
        this.#show(reread(list, this.#dialogs.peek() ?? []));
      } while ((this.#reading as string) === "again");
      this.#reading = "no";
    } catch (e) {
      this.#reading = "no";
      this.#miss(e as ApiError, used);
    }
  }

  // A 401 shows as a login, behind which all is read anew, but where another tab has signed in meanwhile.
  #miss(e: ApiError, used: string): void {
    if (e.status === 404) return this.gone();
    if (this.#closed) return;
    if (e.status === 401) return renewed(used) ? void this.#read() : undefined;
    this.failed.value = e.message;
    this.#retry = setTimeout(() => void this.#read(), pauseAfter(++this.#failures));
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#retry);
    clearTimeout(this.#due);
  }
}

/** followList follows the dialogs of a project that is not in view. */
export function followList(project: string): { list: DialogList; leave: () => void } {
  const list = new DialogList(project);
  const leave = watch(`project/${project}`, "", (all) => {
    for (const { frame } of all) if (frame.type === "change") list.take(frame as unknown as ProjectChange);
  });
  list.take({ type: "change", kind: "reset" });
  return { list, leave: () => { leave(); list.close(); } };
}
