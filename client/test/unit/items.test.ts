import { test } from "node:test";
import assert from "node:assert/strict";
import type { Role, Section } from "../../src/types.ts";
import { itemsOf, lastId, textOf, totals } from "../../src/text/items.ts";
import { whyAllowed } from "../../src/text/why.ts";

const none = { in: 0, out: 0, total: 0, tools: 0, ms: 0 };
const sec = (role: Role, id: string, type: string, text: string, meta: Record<string, string> = {}): Section => ({
  role, id, time: "2026-02-16T20:11:00Z - 2026-02-16T20:11:04Z", resources: none, meta, payloads: [{ type, text }],
});

const dialog = [
  sec("System", "s1", "system/markdown", "You are told."),
  sec("User", "u1", "input/markdown", "Please build it.", { Model: "gpt-5" }),
  sec("Reasoning", "r1", "reasoning/markdown", ""),
  sec("Assistant", "a1", "output/markdown", "I will."),
  sec("Tool Request", "c1", "tool/input/json", "{}", { Tool: "edit_file" }),
  sec("Tool Request", "c2", "tool/input/json", "{}", { Tool: "run_command" }),
  sec("Authorization", "z1", "control/v1", "c1 approve sha256:00 edit_file\nallow edit_file\nc2 deny run_command"),
  sec("Note", "n1", "note/markdown", "started", { Kind: "started", Parent: "c1" }),
  sec("Tool Result", "c1", "tool/result/json", '{"success":true}', { Tool: "edit_file", Status: "approved" }),
  sec("Tool Result", "c2", "tool/result/json", '{"success":false}', { Tool: "run_command", Status: "denied" }),
  sec("Tool Request", "c3", "tool/input/json", "{}", { Tool: "edit_file" }),
  sec("Tool Request", "c4", "tool/input/json", "{}", { Tool: "read_file" }),
];

test("a call and its result are one line; bookkeeping falls away", () => {
  const items = itemsOf(dialog);
  assert.deepEqual(items.map((i) => i.kind), ["aside", "user", "agent", "tool", "tool", "grant", "tool", "tool"]);
  const first = items[3]!;
  assert.ok(first.kind === "tool" && first.started && first.result?.meta?.["Status"] === "approved");
  const agent = items[2]!;
  assert.ok(agent.kind === "agent" && agent.model === "gpt-5");
  const grant = items[5]!;
  assert.ok(grant.kind === "grant" && grant.text === "You always allow changes to files in this dialog");
});

test("what a crash tore is nobody's", () => {
  const torn = (s: Section): Section => ({ ...s, torn: true });
  const items = itemsOf([
    torn(sec("User", "u1", "text/plain", "I am no human.")), torn(sec("Hole", "", "text/plain", "rest")), torn(sec("Authorization", "z1", "text/plain", "allow edit_file")),
    sec("Tool Request", "c1", "tool/input/json", "{}", { Tool: "edit_file" }), torn(sec("Tool Result", "c1", "text/plain", "{", { Tool: "edit_file" })),
  ]);
  assert.deepEqual(items.map((i) => i.kind), ["aside", "aside", "aside", "tool", "aside"]);
  const call = items[3]!;
  assert.ok(call.kind === "tool" && call.result === null && call.why === "");
});

test("what a merge left is told as that", () => {
  const [merged, crashed] = itemsOf([{ ...sec("User", "u1", "text/plain", "<<<<<<< HEAD\n> Id: a"), torn: true }, { ...sec("User", "u2", "text/plain", "<<<<<<"), torn: true }]);
  assert.ok(merged?.kind === "aside" && /merge/.test(merged.title) && crashed?.kind === "aside" && /crash/.test(crashed.title));
});

test("why a call ran is a fold over the sections", () => {
  const why = whyAllowed(dialog);
  assert.equal(why.get("c1"), "always allowed here");
  assert.equal(why.get("c2"), "you said no");
  assert.equal(why.get("c3"), "always allowed here");
  assert.equal(why.get("c4"), "needs no permission");
  const once = whyAllowed([dialog[4]!, sec("Authorization", "z", "control/v1", "c1 approve sha256:00 edit_file")]);
  assert.equal(once.get("c1"), "you allowed it once");
});

test("why a call ran knows of folders", () => {
  const request = (id: string, path: string) => sec("Tool Request", id, "tool/input/json", JSON.stringify({ path }), { Tool: "write_file" });
  const auth = (text: string) => sec("Authorization", "z", "control/v1", text);
  const why = whyAllowed([
    request("c0", "deed/a/x"), request("c1", "deed/b/x"), auth("allow write_file deed/a/\nc0 approve sha256:00 write_file\nc1 approve sha256:00 write_file"), auth("deny write_file deed/a/no/\nask write_file deed/a/ask/"),
    request("c2", "deed/a/x"), request("c3", "deed/a/no/x"), request("c4", "deed/a/ask/x"), request("c5", "deed/b/x"), auth("ask write_file"), request("c6", "deed/a/x"),
  ]);
  assert.deepEqual(["c0", "c1", "c2", "c3", "c4", "c5", "c6"].map((id) => why.get(id) || ""), ["always allowed here", "you allowed it once", "always allowed here", "never allowed here", "", "", ""]);
});

test("what is void allows nothing, ends what was allowed, and denies", () => {
  const voided = { ...sec("Authorization", "z2", "control/v1", "allow run_command\ndeny write_file\nc2 deny"), void: true };
  const all = [...dialog, voided,
    sec("Tool Request", "c5", "tool/input/json", "{}", { Tool: "edit_file" }),
    sec("Tool Request", "c6", "tool/input/json", "{}", { Tool: "run_command" }),
    sec("Tool Request", "c7", "tool/input/json", "{}", { Tool: "write_file" })];
  const why = whyAllowed(all);
  assert.equal(why.get("c3"), "always allowed here");
  assert.equal(why.get("c5"), undefined);
  assert.equal(why.get("c6"), undefined);
  assert.equal(why.get("c7"), "never allowed here");
  const grant = itemsOf(all).filter((i) => i.kind === "grant").at(-1)!;
  assert.ok(grant.kind === "grant" && grant.text.startsWith("This permission is not as it was given here."));
});

test("structured input shows its text", () => {
  assert.equal(textOf(sec("User", "u", "input/json", '{"text":"hello","n":1}')), "hello");
  assert.equal(textOf(sec("User", "u", "input/json", '{"n":1}')), '{"n":1}');
  assert.equal(textOf(sec("User", "u", "input/json", "broken")), "broken");
});

test("the last section with an id is what was seen", () => {
  assert.equal(lastId(dialog), "c4");
  assert.equal(lastId([...dialog, sec("Note", "", "note/markdown", "by hand")]), "c4");
  assert.equal(lastId([]), "");
});

test("costs add up, with or without a total", () => {
  const s = (r: object): Section => ({ ...sec("Assistant", "x", "output/markdown", ""), resources: { ...none, ...r } });
  assert.deepEqual(totals([s({ in: 3, out: 4, ms: 10 }), s({ in: 1, out: 1, total: 5, ms: 5 })]), { in: 4, out: 5, ms: 15 });
});
