import { test } from "node:test";
import assert from "node:assert/strict";
import { itemsOf } from "../../src/text/items.ts";
import { revealProse } from "../../src/text/prose.ts";
import { foldReads, readsWords } from "../../src/text/reads.ts";
import type { Role, Section } from "../../src/types.ts";

const none = { in: 0, out: 0, total: 0, tools: 0, ms: 0 };
const sec = (role: Role, id: string, type: string, text: string, meta: Record<string, string> = {}): Section => ({ role, id, time: "", resources: none, meta, payloads: [{ type, text }] });
const call = (id: string, tool: string, success = true): Section[] => [
  sec("Assistant", `a${id}`, "output/markdown", "", { Stop: "calls" }),
  sec("Tool Request", id, "tool/input/json", `{"path":"deed/${id}"}`, { Tool: tool }),
  sec("Tool Result", id, "tool/result/json", JSON.stringify({ success, error: success ? undefined : "no such file" }), { Tool: tool }),
];

test("runs of calls that only looked are one line, and what failed or changed is not among them", () => {
  const all = [
    ...call("1", "read_file"), ...call("2", "list_files"), ...call("3", "read_file"), ...call("4", "read_file"),
    ...call("5", "write_file"), ...call("6", "read_file"), ...call("7", "read_file"), ...call("8", "read_file", false),
    sec("Assistant", "a9", "output/markdown", "I have seen them."),
  ];
  const shape = foldReads(itemsOf(all)).map((i) => (i.kind === "reads" ? readsWords(i) : i.kind === "tool" ? i.request.id : i.kind));
  assert.deepEqual(shape, ["agent", "Read 3 files, listed 1 folder", "agent", "5", "agent", "6", "agent", "7", "agent", "8", "agent"]);
});

test("in prose what could mislead is drawn, and what writers set is not", () => {
  const drawn = (s: string) => revealProse(s).filter((p) => typeof p !== "string").map((p) => (p as { code: string }).code);
  assert.deepEqual(drawn("«\u00a0oui\u202f!\u00a0» co\u00adop"), []);
  assert.deepEqual(drawn("می\u200cخواهم"), []);
  assert.deepEqual(drawn("pay\u200cpal \u202egpj \u200b\u{e0041}"), ["U+200C", "U+202E", "U+200B", "U+E0041"]);
  assert.equal(revealProse("می\u200cخواهم").join(""), "می\u200cخواهم");
});
