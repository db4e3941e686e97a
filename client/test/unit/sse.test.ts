import { test } from "node:test";
import assert from "node:assert/strict";
import { Sse, type Message } from "../../src/text/sse.ts";

const whole = ": hello\nid: 10+0\nevent: chunk\ndata: {\"a\":1}\n\ndata: one\ndata: two\n\r\nevent: late\r\ndata:x\r\n\r\nid: 12+4\ndata:  y\n\n";
const want: Message[] = [
  { id: "10+0", event: "chunk", data: '{"a":1}' },
  { id: "10+0", event: "message", data: "one\ntwo" },
  { id: "10+0", event: "late", data: "x" },
  { id: "12+4", event: "message", data: " y" },
];

test("events come out whole, wherever the pieces end", () => {
  for (let a = 0; a <= whole.length; a++) {
    const sse = new Sse();
    const got = [...sse.push(whole.slice(0, a)), ...sse.push(whole.slice(a))];
    assert.deepEqual(got, want, `cut at ${a}`);
  }
});

test("byte by byte is the same as at once", () => {
  const sse = new Sse();
  assert.deepEqual([...whole].flatMap((c) => sse.push(c)), want);
});

test("an event without its blank line is none", () => {
  assert.deepEqual(new Sse().push("data: half\n"), []);
});

test("a byte order mark in front is dropped", () => {
  assert.deepEqual(new Sse().push("\ufeffdata: x\n\n"), [{ id: "", event: "message", data: "x" }]);
});
