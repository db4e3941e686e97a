import { test } from "node:test";
import assert from "node:assert/strict";
import type { Section } from "../../src/types.ts";
import { behind, heldAfter, isLanded, ofQueue, Queue, shownOf, sinceOf, together, waitOf, waitWords, type Queued, type DialogState, type Wait } from "../../src/text/queue.ts";

function shelf(map = new Map<string, string>()) {
  return { map, getItem: (k: string) => map.get(k) ?? null, setItem: (k: string, v: string) => void map.set(k, v), removeItem: (k: string) => void map.delete(k), keys: () => [...map.keys()] };
}
const message = (id: string, at: string, more: Partial<Queued> = {}): Queued => ({ id, at, text: `text of ${id}`, ...more });

test("what waits is kept by dialog, in the order in which it was sent, whichever tab put it there", () => {
  const one = shelf();
  const a = new Queue(one), b = new Queue(shelf(one.map));
  a.keep("p", "d1", message("2", "T2"));
  b.keep("p", "d1", message("1", "T1"));
  b.keep("p", "d10", message("3", "T0"));
  b.keep("p2", "d1", message("4", "T0"));
  assert.deepEqual(a.list("p", "d1").map((q) => q.id), ["1", "2"]);
  assert.deepEqual(a.dialogs("p").sort(), ["d1", "d10"]);
  b.drop("p", "d1", "1");
  assert.equal(a.read("p", "d1", "1"), null);
  assert.deepEqual(a.list("p", "d1"), [message("2", "T2")]);
  assert.equal([...one.map.keys()].every(ofQueue), true);
  assert.equal(ofQueue("vibey.message/p/d1") || ofQueue(null), false);
});

test("what is broken is none, and a full storage says so", () => {
  const s = shelf();
  const q = new Queue(s);
  for (const bad of ["{", "null", "[]", '{"id":"1"}', '{"id":"1","at":"T","text":3}']) {
    s.map.set("vibey.queue/p/d/1", bad);
    assert.deepEqual(q.list("p", "d"), []);
  }
  const full = new Queue({ ...s, setItem: () => { throw new Error("quota"); } });
  assert.equal(full.keep("p", "d", message("1", "T")), false);
});

test("a message goes out where the dialog rests and needs nobody", () => {
  const q = message("1", "T");
  const rows: [Partial<DialogState>, Wait][] = [
    [{}, ""],
    [{ status: "done", needs: "none" }, ""],
    [{ status: "active" }, "works"],
    [{ asks: true }, "asks"],
    [{ status: "active", asks: true }, "asks"],
    [{ needs: "approval" }, "asks"],
    [{ needs: "continue" }, "stopped"],
    [{ status: null }, "unknown"],
  ];
  for (const [d, want] of rows) {
    const state: DialogState = { status: "waiting", needs: "reply", asks: false, ...d };
    assert.equal(waitOf(q, state, true), want, JSON.stringify(d));
    assert.equal(waitOf(q, state, false), "later");
    assert.equal(waitOf({ ...q, failed: "why" }, state, true), "failed");
    assert.equal(waitOf({ ...q, held: "why" }, state, true), "held");
    assert.notEqual(waitWords(q, want), "");
  }
  assert.equal(waitWords({ ...q, failed: "why" }, "failed"), "why");
});

test("what stands behind a message that waits for a word is held when that one is taken back", () => {
  const bad = message("1", "T1", { failed: "why" }), kept = message("1", "T1", { held: "why" }), good = message("1", "T1"), next = message("2", "T2");
  for (const q of [bad, kept]) {
    const held = heldAfter([q, next, message("3", "T3")], "1");
    assert.equal(held?.id, "2");
    assert.equal(waitOf(held, { status: "waiting", needs: "reply", asks: false }, true), "held");
  }
  assert.equal(heldAfter([good, next], "1"), null);
  assert.equal(heldAfter([bad, { ...next, failed: "its own" }], "1"), null);
  assert.equal(heldAfter([bad], "1"), null);
  assert.equal(heldAfter([good, bad, next], "1"), null);
  assert.equal(heldAfter([bad], "9"), null);
});

test("what is taken back stands before what was written since", () => {
  assert.equal(together("one", "two"), "one\n\ntwo");
  assert.equal(together("one", ""), "one");
  assert.equal(together("", "two"), "two");
});

const section = (id: string, role: Section["role"], text = ""): Section => ({ role, id, time: "", resources: { in: 0, out: 0, total: 0, tools: 0, ms: 0 }, meta: {}, payloads: [{ type: "input/markdown", text }] });

test("a message is in its dialog where its text came behind what was shown when it was written", () => {
  const file = [section("s", "System"), section("u1", "User", "go on"), section("a1", "Assistant")];
  const known = (sections: Section[], more = {}) => ({ sections, earlier: 0, loaded: true, ...more });
  const write = (waiting: Queued[] = []): Queued => ({ ...message(String(waiting.length), "T"), text: "go on", shown: shownOf(known(file), waiting, "go on")! });
  const one = write(), two = write([one]), other = { ...one, text: "and on" };
  const landed = (q: Queued, now: Section[]) => {
    const from = sinceOf(q, now.length);
    return from !== null && isLanded(q, now.slice(from));
  };
  const sent = [...file, section("u2", "User", "go on")];
  assert.deepEqual([one, two, other].map((q) => landed(q, file)), [false, false, false]);
  assert.deepEqual([one, two, other].map((q) => landed(q, sent)), [true, false, false]);
  assert.deepEqual([one, two].map((q) => landed(q, [...sent, section("a2", "Assistant"), section("u3", "User", "go on")])), [true, true]);
  // A file that another hand changed tells nothing, nor does one that was shown in part.
  assert.equal(landed(one, [file[0]!, section("u9", "User", "new"), section("a9", "Assistant"), section("u2", "User", "go on")]), false);
  assert.equal(shownOf(known([]), [], "x"), undefined);
  assert.equal(shownOf(known(file, { loaded: false }), [], "x"), undefined);
  assert.equal(shownOf(known([...file, { ...section("", "User", "x"), meta: { sending: "yes" } }]), [], "x"), undefined);
  assert.equal(shownOf(known(file, { earlier: 40 }), [], "x")?.sections, 43);
  // The last one shown may be a message of the same text.
  const mine: Queued = { ...one, shown: shownOf(known(file.slice(0, 2)), [], "go on")! };
  assert.deepEqual([landed(mine, file), landed(mine, sent)], [false, true]);
  // After a first try what came since that counts alone.
  assert.equal(landed({ ...two, after: 3 }, sent), true);
});

test("what was written behind a text since it went out is what stays", () => {
  for (const [now, more] of [["Why?", ""], ["Why? And who?", "And who?"], ["Why?\n\nAnd", "And"], ["Whom", "Whom"], ["", ""], ["And Why?", "And Why?"]]) assert.equal(behind(now!, "Why?"), more);
});
