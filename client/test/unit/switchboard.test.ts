import { afterEach, beforeEach, mock, test } from "node:test";
import assert from "node:assert/strict";
import { Switchboard } from "../../src/live/switchboard.ts";
import type { BoardMessage } from "../../src/live/messages.ts";

// Every stream that was asked for: what it follows, and what ends it or speaks on it.
interface Asked { watches: string[]; tell: (text: string) => void; end: () => void; aborted: () => boolean }
let asked: Asked[] = [];
let status = 200;
const real = globalThis.fetch;

beforeEach(() => {
  asked = [];
  status = 200;
  mock.timers.enable({ apis: ["setTimeout", "Date"] });
  globalThis.fetch = ((url: string, init: { signal: AbortSignal; headers: { Authorization: string } }) => {
    let out!: ReadableStreamDefaultController<Uint8Array>;
    const body = new ReadableStream<Uint8Array>({ start: (c) => { out = c; } });
    if (init.headers.Authorization === "Bearer old") {
      asked.push({ watches: ["old"], tell: () => undefined, end: () => undefined, aborted: () => init.signal.aborted });
      return Promise.resolve(new Response("no", { status: 401 }));
    }
    asked.push({
      watches: new URL(url, "http://h").searchParams.getAll("watch"),
      tell: (text) => { if (!init.signal.aborted) out.enqueue(new TextEncoder().encode(text)); },
      end: () => out.close(),
      aborted: () => init.signal.aborted,
    });
    return Promise.resolve(new Response(status === 200 ? body : "no", { status }));
  }) as typeof fetch;
});
afterEach(() => {
  mock.timers.reset();
  globalThis.fetch = real;
});

const settled = () => new Promise<void>((ok) => setImmediate(() => setImmediate(ok)));
async function pass(ms: number): Promise<void> {
  mock.timers.tick(ms);
  await settled();
}
const frame = (watch: number, at: string, n: number) => `event: live\ndata: ${JSON.stringify({ type: "live", watch: String(watch), at, frame: { type: "x", n } })}\n\n`;

function tab(board: Switchboard, id: string): BoardMessage[] {
  const heard: BoardMessage[] = [];
  board.join(id, (h) => heard.push(h));
  board.receive(id, { do: "token", token: "t" });
  return heard;
}
const told = (heard: BoardMessage[]) => heard.flatMap((h) => (h.is === "frames" ? h.frames.filter((f) => f.frame.type === "x").map((f) => `${h.key}:${f.frame["n"]}`) : []));

test("what all tabs follow goes into one stream, and each hears its own", async () => {
  const board = new Switchboard();
  const a = tab(board, "a"), b = tab(board, "b");
  board.receive("a", { do: "watch", key: "k", what: "dialog/p/d", at: "" });
  board.receive("b", { do: "watch", key: "k", what: "dialog/p/d", at: "5+0" });
  await pass(20);
  assert.deepEqual(asked.map((x) => x.watches), [["0/dialog/p/d", "1/dialog/p/d/5+0"]]);
  asked[0]!.tell(":\n\n" + frame(0, "3+0", 1) + frame(1, "6+0", 2));
  await settled();
  assert.deepEqual([told(a), told(b)], [["k:1"], ["k:2"]]);
});

test("tabs that follow the same from the same position on share a watch", async () => {
  const board = new Switchboard();
  const a = tab(board, "a"), b = tab(board, "b");
  for (let i = 0; i < 150; i++) for (const id of ["a", "b"]) board.receive(id, { do: "watch", key: String(i), what: `project/p${i}`, at: "" });
  board.receive("a", { do: "watch", key: "d", what: "dialog/p/d", at: "5+0" });
  board.receive("b", { do: "watch", key: "e", what: "dialog/p/d", at: "6+0" });
  await pass(20);
  assert.equal(asked[0]!.watches.length, 152);
  asked[0]!.tell(":\n\n" + frame(7, "", 1) + frame(150, "6+0", 2));
  await settled();
  assert.deepEqual([told(a), told(b)], [["7:1", "d:2"], ["7:1"]]);
  // Both are at the same position now.
  board.receive("b", { do: "leave", key: "7" });
  await pass(20);
  assert.equal(asked[1]!.watches.length, 151);
  asked[1]!.tell(":\n\n" + frame(7, "", 3) + frame(150, "7+0", 4));
  await settled();
  assert.deepEqual([told(a).slice(2), told(b).slice(1)], [["7:3", "d:4"], ["e:4"]]);
});

test("the stream that stands is kept where the server refuses another one", async () => {
  const board = new Switchboard();
  const a = tab(board, "a");
  board.receive("a", { do: "watch", key: "1", what: "dialog/p/d", at: "" });
  await pass(20);
  asked[0]!.tell(":\n\n");
  await settled();
  status = 400;
  board.receive("a", { do: "watch", key: "2", what: "dialog/p/e", at: "" });
  await pass(20);
  assert.equal(asked.length, 2);
  asked[0]!.tell(frame(0, "3+0", 1));
  await settled();
  assert.deepEqual([told(a), asked[0]!.aborted(), a.filter((h) => h.is === "line" && h.lost !== null)], [["1:1"], false, []]);
  status = 200;
  await pass(250);
  assert.deepEqual(asked[2]!.watches, ["0/dialog/p/d/3+0", "1/dialog/p/e"]);
  // Where it breaks meanwhile, that is told.
  status = 400;
  asked[2]!.tell(":\n\n");
  await settled();
  board.receive("a", { do: "leave", key: "2" });
  await pass(20);
  asked[2]!.end();
  await settled();
  assert.notEqual(a.filter((h) => h.is === "line").at(-1)!.lost, null);
});

test("the old stream is heard until the new one stands, from where each watch is", async () => {
  const board = new Switchboard();
  const a = tab(board, "a");
  board.receive("a", { do: "watch", key: "1", what: "dialog/p/d", at: "" });
  await pass(20);
  asked[0]!.tell(frame(0, "3+0", 1));
  await settled();
  board.receive("a", { do: "watch", key: "2", what: "dialog/p/e", at: "" });
  await pass(20);
  assert.deepEqual(asked[1]!.watches, ["0/dialog/p/d/3+0", "1/dialog/p/e"]);
  asked[0]!.tell(frame(0, "4+0", 2));
  await settled();
  assert.equal(asked[0]!.aborted(), false);
  asked[1]!.tell(":\n\n");
  await settled();
  assert.equal(asked[0]!.aborted(), true);
  asked[1]!.tell(frame(1, "", 3));
  await settled();
  assert.deepEqual(told(a), ["1:1", "1:2", "2:3"]);
});

test("what the old stream told while the new one came up is not told again", async () => {
  const board = new Switchboard();
  const a = tab(board, "a");
  const section = (watch: number, at: string, n: number, type = "section") => `event: live\ndata: ${JSON.stringify({ type: "live", watch: String(watch), at, frame: { type, n } })}\n\n`;
  const sections = () => a.flatMap((h) => (h.is === "frames" ? h.frames.map((f) => `${f.frame.type} ${f.frame["n"] ?? ""}`) : []));
  board.receive("a", { do: "watch", key: "1", what: "dialog/p/d", at: "" });
  await pass(20);
  asked[0]!.tell(section(0, "30+0", 1));
  await settled();
  board.receive("a", { do: "watch", key: "2", what: "dialog/p/e", at: "" });
  await pass(20);
  asked[0]!.tell(section(0, "90+0", 2) + section(0, "100+0", 3));
  await settled();
  assert.deepEqual(asked[1]!.watches, ["0/dialog/p/d/30+0", "1/dialog/p/e"]);
  asked[1]!.tell(":\n\n" + section(0, "90+0", 2) + section(0, "100+0", 3) + section(0, "100+0", 0, "open") + section(0, "120+0", 4));
  await settled();
  assert.deepEqual(sections(), ["section 1", "section 2", "section 3", "open 0", "section 4"]);
  // A file that is another one by then begins anew.
  board.receive("a", { do: "leave", key: "2" });
  await pass(20);
  asked[1]!.tell(section(0, "200+0", 5));
  await settled();
  asked[2]!.tell(":\n\n" + section(0, "0+0", 0, "reset") + section(0, "30+0", 6));
  await settled();
  assert.deepEqual(sections().slice(5), ["section 5", "reset 0", "section 6"]);
});

test("a position that was passed is not gone back to", async () => {
  const board = new Switchboard();
  const a = tab(board, "a");
  board.receive("a", { do: "watch", key: "1", what: "dialog/p/d", at: "30+0" });
  await pass(20);
  asked[0]!.tell(":\n\n");
  await settled();
  board.receive("a", { do: "watch", key: "2", what: "dialog/p/e", at: "" });
  await pass(20);
  asked[0]!.tell(frame(0, "100+0", 1));
  await settled();
  asked[1]!.tell(":\n\n" + frame(0, "30+0", 2));
  await settled();
  assert.deepEqual(a.flatMap((h) => (h.is === "frames" ? h.frames.map((f) => f.at) : [])), ["100+0", ""]);
  board.receive("a", { do: "leave", key: "2" });
  await pass(20);
  assert.deepEqual(asked[2]!.watches, ["0/dialog/p/d/100+0"]);
});

test("a stream that breaks is told, tried again with growing pauses, and a project begins anew behind it", async () => {
  const board = new Switchboard();
  const a = tab(board, "a");
  board.receive("a", { do: "watch", key: "1", what: "project/p", at: "" });
  await pass(20);
  asked[0]!.tell(":\n\n");
  await settled();
  const resets = () => a.filter((h) => h.is === "frames" && h.frames.some((f) => f.frame.type === "change")).length;
  assert.equal(resets(), 1);
  asked[0]!.end();
  await settled();
  assert.ok(a.some((h) => h.is === "line" && h.lost !== null));
  status = 503;
  await pass(250);
  assert.equal(asked.length, 2);
  await pass(250);
  assert.equal(asked.length, 2, "the second pause is longer");
  status = 200;
  board.receive("a", { do: "now" });
  await pass(0);
  asked[2]!.tell(":\n\n");
  await settled();
  assert.deepEqual(a.filter((h) => h.is === "line").at(-1), { is: "line", lost: null });
  assert.equal(resets(), 2);
});

test("a stream that stands and is silent for two beats is told, with when it was heard last, and kept", async () => {
  const board = new Switchboard();
  const a = tab(board, "a");
  const lines = () => a.flatMap((h) => (h.is === "line" ? [h.lost] : []));
  board.receive("a", { do: "watch", key: "1", what: "project/p", at: "" });
  await pass(20);
  for (let i = 0; i < 5; i++) {
    asked[0]!.tell(":\n\n");
    await settled();
    await pass(1000);
  }
  const heard = Date.now() - 1000;
  assert.deepEqual(lines(), [null]);
  await pass(1000);
  assert.deepEqual(lines(), [null, heard]);
  await pass(5000);
  assert.deepEqual([asked.length, lines().length], [1, 2]);
  asked[0]!.tell(frame(0, "", 1));
  await settled();
  assert.deepEqual([lines(), told(a)], [[null, heard, null], ["1:1"]]);
  // Try now has another stream beside it, which may stand where the line is dead.
  await pass(2000);
  board.receive("a", { do: "now" });
  await pass(0);
  assert.equal(asked[0]!.aborted(), false);
  asked[1]!.tell(":\n\n");
  await settled();
  assert.deepEqual([asked[0]!.aborted(), lines().at(-1)], [true, null]);
});

test("a tab that says bye, or nothing for minutes, is followed no more; one that was taken for gone is asked", async () => {
  const board = new Switchboard();
  tab(board, "a");
  tab(board, "b");
  board.receive("a", { do: "watch", key: "1", what: "project/p", at: "" });
  board.receive("b", { do: "watch", key: "1", what: "project/q", at: "" });
  await pass(20);
  asked[0]!.tell(":\n\n");
  await settled();
  await pass(150_000);
  board.receive("b", { do: "here" });
  await pass(100_000);
  board.receive("b", { do: "here" });
  await pass(20);
  assert.deepEqual(asked.at(-1)!.watches, ["0/project/q"]);
  assert.equal(board.receive("a", { do: "here" }), false);
  board.receive("b", { do: "bye" });
  await pass(20);
  assert.equal(asked.at(-1)!.aborted(), true);
});

test("a token that is refused is told to every tab, and not tried again", async () => {
  const board = new Switchboard();
  const a = tab(board, "a");
  status = 401;
  board.receive("a", { do: "watch", key: "1", what: "project/p", at: "" });
  await pass(20);
  await pass(10_000);
  assert.equal(asked.length, 1);
  assert.ok(a.some((h) => h.is === "refused" && h.token === "t"));
  status = 200;
  board.receive("a", { do: "token", token: "another" });
  await pass(20);
  assert.equal(asked.length, 2);
});

test("an old or empty token ends no session of the tabs with another, and no stream", async () => {
  const board = new Switchboard();
  const a = tab(board, "a");
  board.receive("a", { do: "watch", key: "1", what: "project/p", at: "" });
  await pass(20);
  asked[0]!.tell(":\n\n");
  await settled();
  const b: BoardMessage[] = [];
  board.join("b", (h) => b.push(h));
  for (const token of ["", "old"]) board.receive("b", { do: "token", token });
  await pass(20);
  board.receive("b", { do: "watch", key: "1", what: "project/q", at: "" });
  await pass(20);
  assert.deepEqual(asked.map((x) => x.watches), [["0/project/p"], ["0/project/p", "1/project/q"]]);
  assert.ok(![...a, ...b].some((h) => h.is === "refused"));
});

test("where the first token is an old one, the streams go on by the next", async () => {
  const board = new Switchboard();
  const heard: BoardMessage[] = [];
  board.join("o", (h) => heard.push(h));
  board.receive("o", { do: "token", token: "old" });
  board.receive("o", { do: "watch", key: "1", what: "project/p", at: "" });
  const a = tab(board, "a");
  await pass(20);
  await pass(20);
  assert.deepEqual(asked.map((x) => x.watches), [["old"], ["0/project/p"]]);
  assert.ok(heard.some((h) => h.is === "refused" && h.token === "old"));
  assert.ok(!a.some((h) => h.is === "refused"));
  board.receive("o", { do: "here" });
  assert.deepEqual(heard.at(-1), { is: "here" });
});
