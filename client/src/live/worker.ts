import { Switchboard } from "./switchboard.ts";
import type { BoardMessage, TabMessage } from "./messages.ts";

// The worker that all tabs of a browser share. Each tab has a port.

const board = new Switchboard();
let tabs = 0;

addEventListener("connect", (e) => {
  const port = (e as MessageEvent).ports[0]!;
  const id = String(tabs++);
  const send = (m: BoardMessage) => port.postMessage(m);
  board.join(id, send);
  port.onmessage = (m: MessageEvent<TabMessage>) => {
    if (board.receive(id, m.data)) return;
    // It was taken for closed, and is not.
    board.join(id, send);
    send({ is: "who" });
  };
});
