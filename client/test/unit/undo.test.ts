import { test } from "node:test";
import assert from "node:assert/strict";
import type { Role, Section } from "../../src/types.ts";
import { undoings } from "../../src/text/undo.ts";

const none = { in: 0, out: 0, total: 0, tools: 0, ms: 0 };
const sec = (role: Role, id: string, type: string, text: string, meta: Record<string, string> = {}): Section => ({
  role, id, time: "2026-02-16T20:11:00Z - 2026-02-16T20:11:04Z", resources: none, meta, payloads: [{ type, text }],
});
const user = (id: string) => sec("User", id, "input/markdown", "go");
const call = (id: string, tool: string, result: unknown, status = "approved") => [
  sec("Tool Request", id, "tool/input/json", "{}", { Tool: tool }),
  sec("Tool Result", id, "tool/result/json", JSON.stringify(result), { Tool: tool, Status: status }),
];
const wrote = (path: string, sha256: string, replaced?: string) => ({ success: true, path, sha256, replaced });
const undo = (id: string, parent: string, undone: unknown[], refused: unknown[] = []): Section => ({
  ...sec("Note", id, "note/markdown", "x", { Kind: "undo", Parent: parent }),
  payloads: [{ type: "note/markdown", text: "x" }, { type: "note/json", text: JSON.stringify({ undone, refused }) }],
});

const turn = [
  user("u1"),
  ...call("c1", "write_file", wrote("deed/a", "A")),
  ...call("c2", "edit_file", wrote("deed/a", "B", "A")),
  ...call("c3", "write_file", wrote("doc-b.md", "C", "D")),
  ...call("c4", "read_file", { success: true, path: "deed/a", sha256: "B" }),
];

test("what changed a file can be taken back, what read one is nothing", () => {
  const got = undoings(turn);
  assert.deepEqual(got.get("c1"), { state: "can", paths: ["deed/a"], by: "" });
  assert.deepEqual(got.get("u1"), { state: "can", paths: ["doc-b.md", "deed/a"], by: "" });
  assert.equal(got.has("c4"), false);
  assert.equal(undoings(call("c1", "write_file", wrote("deed/a", "A"), "denied")).size, 0);
  assert.equal(undoings(call("c1", "write_file", { success: false, error: "x" })).size, 0);
  assert.equal(undoings(call("c1", "plan_decision_log", wrote("doc-plan.md", "A", "A"))).size, 0);
});

test("an undo takes back, and its own undo brings back", () => {
  const once = [...turn, undo("n1", "c2", [{ path: "deed/a", sha256: "A" }])];
  assert.deepEqual(undoings(once).get("c2"), { state: "undone", paths: ["deed/a"], by: "n1" });
  assert.deepEqual(undoings(once).get("n1"), { state: "can", paths: ["deed/a"], by: "" });
  const again = [...once, undo("n2", "n1", [{ path: "deed/a", sha256: "B" }])];
  assert.equal(undoings(again).get("c2")?.state, "can");
  assert.deepEqual(undoings(again).get("n1"), { state: "undone", paths: ["deed/a"], by: "n2" });
  const whole = [...again, undo("n3", "u1", [{ path: "doc-b.md", sha256: "D" }, { path: "deed/a", sha256: "" }])];
  for (const id of ["c1", "c2", "c3", "u1"]) assert.deepEqual([undoings(whole).get(id)?.state, undoings(whole).get(id)?.by], ["undone", "n3"], id);
});

test("an undo that was refused half took back half", () => {
  const half = [...turn, undo("n1", "u1", [{ path: "deed/a", sha256: "A" }], [{ path: "deed/a", why: "x" }, { path: "doc-b.md", why: "x" }])];
  assert.deepEqual(["c1", "c2", "c3", "u1"].map((id) => undoings(half).get(id)?.state), ["can", "undone", "can", "can"]);
});

test("a Note that no change bears out took nothing back", () => {
  const got = undoings([...turn, undo("n1", "c2", [{ path: "deed/a", sha256: "Z" }]), undo("n2", "n2", [{ path: "deed/a", sha256: "A" }])]);
  assert.equal(got.get("c2")?.state, "can");
  assert.equal(got.has("n1"), false);
});

test("of a command only that can be taken back of which it is certain what stood there", () => {
  const got = undoings([
    ...call("c1", "run_command", { success: true, changed: [{ path: "deed/a", sha256: "B" }] }),
    ...call("c2", "run_command", { success: true, changed: [{ path: "deed/a", sha256: "B" }, { path: "deed/new", sha256: "C", replaced: "" }, { path: "deed/gone", sha256: "", deleted: true, replaced: "D" }] }),
    ...call("c3", "run_command", { success: true, changed: "unknown" }),
    ...call("c4", "run_command", { success: true, changed: [] }),
  ]);
  assert.deepEqual(got.get("c1"), { state: "no", paths: ["deed/a"], by: "" });
  assert.deepEqual(got.get("c2"), { state: "can", paths: ["deed/gone", "deed/new"], by: "" });
  assert.deepEqual(got.get("c3"), { state: "no", paths: ["deed/"], by: "" });
  assert.equal(got.has("c4"), false);
});
