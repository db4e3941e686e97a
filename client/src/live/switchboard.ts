import { readEvents } from "./events.ts";
import type { BoardMessage, TabMessage, Delivery } from "./messages.ts";

/** A tab that did not say "here" for so long is gone: a hidden one may do so once a minute. */
const GONE = 200_000;
/** Changes of what is followed are gathered for so long. */
const GATHER = 8;
const PAUSE = { first: 250, most: 4000 };
/** The server sends a comment every second: one that was silent for so long, in ms, has stalled, or the line is dead. */
const SILENT = 2000;

/** `has` is the position up to which another stream told it, "" where that is no further than asked for. */
interface Watch { what: string; at: string; stood: boolean; has: string }
interface Tab { send: (m: BoardMessage) => void; token: string; watches: Map<string, Watch>; seen: number }
interface Line { end: AbortController; stands: boolean }
/** One watch of a stream: all tabs that follow the same thing from the same position on share it. */
interface Shared { of: string; at: string; by: { tab: Tab; key: string; watch: Watch }[] }

/**
 * Switchboard keeps one live stream for all tabs of a browser. The stream is opened anew
 * where a tab follows something else, each watch from its position on; the old one is read
 * until the new one stands, so that nothing falls between them.
 */
export class Switchboard {
  #tabs = new Map<string, Tab>();
  // The token in use: the first that came, until the server refuses it. A tab may send an old one.
  #token = "";
  #lost: number | null = null;
  #line: Line | null = null;
  #next: Line | null = null;
  #due: ReturnType<typeof setTimeout> | undefined;
  #silence: ReturnType<typeof setTimeout> | undefined;
  #pause = PAUSE.first;

  /** join adds a tab; `send` is called with each message to it. */
  join(tab: string, send: (m: BoardMessage) => void): void {
    this.#tabs.set(tab, { send, token: "", watches: new Map(), seen: Date.now() });
    send({ is: "line", lost: this.#lost });
  }

  /** receive takes a message of a tab. It reports whether the tab is known. */
  receive(id: string, message: TabMessage): boolean {
    const tab = this.#tabs.get(id);
    if (tab === undefined) return false;
    tab.seen = Date.now();
    switch (message.do) {
      case "token":
        tab.token = message.token;
        if (this.#token !== "" || message.token === "") break;
        this.#token = message.token;
        this.#open(GATHER);
        break;
      case "watch":
        tab.watches.set(message.key, { what: message.what, at: message.at, stood: false, has: "" });
        this.#open(GATHER);
        break;
      case "leave":
        if (tab.watches.delete(message.key)) this.#open(GATHER);
        break;
      case "now":
        if (this.#lost !== null) this.#open(0);
        break;
      case "bye":
        this.#tabs.delete(id);
        if (tab.watches.size > 0) this.#open(GATHER);
        break;
      case "here":
        this.#sweep();
        tab.send({ is: "here" });
    }
    return true;
  }

  /** close ends the stream: another switchboard is in use. */
  close(): void {
    this.#tabs.clear();
    clearTimeout(this.#due);
    clearTimeout(this.#silence);
    this.#next?.end.abort();
    this.#line?.end.abort();
    this.#next = this.#line = null;
  }

  #sweep(): void {
    for (const [id, tab] of this.#tabs) {
      if (Date.now() - tab.seen < GONE) continue;
      this.#tabs.delete(id);
      if (tab.watches.size > 0) this.#open(GATHER);
    }
  }

  #open(wait: number): void {
    clearTimeout(this.#due);
    this.#due = setTimeout(() => void this.#connect(), wait);
  }

  async #connect(): Promise<void> {
    this.#next?.end.abort();
    const line: Line = { end: new AbortController(), stands: false };
    this.#next = line;
    const watches = this.#watches(), token = this.#token;
    if (watches.length === 0 || token === "") {
      this.#next = null;
      this.#line?.end.abort();
      this.#line = null;
      return this.#sendLine(null);
    }
    const query = new URLSearchParams(watches.map(({ of }, n) => ["watch", `${n}/${of}`]));
    let answered = false;
    try {
      const res = await fetch(`/live?${query}`, { headers: { Authorization: `Bearer ${token}`, Accept: "text/event-stream" }, cache: "no-store", signal: line.end.signal });
      if (res.status === 401) return this.#refused(token);
      answered = true;
      if (!res.ok) throw new Error(`${res.status}`);
      await readEvents(res, (events) => this.#take(line, watches, events), line.end.signal, () => this.#hear(line, watches));
    } catch {
      // It is tried again below.
    }
    if (line.end.signal.aborted || (this.#next !== line && this.#line !== line)) return;
    if (this.#next === line) this.#next = null;
    if (this.#line === line) this.#line = null;
    // A server that refuses the new stream still speaks on the old one.
    if (!answered) this.#line?.end.abort();
    if (!answered) this.#line = null;
    if (this.#line === null) this.#sendLine(this.#lost ?? Date.now());
    this.#open(this.#pause);
    this.#pause = Math.min(this.#pause * 2, PAUSE.most);
  }

  // Tabs that signed in with another token go on by that; a stream that stands is left to them.
  #refused(token: string): void {
    for (const tab of this.#tabs.values()) {
      if (tab.token !== token) continue;
      tab.token = "";
      tab.send({ is: "refused", token });
    }
    this.#next = null;
    this.#token = [...this.#tabs.values()].find((tab) => tab.token !== "")?.token ?? "";
    if (this.#token !== "") this.#open(GATHER);
  }

  // What the next stream follows. The place of a watch in the list is its number there.
  #watches(): Shared[] {
    const all = new Map<string, Shared>();
    for (const tab of this.#tabs.values()) for (const [key, watch] of tab.watches) {
      const of = watch.at === "" ? watch.what : `${watch.what}/${watch.at}`;
      const shared = all.get(of) ?? { of, at: watch.at, by: [] };
      shared.by.push({ tab, key, watch });
      all.set(of, shared);
    }
    return [...all.values()];
  }

  // The new stream stands: from here on the old one is not heard.
  #stands(line: Line, watches: Shared[]): void {
    if (line.stands || this.#next !== line) return;
    line.stands = true;
    this.#line?.end.abort();
    this.#line = line;
    this.#next = null;
    this.#pause = PAUSE.first;
    const broke = this.#lost !== null;
    this.#sendLine(null);
    for (const { at, by } of watches) for (const { tab, key, watch } of by) {
      watch.has = watch.at === at ? "" : watch.at;
      // What changed in a project before the stream stood is not told by it.
      if ((broke || !watch.stood) && watch.what.startsWith("project/")) tab.send({ is: "frames", key, frames: [{ at: "", frame: { type: "change", kind: "reset" } }] });
      watch.stood = true;
    }
  }

  #take(line: Line, watches: Shared[], events: { data: string }[]): boolean {
    if (line.end.signal.aborted) return true;
    const delivered = new Map<number, Delivery[]>();
    for (const e of events) {
      const { watch, at = "", frame } = JSON.parse(e.data) as { watch: string; at?: string; frame: Delivery["frame"] };
      const n = Number(watch);
      const all = delivered.get(n);
      if (all) all.push({ at, frame });
      else delivered.set(n, [{ at, frame }]);
    }
    for (const [n, frames] of delivered) {
      for (const { tab, key, watch } of watches[n]?.by ?? []) {
        if (tab.watches.get(key) !== watch) continue; // it was replaced, or left
        const fresh = watch.has === "" ? frames : frames.flatMap((f) => beyond(watch, f));
        for (const f of fresh) if (f.at !== "") watch.at = f.at;
        if (fresh.length > 0) tab.send({ is: "frames", key, frames: fresh });
      }
    }
    return false;
  }

  // A stream that stands and is silent is kept: what the server has for it comes once it goes on.
  #hear(line: Line, watches: Shared[]): void {
    this.#stands(line, watches);
    if (this.#line !== line) return;
    this.#sendLine(null);
    clearTimeout(this.#silence);
    const at = Date.now();
    this.#silence = setTimeout(() => { if (this.#line === line) this.#sendLine(at); }, SILENT);
  }

  #sendLine(lost: number | null): void {
    if (lost === this.#lost) return;
    this.#lost = lost;
    for (const tab of this.#tabs.values()) tab.send({ is: "line", lost });
  }
}

// The old stream was heard until this one stood, which begins further up: sections that
// came by the old one are not delivered twice, since one without an id can't be recognized.
// What else comes from there is delivered without its position, which is one that was passed.
function beyond(w: Watch, f: Delivery): Delivery[] {
  if (f.frame.type === "reset" || (f.at !== "" && wholeOf(f.at) > wholeOf(w.has))) w.has = "";
  if (w.has === "") return [f];
  return f.frame.type === "section" ? [] : [{ ...f, at: "" }];
}

// How many bytes of whole sections a position counts.
function wholeOf(at: string): number { return Number(at.split("+")[0]); }
