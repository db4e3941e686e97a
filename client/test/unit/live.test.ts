import { mock, test } from "node:test";
import assert from "node:assert/strict";
import type { BoardMessage, TabMessage } from "../../src/live/messages.ts";

// What a tab's side of the live stream needs of a browser: its worker is this test.
const said: TabMessage[] = [];
const port: { onmessage: ((m: { data: BoardMessage }) => void) | null; postMessage: (s: TabMessage) => void; close: () => void } = { onmessage: null, postMessage: (s) => (s.do === "here" ? port.onmessage!({ data: { is: "here" } }) : void said.push(s)), close: () => undefined };
const kept = new Map([["vibey.token", "t"]]);
const shelf = { getItem: (k: string) => kept.get(k) ?? null, setItem: (k: string, v: string) => void kept.set(k, v), removeItem: (k: string) => void kept.delete(k) };
const browser = { localStorage: shelf, sessionStorage: shelf, addEventListener: () => undefined, location: { hash: "" }, navigator: {}, LIVE_WORKER: "/worker.js", SharedWorker: class { port = port; } };
for (const [name, value] of Object.entries(browser)) Object.defineProperty(globalThis, name, { value, configurable: true });
mock.timers.enable({ apis: ["setTimeout", "setInterval"] });

test("a watch that is refused is told in words, and asked for again after growing pauses", async () => {
  const { unfollowed, watch } = await import("../../src/state/live.ts");
  const leave = watch("dialog/p/d", "", () => undefined);
  const asked = () => said.filter((s) => s.do === "watch").map((s) => s.at);
  const tell = (at: string, frame: { type: string; [more: string]: unknown }) => port.onmessage!({ data: { is: "frames", key: "0", frames: [{ at, frame }] } });
  const refuse = (status = 400) => tell("", { type: "error", kind: "refused", status, message: "Close some windows." });
  tell("5+0", { type: "section" });
  refuse(404);
  assert.equal(unfollowed.peek(), "", "what is not there is told elsewhere");
  refuse();
  assert.equal(unfollowed.peek(), "Close some windows.");
  mock.timers.tick(999);
  assert.deepEqual(asked(), [""]);
  mock.timers.tick(1);
  assert.deepEqual(asked(), ["", "5+0"]);
  refuse(500);
  mock.timers.tick(1000);
  assert.equal(asked().length, 2);
  mock.timers.tick(1000);
  assert.equal(asked().length, 3);
  // It is followed now, and says nothing.
  mock.timers.tick(60_000);
  assert.deepEqual([asked().length, unfollowed.peek()], [3, ""]);
  refuse();
  leave();
  mock.timers.tick(60_000);
  assert.deepEqual([asked().length, unfollowed.peek()], [3, ""]);
});
