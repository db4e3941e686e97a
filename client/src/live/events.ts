import { createParser, type EventSourceMessage } from "eventsource-parser";

// The server sends at least a comment every 15 s, on the live stream every second: a connection that is silent
// for three times the longer of them is dead.
const SILENCE = 45_000;

/**
 * readEvents reads a stream of server-sent events to its end and passes on those that each
 * network piece completed, all at once. It returns when the stream ends, when take returns
 * true, or when the signal aborts, and throws when the connection breaks. heard is called
 * with each piece, before its events, also with one that is a comment alone.
 */
export async function readEvents(res: Response, take: (events: EventSourceMessage[]) => boolean | void, signal?: AbortSignal, heard?: () => void): Promise<void> {
  const reader = res.body!.pipeThrough(new TextDecoderStream()).getReader();
  const stop = () => void reader.cancel().catch(() => undefined);
  signal?.addEventListener("abort", stop, { once: true });
  let events: EventSourceMessage[] = [];
  const parser = createParser({ onEvent: (e) => events.push(e) });
  let timer: ReturnType<typeof setTimeout> | undefined;
  try {
    for (;;) {
      clearTimeout(timer);
      timer = setTimeout(stop, SILENCE);
      const { done, value } = await reader.read();
      if (done) return;
      heard?.();
      parser.feed(value);
      if (events.length === 0) continue;
      const now = events;
      events = [];
      if (take(now) === true) return;
    }
  } finally {
    clearTimeout(timer);
    stop();
  }
}
