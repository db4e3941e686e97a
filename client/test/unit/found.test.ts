import { test } from "node:test";
import assert from "node:assert/strict";
import type { SearchResult } from "../../src/types.ts";
import { readable, readables, sorted } from "../../src/text/found.ts";

test("what was found in a call is the text that holds it, without JSON around it", () => {
  const input = JSON.stringify({ path: "doc-people.md", old_string: "the steps", new_string: 'She says "never".\nThe number\u202e. \\' });
  const of = (typed: string, text = input) => readable({ text, role: "Tool Request" }, typed);
  assert.equal(of("the number"), 'She says "never". The number\u202e. \\');
  assert.equal(of("people"), "doc-people.md");
  assert.equal(of("number", 'says it.\\nThe number\\u00e9","x":"y"}'), "says it. The numberé");
  assert.equal(of("nothing"), input);
});

test("prose is left as it is, quotation marks and all", () => {
  for (const role of ["User", "Assistant", "Reasoning", undefined] as const) assert.equal(readable({ text: 'He said "the lamp" and left.', role }, "lamp"), 'He said "the lamp" and left.');
});

test("a thought is found once, not again in its provider's form", () => {
  const r = (line: number, role: "Reasoning" | "Assistant", text: string): SearchResult => ({ file: "dialog-x-done.md", dialogId: "x", section: role, role, line, text });
  const all = [r(1, "Reasoning", "Never say it."), r(5, "Reasoning", '{"type":"thinking","thinking":"Never say it.","signature":"s"}'), r(9, "Assistant", "Never say it.")];
  assert.deepEqual(readables(all, "say").map((x) => x.line), [1, 9]);
});

test("what agents are told stands apart from what is said", () => {
  const r = (line: number, dialogId?: string, role?: SearchResult["role"]): SearchResult => ({ file: "f", line, text: "t", ...(dialogId ? { dialogId } : {}), ...(role ? { role } : {}) });
  const all = sorted([r(1), r(2, "d", "System"), r(3, "d", "User"), r(4, "d"), r(5, "e", "System")]);
  assert.deepEqual(Object.fromEntries(Object.entries(all).map(([k, v]) => [k, v.map((x) => x.line)])), { docs: [1], dialogs: [3, 4], told: [2, 5] });
});

test("the head of a dialog's file is nothing that was said", () => {
  const r = (line: number, text: string, role?: SearchResult["role"]): SearchResult => ({ file: "dialog-x-done.md", dialogId: "x", line, text, ...(role ? { role } : {}) });
  const all = [r(2, "> DialogId: 20260216-201100-lamp"), r(3, "> Title: the lamp"), r(9, "> Note: my lamp", "User"), r(12, "the lamp", "User")];
  assert.deepEqual(readables(all, "lamp").map((x) => x.line), [9, 12]);
  assert.deepEqual(readables([{ file: "doc-a.md", line: 1, text: "> Note: lamp" }], "lamp").length, 1);
});
