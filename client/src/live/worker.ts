import { Switchboard } from "./switchboard.ts";
import type { Heard, Said } from "./words.ts";

// The worker that all tabs of a browser share. Each tab has a port.

const board = new Switchboard();
let tabs = 0;

addEventListener("connect", (e) => {
  const port = (e as MessageEvent).ports[0]!;
  const id = String(tabs++);
  const hear = (h: Heard) => port.postMessage(h);
  board.join(id, hear);
  port.onmessage = (m: MessageEvent<Said>) => {
    if (board.say(id, m.data)) return;
    // It was taken for closed, and is not.
    board.join(id, hear);
    hear({ is: "who" });
  };
});
