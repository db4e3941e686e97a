import { Sse, type Message } from "../text/sse.ts";
import { request } from "./api.ts";

// The server sends at least a comment every 15 s: a connection that is silent for three times that is dead.
const SILENCE = 45_000;

/**
 * readEvents reads a stream to its end and passes on the events that
 * each network piece completed, all at once. It returns when the stream ends and throws when it
 * breaks; aborting the signal ends it quietly.
 */
export async function readEvents(res: Response, take: (messages: Message[]) => boolean | void, signal?: AbortSignal): Promise<void> {
  const reader = res.body!.pipeThrough(new TextDecoderStream()).getReader();
  signal?.addEventListener("abort", () => void reader.cancel().catch(() => undefined), { once: true });
  const sse = new Sse();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const alive = () => {
    clearTimeout(timer);
    timer = setTimeout(() => void reader.cancel().catch(() => undefined), SILENCE);
  };
  try {
    for (;;) {
      alive();
      const { done, value } = await reader.read();
      if (done) return;
      const messages = sse.push(value);
      if (messages.length > 0 && take(messages) === true) return;
    }
  } finally {
    clearTimeout(timer);
    reader.cancel().catch(() => undefined);
  }
}

export interface Following {
  path: string;
  /** sent as Last-Event-ID; "" at first */
  lastId: () => string;
  onOpen?: () => void;
  /** returns true to stop: the stream is complete */
  take: (messages: Message[]) => boolean | void;
  /** called when the server refused the request, which stops; a broken connection is tried again */
  onRefused: (e: unknown) => void;
  /** called when the connection broke; it is tried again */
  onBroken?: () => void;
}

/** follow reads a stream until it is stopped, and reconnects after each break with growing pauses. */
export function follow(f: Following): { stop: () => void; now: () => void } {
  const end = new AbortController();
  let wake = () => {};
  void (async () => {
    let pause = 250;
    while (!end.signal.aborted) {
      try {
        const id = f.lastId();
        const res = await request("GET", f.path, { signal: end.signal, headers: { Accept: "text/event-stream", ...(id === "" ? {} : { "Last-Event-ID": id }) } });
        pause = 250;
        f.onOpen?.();
        let through = false;
        await readEvents(res, (m) => (through = !end.signal.aborted && f.take(m) === true));
        if (through) return;
      } catch (e) {
        if (end.signal.aborted) return;
        if (refused(e)) return f.onRefused(e);
      }
      if (end.signal.aborted) return;
      f.onBroken?.();
      await new Promise<void>((go) => {
        wake = go;
        setTimeout(go, pause);
      });
      pause = Math.min(pause * 2, 4000);
    }
  })();
  return { stop: () => { end.abort(); wake(); }, now: () => wake() };
}

function refused(e: unknown): boolean {
  const status = (e as { status?: number }).status ?? 0;
  return status >= 400 && status < 500;
}
