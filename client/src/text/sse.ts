/** One server-sent event. `id` is the last one seen, as the format demands. */
export interface Message {
  id: string;
  event: string;
  data: string;
}

/**
 * Sse parses a text/event-stream that arrives in pieces. Pieces may end anywhere, also
 * between CR and LF. An event without its closing blank line is dropped.
 */
export class Sse {
  #rest = "";
  #id = "";
  #event = "";
  #data: string[] = [];
  #started = false;

  /** push returns the events that text completed. */
  push(text: string): Message[] {
    if (!this.#started && text !== "") {
      this.#started = true;
      if (text.charCodeAt(0) === 0xfeff) text = text.slice(1);
    }
    const all = this.#rest + text;
    const out: Message[] = [];
    let from = 0;
    for (;;) {
      const end = lineEnd(all, from);
      if (end < 0) break;
      // A CR at the very end may be half of CRLF: wait for what follows.
      if (all[end] === "\r" && end + 1 === all.length) break;
      this.#line(all.slice(from, end), out);
      from = end + (all[end] === "\r" && all[end + 1] === "\n" ? 2 : 1);
    }
    this.#rest = all.slice(from);
    return out;
  }

  #line(line: string, out: Message[]): void {
    if (line === "") {
      if (this.#data.length > 0) {
        out.push({ id: this.#id, event: this.#event || "message", data: this.#data.join("\n") });
      }
      this.#event = "";
      this.#data = [];
      return;
    }
    const colon = line.indexOf(":");
    if (colon === 0) return; // a comment, sent to keep the line open
    const field = colon < 0 ? line : line.slice(0, colon);
    let value = colon < 0 ? "" : line.slice(colon + 1);
    if (value.startsWith(" ")) value = value.slice(1);
    if (field === "data") this.#data.push(value);
    else if (field === "event") this.#event = value;
    else if (field === "id" && !value.includes("\0")) this.#id = value;
  }
}

function lineEnd(s: string, from: number): number {
  for (let i = from; i < s.length; i++) {
    const c = s.charCodeAt(i);
    if (c === 10 || c === 13) return i;
  }
  return -1;
}
