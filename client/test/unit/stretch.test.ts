import { test } from "node:test";
import assert from "node:assert/strict";
import { itemsOf } from "../../src/text/items.ts";
import { stretchesOf } from "../../src/text/stretch.ts";
import type { Section } from "../../src/types.ts";

const none = { in: 0, out: 0, total: 0, tools: 0, ms: 0 };
// As a person writes by hand: without ids.
const said = (n: number): Section => ({ role: "User", id: "", time: "", resources: none, payloads: [{ type: "input/markdown", text: `message ${n}` }] });

test("what stands keeps its stretch and its keys when earlier sections come", () => {
  const all = Array.from({ length: 230 }, (_, i) => said(i));
  const late = all.slice(125);
  const shape = (sections: Section[], first: number) => stretchesOf(itemsOf(sections, "", [], first), sections, first).map((s) => ({ at: s.at, keys: s.items.map((i) => i.key) }));
  const before = shape(late, 125), after = shape(all, 0);
  assert.deepEqual(before.map((s) => s.at), [100, 150, 200]);
  assert.deepEqual(after.map((s) => s.at), [0, 50, 100, 150, 200]);
  assert.deepEqual(after.slice(3), before.slice(1));
});

test("a Summary stands where what it stands for stood", () => {
  const id = (n: number): Section => ({ ...said(n), id: `m${n}` });
  const all = [...Array.from({ length: 60 }, (_, i) => id(i)), { ...said(60), role: "Summary" as const, id: "s" }];
  const parts = stretchesOf(itemsOf(all, "", [{ from: "m0", to: "m9", by: "s" }]), all, 0);
  assert.equal(parts[0]!.items[0]!.kind, "summary");
  assert.deepEqual(parts.map((s) => s.items.length), [41, 10]);
});
