import { effect, signal } from "@preact/signals";
import { afterwards } from "./afterwards.ts";
import { endSession, token } from "./session.ts";
import { workerURL } from "./trusted.ts";
import { pauseAfter } from "../text/pause.ts";
import { server as say } from "../text/strings.ts";
import { BEAT, Pulse } from "../live/pulse.ts";
import type { Switchboard } from "../live/switchboard.ts";
import type { BoardMessage, TabMessage, Delivery } from "../live/messages.ts";

// This tab's side of the one stream that all tabs of the browser share: by a worker
// where the browser has shared ones, else by the tab that holds a lock, else by itself.

/** When the connection was lost, or since when the server is silent, in epoch ms; null while it stands. */
export const lostSince = signal<number | null>(null);

/** Why something that is shown can't be followed just now, in the server's words; "" where all is followed. */
export const unfollowed = signal("");

/** Way is how this tab reaches the switchboard. */
interface Way {
  send: (m: TabMessage) => void;
  /** next returns the way to take where this one leads to a switchboard that is dead; it may be this one */
  next: () => Way;
  /** the number of the shared worker that it leads to, 0 for the first */
  worker?: number;
}

interface Watch {
  what: string;
  at: string;
  take: (all: Delivery[]) => void;
  /** why the server refused it last, how often it did so in a row, and what is due then */
  why: string;
  refusals: number;
  due?: ReturnType<typeof setTimeout>;
}
const watches = new Map<string, Watch>();
let count = 0;
// The page is being closed, or lies in the browser's cache of pages: it says nothing more.
let left = false;
let way: Way | null = null;
let started = false;
const pulse = new Pulse();

/**
 * watch follows something, "projects", "project/NAME" or "dialog/NAME/ID", from a position on ("" for
 * its beginning), until the returned function is called.
 */
export function watch(what: string, at: string, take: (all: Delivery[]) => void): () => void {
  const key = String(count++);
  watches.set(key, { what, at, take, why: "", refusals: 0 });
  if (!started) {
    started = true;
    afterwards(start);
  } else way?.send({ do: "watch", key, what, at });
  return () => {
    const w = watches.get(key);
    if (w === undefined) return;
    watches.delete(key);
    follows(w);
    way?.send({ do: "leave", key });
  };
}

// A watch that is not refused again for so long, in ms, is taken to be followed: an idle one says nothing.
const FOLLOWED = 5000;

// A watch of what does not exist takes the frame that says so. Any other that is refused is asked for again.
function refusedBy({ frame }: Delivery): boolean { return frame.type === "error" && frame["kind"] === "refused" && frame["status"] !== 404; }

function refused(key: string, w: Watch, why: string): void {
  clearTimeout(w.due);
  w.why = why;
  showUnfollowed();
  w.due = setTimeout(() => {
    w.due = setTimeout(() => follows(w), FOLLOWED);
    way?.send({ do: "watch", key, what: w.what, at: w.at });
  }, pauseAfter(++w.refusals));
}

function follows(w: Watch): void {
  clearTimeout(w.due);
  w.why = "";
  w.refusals = 0;
  showUnfollowed();
}

function showUnfollowed(): void { unfollowed.value = [...watches.values()].find((w) => w.why !== "")?.why ?? ""; }

/** tryNow connects at once where the connection is lost. */
export function tryNow(): void { way?.send({ do: "now" }); }

function receive(m: BoardMessage): void {
  pulse.answered();
  if (m.is === "line") lostSince.value = m.lost;
  else if (m.is === "refused") endSession(say.code, m.token);
  else if (m.is === "who") { if (!left) sendAll(); }
  else if (m.is === "frames") {
    const w = watches.get(m.key);
    if (w === undefined) return;
    for (const t of m.frames) if (t.at !== "") w.at = t.at;
    const no = m.frames.findLast(refusedBy);
    if (no !== undefined) refused(m.key, w, String(no.frame["message"] ?? ""));
    w.take(m.frames);
  }
}

function sendAll(): void {
  way?.send({ do: "token", token: token.peek() });
  for (const [key, { what, at }] of watches) way?.send({ do: "watch", key, what, at });
}

function take(next: Way): void {
  way = next;
  sendAll();
}

function start(): void {
  take(byWorker(0) ?? byChannel());
  effect(() => {
    const now = token.value;
    if (now !== "") way?.send({ do: "token", token: now });
  });
  const here = () => { if (!left) way?.send({ do: "here" }); };
  setInterval(() => {
    if (left) return;
    if (pulse.ask()) take(way!.next());
    here();
  }, BEAT);
  addEventListener("visibilitychange", here);
  addEventListener("pagehide", () => {
    way?.send({ do: "bye" });
    left = true;
  });
  // Back from the browser's cache of pages: the switchboard takes this tab for gone.
  addEventListener("pageshow", () => {
    if (!left) return;
    left = false;
    pulse.answered();
    here();
  });
}

// Workers that hang keep their name, so the one that is taken after n dead ones has another. One that was only late
// answers to "here" in the end that it does not know this tab any more, which said "bye" before: then it is taken
// again, so that all tabs share one stream. What it said before that is old.
function byWorker(n: number): Way | null {
  if (typeof SharedWorker === "undefined" || n > DEAD) return null;
  try {
    const worker = new SharedWorker(workerURL(), { name: n === 0 ? "vibey" : `vibey-${n}` });
    const send = (m: TabMessage) => worker.port.postMessage(m);
    const mine: Way = {
      send,
      worker: n,
      next: () => {
        send({ do: "bye" });
        send({ do: "here" });
        return byWorker(n + 1) ?? byChannel();
      },
    };
    worker.port.onmessage = ({ data }: MessageEvent<BoardMessage>) => {
      if (way !== mine) {
        if (data.is !== "who") return;
        const back = !left && n < (way?.worker ?? 0);
        (back ? way! : mine).send({ do: "bye" });
        if (!back) return;
        way = mine;
      }
      receive(data);
    };
    worker.onerror = () => { if (way === mine) take(byChannel()); }; // it could not be loaded
    return mine;
  } catch {
    return null;
  }
}

// After so many workers that died this browser is taken to have none.
const DEAD = 5;

interface Sent { to: "board" | "tabs" | string; tab: string; said?: TabMessage; heard?: BoardMessage }

/** byChannel follows by the tab that holds a lock; a browser without locks has a stream for each tab. */
function byChannel(): Way {
  const locks = navigator.locks as LockManager | undefined;
  const me = crypto.getRandomValues(new Uint32Array(2)).join("-");
  const waiting: TabMessage[] = [];
  let board: Switchboard | null = null;
  // The last try to lead, by number; those before it count no more.
  let term = 0;
  const lead = async (mine: number, channel: BroadcastChannel | null) => {
    const { Switchboard } = await import("../live/switchboard.ts");
    if (mine !== term) return;
    board = new Switchboard();
    board.join(me, receive);
    for (const said of waiting.splice(0)) board.receive(me, said);
    channel?.postMessage({ to: "tabs", tab: me } satisfies Sent);
  };
  if (!locks || typeof BroadcastChannel === "undefined") {
    void lead(term, null);
    const alone: Way = { send: (m) => (board ? void board.receive(me, m) : void waiting.push(m)), next: () => alone };
    return alone;
  }
  const channel = new BroadcastChannel("vibey.live");
  const serve = (tab: string, said: TabMessage) => {
    if (board === null || board.receive(tab, said)) return;
    const reply = (heard: BoardMessage) => channel.postMessage({ to: tab, tab: me, heard } satisfies Sent);
    board.join(tab, reply);
    if (said.do === "bye") board.receive(tab, said);
    else reply({ is: "who" });
  };
  channel.onmessage = ({ data: { to, tab, said, heard } }: MessageEvent<Sent>) => {
    if (to === "board" && said) serve(tab, said);
    else if (board !== null) return; // this tab hears itself
    else if (to === me && heard) receive(heard);
    else if (to === "tabs") {
      // Another tab leads now.
      pulse.answered();
      sendAll();
    }
  };
  // A tab leads as long as it is open, or until another one takes the lock, since it heard nothing from here.
  const request = (options: LockOptions) => {
    const mine = ++term;
    locks.request(LOCK, options, async () => {
      if (mine !== term) return; // a later try is made: this one lets go of the lock
      await lead(mine, channel);
      sendAll();
      await new Promise<void>(() => undefined);
    }).catch((e: Error) => {
      if (mine !== term || e.name !== "AbortError") return;
      board?.close();
      board = null;
      request({});
    });
  };
  request({});
  const mine: Way = {
    send: (said) => (board ? void board.receive(me, said) : channel.postMessage({ to: "board", tab: me, said } satisfies Sent)),
    next: () => {
      request({ steal: true });
      return mine;
    },
  };
  return mine;
}

const LOCK = "vibey.live";
