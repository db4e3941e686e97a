import { test } from "node:test";
import assert from "node:assert/strict";
import type { Call, DialogView, Frame, Section } from "../../src/types.ts";
import { fold, headIsDue, UNKNOWN, type Act, type Known } from "../../src/text/dialog.ts";
import { sending } from "../../src/text/merge.ts";

const section = (role: Section["role"], id: string, text = "", meta: Record<string, string> = {}): Section => ({
  role, id, time: "a - b", resources: { in: 0, out: 0, total: 0, tools: 0, ms: 0 }, meta, payloads: [{ type: "note/markdown", text }],
});
const view = (more: Partial<DialogView> = {}): DialogView => ({
  dialogId: "d", status: "waiting", needs: "reply", filename: "dialog-d-waiting.md", sections: [], pending: [], provider: "claude", model: "m", began: "m", ...more,
});
const call = (id: string): Call => ({ id, tool: "run_command", input: {}, inputText: "{}", sha256: "00" });
const after = (...acts: Act[]): Known => acts.reduce(fold, UNKNOWN);
const frames = (...all: Frame[]): Act => ({ is: "frames", frames: all });
const done: Frame = { type: "done", dialogId: "d", filename: "dialog-d-waiting.md", status: "waiting", needs: "reply" };
const open = (from: number, blocks: string[], tail: string): Frame => ({ type: "open", from, blocks, tail });
const ids = (k: Known) => k.sections.map((s) => s.id).join(" ");

test("a dialog is read from its end, and windows before it only where they join", () => {
  let k = after({ is: "opened", view: view({ sections: [section("User", "u9")], from: 9, total: 10 }) });
  assert.equal(k.earlier, 9);
  assert.equal(fold(k, { is: "earlier", from: 0, sections: [section("User", "u0")] }), k, "a window with a gap behind it");
  k = fold(k, { is: "earlier", from: 8, sections: [section("User", "u8")] });
  assert.deepEqual([ids(k), k.earlier, k.loaded], ["u8 u9", 8, true]);
});

test("open text comes by blocks, and becomes a section", () => {
  let k = after({ is: "opened", view: view() }, frames(open(0, [], "<p>on</p>")), frames(open(0, ["<p>one</p>"], "<p>tw</p>")), frames(open(1, ["<p>two</p>"], "")));
  assert.deepEqual([k.open, k.status], [{ blocks: ["<p>one</p>", "<p>two</p>"], tail: "" }, "active"]);
  assert.deepEqual(fold(k, frames(open(0, ["<p>one</p>"], "<p>again</p>"))).open, { blocks: ["<p>one</p>"], tail: "<p>again</p>" }, "a stream that was joined anew begins at 0");
  k = fold(k, frames({ type: "section", section: section("Assistant", "a1") }));
  assert.deepEqual([k.open, ids(k)], [null, "a1"]);
  k = fold(k, frames(done));
  assert.deepEqual([k.status, k.needs], ["waiting", "reply"]);
});

test("an agent starts until it has, says something, or the turn ends", () => {
  const note = (kind: string): Frame => ({ type: "note", kind, text: "It is so." });
  const k = after({ is: "opened", view: view({ status: "active", needs: "none" }) }, frames(note("control")), frames(note("starting")));
  assert.deepEqual([after(frames(note("control"))).starting, k.starting, k.status], [false, true, "active"]);
  for (const f of [note("ready"), open(0, [], "on"), done, { type: "section", section: section("Note", "n1") }, { type: "error", kind: "idle", message: "It was silent." }] as Frame[]) {
    assert.equal(fold(k, frames(f)).starting, false, f.type);
  }
});

test("a stream that the server cuts and begins again leaves no failed turn", () => {
  const at = (kind: string) => after({ is: "opened", view: view() }, frames({ type: "error", kind, message: "It was cut." }));
  assert.deepEqual([at("slow").failure, at("slow").status, at("slow").needs], [null, "waiting", "reply"]);
  const cut = at("internal");
  assert.equal(cut.failure?.raw, "It was cut.");
  const head = (more: Partial<DialogView>): Act => ({ is: "head", view: view(more), epoch: cut.epoch, told: cut.told });
  assert.equal(fold(cut, head({ needs: "continue" })).failure?.raw, "It was cut.", "a turn that broke stays broken");
  for (const act of [head({}), frames(done), frames(open(0, [], "on")), frames({ type: "section", section: section("Tool Result", "r1") })]) assert.equal(fold(cut, act).failure, null);
});

test("a message is shown before it is stored, once when it is, and not when it was refused", () => {
  const own = sending("go", "2026-01-01T00:00:00Z");
  let k = after({ is: "opened", view: view() }, { is: "sending", section: own });
  assert.deepEqual([k.sections.length, k.status], [1, "active"]);
  assert.deepEqual(fold(k, { is: "unsent", section: own, status: "waiting" }).sections, []);
  k = fold(k, frames({ type: "section", section: section("User", "u1", "go") }));
  assert.equal(ids(k), "u1");
});

test("a result takes its call from those that wait, a request puts them there", () => {
  let k = after({ is: "opened", view: view() }, frames({ type: "tool_request", dialogId: "d", filename: "f", toolCalls: ["c1", "c2"].map((id) => ({ ...call(id), name: "run_command" })) }));
  assert.deepEqual([k.pending.map((c) => `${c.id} ${c.tool}`), k.needs, k.filename], [["c1 run_command", "c2 run_command"], "approval", "f"]);
  k = fold(k, { is: "decided", ids: new Set(["c1"]) });
  assert.deepEqual(k.pending.map((c) => c.id), ["c2"]);
  k = fold(k, frames({ type: "section", section: section("Tool Result", "c2") }));
  assert.deepEqual(k.pending, []);
});

test("a head that was asked for before a change says nothing of how the dialog stands", () => {
  const k = after({ is: "opened", view: view() }, { is: "changed", by: null });
  const stale = fold(k, { is: "head", view: view({ provider: "openai" }), epoch: k.epoch - 1, told: k.told });
  assert.deepEqual([stale.status, stale.provider], ["active", "openai"]);
  assert.equal(fold(k, { is: "head", view: view(), epoch: k.epoch, told: k.told }).status, "waiting");
});

test("a failure is that of the Note, also after a reload, until the dialog goes on", () => {
  const note = section("Note", "n1", "529 overloaded", { Kind: "mistake", Failure: "api_error", Cause: "busy" });
  const told = after({ is: "opened", view: view() }, frames({ type: "section", section: note }, { type: "error", message: "529 overloaded", kind: "busy" }));
  const read = after({ is: "opened", view: view({ sections: [section("User", "u1"), note], needs: "continue" }) });
  assert.deepEqual(read.failure, told.failure);
  assert.equal(read.failure?.title, "The provider is busy.");
  assert.equal(after({ is: "opened", view: view({ sections: [note, section("User", "u1")], needs: "continue" }) }).failure, null);
  assert.equal(fold(told, { is: "changed", by: null }).failure, null);
  assert.equal(fold(told, frames({ type: "section", section: section("User", "u2") })).failure, null);
});

test("a stream that begins anew replaces what was there", () => {
  const k = after({ is: "opened", view: view({ sections: [section("User", "u1")], from: 4 }) }, frames({ type: "reset" }, { type: "section", section: section("User", "x1") }));
  assert.deepEqual([ids(k), k.earlier], ["x1", 0]);
});

test("a dialog that is gone may come back", () => {
  const k = after({ is: "opened", view: view() }, frames({ type: "error", kind: "refused", status: 404, message: "gone" }));
  assert.equal(k.gone, true);
  assert.equal(fold(k, frames({ type: "section", section: section("User", "u1") })).gone, false);
});

test("frames of an act do not depend on how they are cut into pieces", () => {
  const all: Frame[] = [
    { type: "section", section: section("User", "u1") }, open(0, [], "<p>a</p>"), open(0, ["<p>a</p>"], "<p>b</p>"),
    { type: "section", section: section("Assistant", "a1") }, { type: "section", section: section("Tool Request", "c1") },
    { type: "section", section: section("Tool Result", "c1") }, done,
  ];
  const whole = after({ is: "opened", view: view() }, frames(...all));
  const pieces = after({ is: "opened", view: view() }, ...all.map((f) => frames(f)));
  assert.deepEqual(pieces, whole);
});

test("the head is read where only it says what began or ended", () => {
  assert.ok(headIsDue([done]));
  assert.ok(headIsDue([{ type: "section", section: section("User", "u1") }]));
  assert.ok(headIsDue([{ type: "section", section: section("Note", "n", "", { Kind: "summary-undone" }) }]));
  assert.ok(!headIsDue([open(0, [], "x"), { type: "section", section: section("Assistant", "a1") }, { type: "error", kind: "refused", status: 404, message: "" }]));
});

test("calls come back where an answer was not taken, but for those that have a result", () => {
  let k = after({ is: "opened", view: view({ needs: "approval", pending: [call("c1"), call("c2")] }) });
  const before = k.pending;
  k = fold(k, { is: "decided", ids: new Set(["c1", "c2"]) });
  k = fold(k, frames({ type: "section", section: section("Tool Result", "c1") }, { type: "tool_request", dialogId: "d", filename: "f", toolCalls: [{ ...call("c3"), name: "run_command" }] }));
  assert.deepEqual(fold(k, { is: "undecided", pending: before }).pending.map((c) => c.id), ["c2", "c3"]);
});

test("a call that another tab decided waits no more, also while it runs", () => {
  const k = after({ is: "opened", view: view({ needs: "approval", pending: [call("c1")] }) });
  assert.deepEqual(fold(k, { is: "head", view: view({ status: "active", needs: "none" }), epoch: k.epoch, told: k.told }).pending, []);
});
