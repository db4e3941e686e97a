import { effect, signal, untracked } from "@preact/signals";
import type { DialogInfo, DialogView } from "../types.ts";
import { lastId, textOf } from "../text/items.ts";
import { heldAfter, ofQueue, Queue, waitOf, waitsForWord, waitWords, together, type Queued, type Standing, type Wait } from "../text/queue.ts";
import { api, ApiError } from "./api.ts";
import { openDialog, type OpenDialog, type Target } from "./dialog.ts";
import { claim, exclusively } from "./lock.ts";
import { dialogs, loadDialogs, project } from "./project.ts";
import { shelf } from "./shelf.ts";
import { toast } from "./toast.ts";

// Every message goes through here, also one that goes out at once: this is the
// one place that hands messages over. What waits is in localStorage, so that a
// reload keeps it and all tabs see the same. A tab hands a message over under a
// lock of its dialog and looks first at what the server has on file, so that of
// two tabs one sends it, and one that was cut off in between is not sent twice.

const queue = new Queue(shelf);

// Counts changes of what waits, here and in other tabs.
const version = signal(0);
const changed = () => { version.value++; };

// What this tab is handing over: it shows as a message that is being sent.
const going = signal<ReadonlySet<string>>(new Set());

function setGoing(id: string, on: boolean): void {
  const next = new Set(going.peek());
  if (on) next.add(id);
  else next.delete(id);
  going.value = next;
}

/** Waiting is a message that waits, and why. */
export interface Waiting {
  message: Queued;
  wait: Wait;
  words: string;
}

/** waitingIn lists what waits in the dialog in view. */
export function waitingIn(d: OpenDialog): Waiting[] {
  version.value;
  return queue.list(d.project, d.id).filter((q) => !going.value.has(q.id)).map((message, i) => {
    const wait = waitOf(message, d.standing, i === 0);
    return { message, wait, words: waitWords(message, wait) };
  });
}

/**
 * sendMessage takes a message: it goes out at once where the dialog can take it,
 * and waits otherwise. false means that there was no room to keep it.
 */
export function sendMessage(d: OpenDialog, text: string, target: Target): boolean {
  const q: Queued = { id: crypto.getRandomValues(new Uint32Array(2)).join("-"), at: new Date().toISOString(), text, ...target };
  const first = queue.list(d.project, d.id).length === 0;
  if (!queue.keep(d.project, d.id, q)) return false;
  const { status, asks } = d.standing;
  // A human who writes to a dialog that broke off means it to go on.
  if (first && status !== null && status !== "active" && !asks) void handOver(d.project, d.id, q, true);
  changed();
  return true;
}

/** takeBack gives a message back to the one who wrote it; one that is being sent is gone. */
export async function takeBack(d: OpenDialog, id: string): Promise<void> {
  await exclusively(lock(d.project, d.id), async () => {
    const q = queue.read(d.project, d.id, id);
    const release = q && await claim(sending(id));
    if (!q || !release) return toast("It went out just now.");
    if (await landed(d.project, d.id, q).catch(() => false)) return toast("It had gone out: it is above.");
    const next = heldAfter(queue.list(d.project, d.id), id);
    if (next !== null && !queue.keep(d.project, d.id, next)) {
      release();
      return toast("This browser has no room left, so nothing was taken back.");
    }
    queue.drop(d.project, d.id, id);
    d.write(together(q.text, d.message.peek()));
  });
  changed();
}

/** sendNow hands over a message that waits for a word. */
export function sendNow(d: OpenDialog, id: string): void {
  const q = queue.read(d.project, d.id, id);
  if (q === null) return changed();
  const { failed: _, held: __, ...again } = q;
  queue.keep(d.project, d.id, again);
  void handOver(d.project, d.id, again, true);
  changed();
}

/** hold keeps all that waits in a dialog from going out by itself. */
export function hold(d: OpenDialog, why: string): void {
  for (const q of queue.list(d.project, d.id)) queue.keep(d.project, d.id, { ...q, held: why });
  changed();
}

const lock = (p: string, id: string) => `vibey.sending/${p}/${id}`;
// A message's claim is kept by the tab that sent it, or gave it back: to another one the
// message may seem to wait a little longer.
const sending = (qid: string) => `vibey.sent/${qid}`;
const trying = new Set<string>();

// How long a message rests that the server could not take although it looked so from here.
const REST = 1000;

/** handOver sends a message if its dialog can take it now; at once: the human asks for it this moment. */
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

/** goesOut hands a message over, and tells whether it is in the dialog now. */
async function goesOut(p: string, id: string, qid: string): Promise<boolean> {
  let q = queue.read(p, id, qid);
  if (q === null || waitsForWord(q)) return false; // another tab had it
  try {
    const { total = 0 } = await api.dialogHead(p, id);
    if (q.after !== undefined && total < q.after) throw new Error("The dialog's file was changed meanwhile. Look above: it may have gone out before.");
    if (await landed(p, id, q)) return true;
    // With the last one, whose id is what this window has seen.
    const now = await api.dialogSince(p, id, Math.max(0, total - 1));
    if (works(now)) {
      look(p, id);
      return false;
    }
    q = { ...q, after: q.after ?? now.total ?? total };
    if (!queue.keep(p, id, q)) throw new Error("This browser has no room left.");
    setGoing(qid, true);
    await deliver(p, id, q, lastId(now.sections));
    queue.drop(p, id, qid);
    return true;
  } catch (e) {
    const { kind, status, message } = e as ApiError;
    if (kind === "active" || kind === "stale") look(p, id);
    else queue.keep(p, id, { ...q, failed: status === 0 ? NOT_KNOWN : `It was not sent. ${message}` });
    return false;
  }
}

const NOT_KNOWN = "The server did not answer, so it is not known whether this went out. Try again looks first, and sends nothing twice.";

/** landed tells whether a message that was handed over is in the dialog, and takes it off the queue then. */
async function landed(p: string, id: string, q: Queued): Promise<boolean> {
  if (q.after === undefined) return false;
  const { sections } = await api.dialogSince(p, id, q.after);
  if (!sections.some((s) => s.role === "User" && textOf(s) === q.text)) return false;
  queue.drop(p, id, q.id);
  return true;
}

// Those of which it was not known whether they went out, and this tab has looked.
const looked = new Set<string>();

/** lookFor takes a message off the queue that went out although nobody was told so. */
async function lookFor(p: string, id: string, q: Queued): Promise<void> {
  if (q.failed !== NOT_KNOWN || looked.has(q.id)) return;
  looked.add(q.id);
  await exclusively(lock(p, id), async () => void (await landed(p, id, q))).catch(() => looked.delete(q.id)); // the next change tries again
  changed();
}

function works(now: DialogView | null): boolean { return now !== null && (now.status === "active" || (now.pending ?? []).length > 0); }

// The window saw less than the server knows: it looks again.
function look(p: string, id: string): void {
  loadDialogs();
  const d = openDialog.peek();
  if (d?.project === p && d.id === id) d.join();
}

// A call that comes after seen makes the server refuse the message, which would deny it.
async function deliver(p: string, id: string, q: Queued, seen: string): Promise<void> {
  const target: Target = { ...(q.provider ? { provider: q.provider } : {}), ...(q.model ? { model: q.model } : {}) };
  const d = openDialog.peek();
  if (d?.project === p && d.id === id) return d.send(q.text, target, seen);
  const res = await api.changeDialog(p, id, { prompt: q.text, ...target, ...(seen === "" ? {} : { seen }) });
  await res.body?.cancel(); // the turn goes on without a reader
  loadDialogs();
}

function standingOf(id: string, d: OpenDialog | null, info: DialogInfo | undefined): Standing {
  if (d?.id === id) return d.standing;
  return { status: info?.status ?? null, needs: info?.needs ?? "none", asks: info?.needs === "approval" };
}

/** startQueue begins to hand over what waits in the project in view, whichever dialog of it is read. */
export function startQueue(): void {
  addEventListener("storage", (e) => { if (ofQueue(e.key)) changed(); });
  effect(() => {
    version.value;
    const p = project.value;
    const list = dialogs.value ?? [];
    const d = openDialog.value;
    d?.standing;
    if (p === null) return;
    untracked(() => {
      for (const id of queue.dialogs(p)) {
        const q = queue.list(p, id)[0];
        if (q) void lookFor(p, id, q);
        if (q && waitOf(q, standingOf(id, d?.project === p ? d : null, list.find((i) => i.dialogId === id)), true) === "") void handOver(p, id, q);
      }
    });
  });
}
