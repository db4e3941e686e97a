import { effect, signal } from "@preact/signals";
import { endSession, token } from "../state/session.ts";
import { workerURL } from "../state/trusted.ts";
import type { Heard, Said, Told } from "./words.ts";

// This tab's side of the one stream that all tabs of the browser share: by a worker
// where the browser has shared ones, else by the tab that holds a lock, else by itself.

/** When the connection was lost, in epoch ms; null while it stands. */
export const lostSince = signal<number | null>(null);

interface Watch { what: string; at: string; take: (told: Told[]) => void }
const watches = new Map<string, Watch>();
let count = 0;
// The page is being closed, or lies in the browser's cache of pages: it says nothing more.
let left = false;
let say: ((said: Said) => void) | null = null;

/**
 * watch follows something, "projects", "project/NAME" or "dialog/NAME/ID", from a position on ("" for
 * its beginning), until the returned function is called.
 */
export function watch(what: string, at: string, take: (told: Told[]) => void): () => void {
  const key = String(count++);
  watches.set(key, { what, at, take });
  if (say === null) start();
  else say({ do: "watch", key, what, at });
  return () => {
    if (watches.delete(key)) say?.({ do: "leave", key });
  };
}

/** tryNow connects at once where the connection is lost. */
export function tryNow(): void { say?.({ do: "now" }); }

function hear(h: Heard): void {
  if (h.is === "line") lostSince.value = h.lost;
  else if (h.is === "refused") endSession("The server wants the code again.");
  else if (h.is === "who") { if (!left) sayAll(); }
  else {
    const w = watches.get(h.key);
    if (w === undefined) return;
    for (const t of h.frames) if (t.at !== "") w.at = t.at;
    w.take(h.frames);
  }
}

function sayAll(): void {
  say?.({ do: "token", token: token.peek() });
  for (const [key, { what, at }] of watches) say?.({ do: "watch", key, what, at });
}

function start(): void {
  say = byWorker() ?? byChannel();
  sayAll();
  effect(() => {
    const now = token.value;
    if (now !== "") say?.({ do: "token", token: now });
  });
  const here = () => { if (!left) say?.({ do: "here" }); };
  setInterval(here, 25_000);
  addEventListener("visibilitychange", here);
  addEventListener("pagehide", () => {
    say?.({ do: "bye" });
    left = true;
  });
  // Back from the browser's cache of pages: the switchboard was told that this tab is gone.
  addEventListener("pageshow", () => {
    if (!left) return;
    left = false;
    here();
  });
}

function byWorker(): ((said: Said) => void) | null {
  if (typeof SharedWorker === "undefined") return null;
  try {
    const worker = new SharedWorker(workerURL(), { name: "vibey" });
    worker.port.onmessage = (m: MessageEvent<Heard>) => hear(m.data);
    worker.onerror = () => {
      // It could not be loaded.
      say = byChannel();
      sayAll();
    };
    return (said) => worker.port.postMessage(said);
  } catch {
    return null;
  }
}

interface Sent { to: "board" | "tabs" | string; tab: string; said?: Said; heard?: Heard }

/** byChannel follows by the tab that holds a lock; a browser without locks has a stream for each tab. */
function byChannel(): (said: Said) => void {
  const locks = navigator.locks as LockManager | undefined;
  const me = crypto.getRandomValues(new Uint32Array(2)).join("-");
  const waiting: Said[] = [];
  let own: ((said: Said) => void) | null = null;
  const lead = async (channel: BroadcastChannel | null) => {
    const { Switchboard } = await import("./switchboard.ts");
    const board = new Switchboard();
    board.join(me, hear);
    own = (said) => void board.say(me, said);
    for (const said of waiting.splice(0)) own(said);
    if (channel === null) return;
    channel.onmessage = ({ data: { to, tab, said } }: MessageEvent<Sent>) => {
      if (to !== "board" || said === undefined || board.say(tab, said)) return;
      const tell = (heard: Heard) => channel.postMessage({ to: tab, tab: me, heard } satisfies Sent);
      board.join(tab, tell);
      if (said.do === "bye") board.say(tab, said);
      else tell({ is: "who" });
    };
    channel.postMessage({ to: "tabs", tab: me } satisfies Sent);
  };
  if (!locks || typeof BroadcastChannel === "undefined") {
    void lead(null);
    return (said) => (own ? own(said) : void waiting.push(said));
  }
  const channel = new BroadcastChannel("vibey.live");
  channel.onmessage = ({ data: { to, heard } }: MessageEvent<Sent>) => {
    if (to === me && heard) hear(heard);
    else if (to === "tabs") sayAll(); // another tab leads now
  };
  void locks.request("vibey.live", () => lead(channel).then(() => {
    sayAll();
    return new Promise<void>(() => undefined); // as long as this tab is open
  }));
  return (said) => (own ? own(said) : channel.postMessage({ to: "board", tab: me, said } satisfies Sent));
}
