import { test } from "node:test";
import assert from "node:assert/strict";
import type { Role, Section } from "../../src/types.ts";
import { isSending, mergeSections, sending } from "../../src/text/merge.ts";

const s = (role: Role, id: string, text = ""): Section => ({
  role, id, time: "", resources: { in: 0, out: 0, total: 0, tools: 0, ms: 0 }, meta: {}, payloads: [{ type: "x", text }],
});
const show = (all: Section[]) => all.map((x) => `${x.role[0]}${x.id}${x.payloads?.[0]?.text ?? ""}`);

test("a section stands once, in its own place", () => {
  const all = mergeSections([s("User", "1"), s("Assistant", "1")], [s("Assistant", "1", "new"), s("User", "2")]);
  assert.deepEqual(show(all), ["U1", "A1new", "U2"]);
});

test("a request and its result have one id, and both stand", () => {
  assert.equal(mergeSections([s("Tool Request", "c")], [s("Tool Result", "c")]).length, 2);
});

test("what has no id is always new", () => {
  assert.equal(mergeSections([s("Note", "")], [s("Note", ""), s("Note", "")]).length, 3);
});

test("a message that was shown at once gives way to the stored one, behind what came before it", () => {
  const own = sending("hello", "2026-02-16T20:11:00Z");
  assert.equal(isSending(own), true);
  const all = mergeSections([s("User", "1"), own], [s("System", "1"), s("Note", "1"), s("User", "2", "hello"), s("Assistant", "2")]);
  assert.deepEqual(show(all), ["U1", "S1", "N1", "U2hello", "A2"]);
  assert.equal(all.some(isSending), false);
  // What came again after that keeps its place.
  assert.deepEqual(show(mergeSections(all, [s("User", "2", "again")])), ["U1", "S1", "N1", "U2again", "A2"]);
});

test("the given list is left as it was", () => {
  const before = [s("User", "1")];
  mergeSections(before, [s("User", "1", "x"), s("Note", "1")]);
  assert.deepEqual(show(before), ["U1"]);
});
