import { effect, signal, untracked } from "@preact/signals";
import type { DialogInfo, DialogView } from "../types.ts";
import { lastId } from "../text/items.ts";
import { heldAfter, isLanded, ofQueue, Queue, shownOf, sinceOf, waitOf, waitsForHuman, waitWords, together, type Queued, type DialogState, type Wait } from "../text/queue.ts";
import { sending as say } from "../text/strings.ts";
import { api, ApiError } from "./api.ts";
import { openDialog } from "./opendialog.ts";
import type { OpenDialog, ModelChoice } from "./dialog.ts";
import { claim, exclusively } from "./lock.ts";
import { dialogs } from "./project.ts";
import { project } from "./projects.ts";
import { shelf } from "./shelf.ts";
import { toast } from "./toast.ts";

// Every message is sent from here, also one that does not wait. Waiting messages are
// in localStorage, so that a reload keeps them and all tabs show the same. A tab
// sends a message under a lock of its dialog and reads first what the server has on
// file: so one of two tabs sends it, and one whose answer was lost is not sent twice. Nor is
// one that another tab has sent of which this one was not told, since without the browser's
// locks localStorage is all that tells it, late: the dialog has it behind what was shown when
// it was written. Of two tabs that send at once the server refuses one, which looks again.

const queue = new Queue(shelf);

// Counts changes of what waits, here and in other tabs.
const version = signal(0);
const changed = () => { version.value++; };

// The messages that this tab is sending now; the log shows them as such.
const going = signal<ReadonlySet<string>>(new Set());

function setGoing(id: string, on: boolean): void {
  const next = new Set(going.peek());
  if (on) next.add(id);
  else next.delete(id);
  going.value = next;
}

/** Waiting is a message that was not sent yet, and why. */
export interface Waiting {
  message: Queued;
  wait: Wait;
  words: string;
}

/** waitingIn lists the waiting messages of the dialog in view. */
export function waitingIn(d: OpenDialog): Waiting[] {
  version.value;
  return queue.list(d.project, d.id).filter((q) => !going.value.has(q.id)).map((message, i) => {
    const wait = waitOf(message, d.state, i === 0);
    return { message, wait, words: waitWords(message, wait) };
  });
}

/**
 * sendMessage sends a message at once if the dialog can take it, and queues it
 * otherwise. It returns false where the storage has no room for it.
 */
export function sendMessage(d: OpenDialog, text: string, choice: Partial<ModelChoice> & { intent?: string }): boolean {
  const waiting = queue.list(d.project, d.id);
  const shown = shownOf(d.known.peek(), waiting, text);
  const q: Queued = { id: newId(), at: new Date().toISOString(), text, ...choice, ...(shown ? { shown } : {}) };
  const first = waiting.length === 0;
  if (!queue.keep(d.project, d.id, q)) return false;
  const { status, asks } = d.state;
  // A message to a dialog that broke off is sent: it continues the dialog.
  if (first && status !== null && status !== "active" && !asks) {
    d.went.value++;
    void handOver(d.project, d.id, q, true);
  }
  changed();
  return true;
}

/** sendFirst sends the first message of a dialog that was just made. It returns false where the storage has no room for it. */
export function sendFirst(p: string, id: string, text: string, choice: { intent?: string }): boolean {
  const q: Queued = { id: newId(), at: new Date().toISOString(), text, ...choice };
  if (!queue.keep(p, id, q)) return false;
  void handOver(p, id, q, true);
  changed();
  return true;
}

const newId = () => crypto.getRandomValues(new Uint32Array(2)).join("-");

/** takeBack moves a waiting message back into the message box. One that is being sent can't be taken back. */
export async function takeBack(d: OpenDialog, id: string): Promise<void> {
  await exclusively(lock(d.project, d.id), async () => {
    const q = queue.read(d.project, d.id, id);
    const release = q && await claim(sending(id));
    if (!q || !release) return toast(say.justOut);
    if (await landed(d.project, d.id, q).catch(() => false)) return toast(say.isAbove);
    const next = heldAfter(queue.list(d.project, d.id), id);
    if (next !== null && !queue.keep(d.project, d.id, next)) {
      release();
      return toast(say.notTakenBack);
    }
    queue.drop(d.project, d.id, id);
    d.write(together(q.text, d.message.peek()));
  });
  changed();
}

/** sendNow sends a message that waits for the human's consent. */
export function sendNow(d: OpenDialog, id: string): void {
  const q = queue.read(d.project, d.id, id);
  if (q === null) return changed();
  const { failed: _, held: __, ...again } = q;
  queue.keep(d.project, d.id, again);
  void handOver(d.project, d.id, again, true);
  changed();
}

/** hold marks all waiting messages of a dialog as held: each is sent only when the human says so. */
export function hold(d: OpenDialog, why: string): void {
  for (const q of queue.list(d.project, d.id)) queue.keep(d.project, d.id, { ...q, held: why });
  changed();
}

const lock = (p: string, id: string) => `vibey.sending/${p}/${id}`;
// The claims of messages that this tab sent or gave back. They are kept: another tab may
// see such a message in localStorage a little longer.
const sending = (qid: string) => `vibey.sent/${qid}`;
const trying = new Set<string>();

// The pause before the next try, where the server refused a message that seemed sendable.
const REST = 1000;

/** handOver sends a message if its dialog can take it now. `at once` skips the pause after a refusal. */
async function handOver(p: string, id: string, q: Queued, atOnce = false): Promise<void> {
  if (trying.has(q.id) && !atOnce) return;
  trying.add(q.id);
  if (atOnce) setGoing(q.id, true);
  try {
    await exclusively(lock(p, id), () => attempt(p, id, q.id));
  } finally {
    setGoing(q.id, false);
    changed();
    setTimeout(() => {
      trying.delete(q.id);
      changed();
    }, REST);
  }
}

async function attempt(p: string, id: string, qid: string): Promise<void> {
  const release = await claim(sending(qid));
  if (release !== null && !(await goesOut(p, id, qid))) release();
}

/** goesOut sends a message and reports whether it is in the dialog now. */
async function goesOut(p: string, id: string, qid: string): Promise<boolean> {
  let q = queue.read(p, id, qid);
  if (q === null || waitsForHuman(q)) return false; // another tab sent it, or it is held
  try {
    const { total = 0 } = await api.dialogHead(p, id);
    if (q.after !== undefined && total < q.after) throw new Error(say.fileChanged);
    if (await landed(p, id, q, total)) return true;
    // The id of the last section is what this window has shown.
    const now = await api.dialogSince(p, id, Math.max(0, total - 1));
    if (works(now)) {
      look(p, id);
      return false;
    }
    q = { ...q, after: q.after ?? now.total ?? total };
    if (!queue.keep(p, id, q)) throw new Error(say.noRoom);
    setGoing(qid, true);
    await deliver(p, id, q, lastId(now.sections));
    queue.drop(p, id, qid);
    return true;
  } catch (e) {
    const { kind, status, message } = e as ApiError;
    if (kind === "active" || kind === "stale") look(p, id);
    else queue.keep(p, id, { ...q, failed: status === 0 ? say.notKnown : say.notSent(message) });
    return false;
  }
}

/** landed reports whether a message that was sent is in the dialog, and removes it from the queue if so. */
async function landed(p: string, id: string, q: Queued, total = Infinity): Promise<boolean> {
  const from = sinceOf(q, total);
  if (from === null || !isLanded(q, (await api.dialogSince(p, id, from)).sections)) return false;
  queue.drop(p, id, q.id);
  return true;
}

// The messages of unknown outcome that this tab has looked for in the dialog.
const looked = new Set<string>();

/** lookFor removes a message from the queue that the dialog has although its answer was lost. */
async function lookFor(p: string, id: string, q: Queued): Promise<void> {
  if (q.failed !== say.notKnown || looked.has(q.id)) return;
  looked.add(q.id);
  await exclusively(lock(p, id), async () => void (await landed(p, id, q))).catch(() => looked.delete(q.id)); // the next change tries again
  changed();
}

function works(now: DialogView | null): boolean { return now !== null && (now.status === "active" || (now.pending ?? []).length > 0); }

// The window had shown less than the server has: read again.
function look(p: string, id: string): void {
  const d = openDialog.peek();
  if (d?.project === p && d.id === id) void d.refresh();
}

// The server refuses the message where it would deny a call that came after `seen`.
async function deliver(p: string, id: string, q: Queued, seen: string): Promise<void> {
  const choice: Partial<ModelChoice> & { intent?: string } = { ...(q.provider ? { provider: q.provider } : {}), ...(q.model ? { model: q.model } : {}), ...(q.intent ? { intent: q.intent } : {}) };
  const d = openDialog.peek();
  if (d?.project === p && d.id === id) return d.send(q.text, choice, seen);
  const res = await api.changeDialog(p, id, { prompt: q.text, ...choice, ...(seen === "" ? {} : { seen }) });
  await res.body?.cancel(); // the turn goes on without a reader
}

function stateOf(id: string, d: OpenDialog | null, info: DialogInfo | undefined): DialogState {
  if (d?.id === id) return d.state;
  return { status: info?.status ?? null, needs: info?.needs ?? "none", asks: info?.needs === "approval" };
}

/** startQueue begins to send the waiting messages of all dialogs of the project in view. */
export function startQueue(): void {
  addEventListener("storage", (e) => { if (ofQueue(e.key)) changed(); });
  effect(() => {
    version.value;
    const p = project.value;
    const list = dialogs.value ?? [];
    const d = openDialog.value;
    d?.state;
    if (p === null) return;
    untracked(() => {
      for (const id of queue.dialogs(p)) {
        const q = queue.list(p, id)[0];
        if (q) void lookFor(p, id, q);
        if (q && waitOf(q, stateOf(id, d?.project === p ? d : null, list.find((i) => i.dialogId === id)), true) === "") void handOver(p, id, q);
      }
    });
  });
}
