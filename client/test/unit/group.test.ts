import { test } from "node:test";
import assert from "node:assert/strict";
import type { DialogInfo, Needs, Status } from "../../src/types.ts";
import { applied, changes, familyOf, groupDialogs, lineage, needsYou, needWords, reread, statusWord, type Family, type Groups } from "../../src/text/group.ts";

const d = (id: string, status: Status, needs: Needs, mtime: string, from?: string): DialogInfo => ({ dialogId: id, status, needs, filename: `dialog-${id}-${status}.md`, mtime, ...(from ? { from } : {}) });
const tree = (f: Family): string => f.d.dialogId + (f.children.length > 0 ? `(${f.children.map(tree).join(" ")})` : "");
const shape = (g: Groups) => (["needs", "reply", "writing", "finished"] as const).map((n) => `${n}: ${g[n].map(tree).join(" ")}`.trim());

test("dialogs stand by what they need, the newest first, and those who write by their age", () => {
  const g = groupDialogs([
    d("a", "waiting", "reply", "2026-01-03T00:00:00Z"),
    d("b", "waiting", "approval", "2026-01-01T00:00:00Z"),
    d("c", "active", "none", "2026-01-09T00:00:00Z"),
    d("x", "active", "none", "2026-01-01T00:00:00Z"),
    d("d", "done", "none", "2026-01-01T00:00:00Z"),
    d("e", "done", "none", "2026-01-01T00:00:00.25Z"),
    d("f", "waiting", "continue", "2026-01-02T00:00:00Z"),
  ]);
  assert.deepEqual(shape(g), ["needs: f b", "reply: a", "writing: x c", "finished: e d"]);
});

test("a family stands where its most urgent member belongs", () => {
  const of = (...rows: [string, Status, Needs, string?][]) => shape(groupDialogs(rows.map(([id, s, n, from]) => d(id, s, n, "2026-01-01T00:00:00Z", from)))).filter((l) => !l.endsWith(":")).join("; ");
  assert.equal(of(["a", "done", "none"], ["b", "waiting", "approval", "a"]), "needs: a(b)");
  assert.equal(of(["a", "done", "none"], ["b", "done", "none", "a"], ["c", "waiting", "continue", "b"]), "needs: a(b(c))");
  assert.equal(of(["a", "done", "none"], ["c", "active", "none", "a"], ["b", "waiting", "reply", "a"]), "writing: a(b c)");
  assert.equal(of(["a", "waiting", "reply"], ["b", "active", "none", "a"]), "writing: a(b)");
  assert.equal(of(["a", "done", "none"], ["b", "waiting", "reply", "a"]), "finished: a(b)");
  // Its parent was deleted; and those that name each other, or themselves.
  assert.equal(of(["b", "done", "none", "gone"]), "finished: b");
  assert.equal(of(["a", "done", "none", "b"], ["b", "done", "none", "a"], ["c", "done", "none", "c"]), "finished: c a(b)");
});

test("who needs a human is known at those above, and the line that led to it", () => {
  const all = [d("a", "done", "none", ""), d("b", "active", "none", "", "a"), d("c", "waiting", "approval", "", "b"), d("e", "waiting", "continue", "", "a")];
  const g = groupDialogs(all);
  assert.deepEqual(familyOf(g, "a")!.needy.map((x) => x.dialogId), ["c", "e"]);
  assert.equal(familyOf(g, "a")!.below, 3);
  assert.deepEqual(familyOf(g, "b")!.needy.map((x) => x.dialogId), ["c"]);
  assert.equal(familyOf(g, "none"), null);
  const byId = new Map(all.map((x) => [x.dialogId, x]));
  assert.deepEqual(lineage(byId, "c").map((x) => x.dialogId), ["a", "b"]);
  assert.deepEqual(lineage(new Map([["a", d("a", "done", "none", "", "b")], ["b", d("b", "done", "none", "", "a")]]), "a").map((x) => x.dialogId), ["b"]);
});

test("what did not change is the same value, so that it is not drawn again", () => {
  const all = [d("a", "done", "none", "2026-01-01T00:00:00Z"), d("b", "active", "none", "2026-01-01T00:00:00Z"), d("c", "active", "none", "2026-01-01T00:00:00Z", "b"), d("e", "active", "none", "2026-01-01T00:00:00Z")];
  const one = groupDialogs(all);
  const two = groupDialogs(applied(all, "c", { ...all[2]!, mtime: "2026-01-02T00:00:00Z", words: "more" }), one);
  assert.equal(two.finished, one.finished);
  assert.notEqual(two.writing, one.writing);
  assert.equal(two.writing[0], one.writing[0]);
  assert.equal(two.writing[1]!.children[0]!.d.words, "more");
});

test("an entry takes the place of the one before, comes, or goes", () => {
  const all = [d("a", "active", "none", "1"), d("b", "done", "none", "1")];
  assert.deepEqual(applied(all, "a", null).map((x) => x.dialogId), ["b"]);
  assert.equal(applied(all, "x", null), all);
  assert.deepEqual(applied(all, "c", d("c", "active", "none", "2")).map((x) => x.dialogId), ["c", "a", "b"]);
});

test("how long a state lasts is told from when it was seen to begin", () => {
  let all = reread([d("a", "active", "none", "5"), d("b", "waiting", "approval", "3")], []);
  assert.deepEqual(all.map((x) => x.since), ["", "3"]); // since when an agent writes is not in the list
  all = applied(all, "a", d("a", "waiting", "reply", "7"));
  all = applied(all, "a", { ...d("a", "waiting", "reply", "8"), title: "renamed" });
  assert.equal(all[0]!.since, "7");
  all = applied(all, "a", d("a", "active", "none", "9"));
  all = applied(all, "a", d("a", "active", "none", "10"));
  assert.equal(all[0]!.since, "9");
  assert.equal(reread([d("a", "active", "none", "11")], all)[0]!.since, "9");
  assert.equal(reread([d("a", "active", "none", "10")], all)[0], all[0]);
});

test("a dialog that ended its turn does not call for a human", () => {
  assert.equal(needsYou(d("a", "waiting", "reply", "")), false);
  assert.equal(needsYou(d("a", "waiting", "approval", "")), true);
  assert.equal(needsYou(d("a", "active", "approval", "")), false);
});

test("a status has a word beside its shape and colour", () => {
  assert.deepEqual(
    [d("a", "active", "none", ""), d("a", "done", "none", ""), d("a", "waiting", "reply", ""), d("a", "waiting", "approval", "")].map(statusWord),
    ["writing", "finished", "your turn", "needs you"],
  );
  assert.equal(needWords({ ...d("a", "waiting", "approval", ""), words: "wants to change x" }), "wants to change x");
  assert.equal(needWords({ ...d("a", "done", "none", ""), words: "I painted it." }), "I painted it.");
});

test("a screen reader hears who needs it, whose turn ended and who finished, once", () => {
  const before = [d("a", "active", "none", ""), d("b", "active", "none", ""), d("c", "waiting", "approval", ""), d("e", "active", "none", "")];
  const after = [d("a", "waiting", "approval", ""), d("b", "done", "none", ""), d("c", "waiting", "approval", ""), d("new", "waiting", "approval", ""), d("e", "waiting", "reply", "")];
  assert.deepEqual(changes(before, after).map((n) => `${n.d.dialogId} ${n.is}`), ["a needs you", "b finished", "e your turn"]);
  assert.deepEqual(changes(after, after), []);
});

test("a turn that no list had as active is news, a new name is none", () => {
  const waits = (words: string, out: number, needs: Needs = "reply") => ({ ...d("a", "waiting", needs, ""), words, tokens: { in: 0, out } });
  const told = (before: DialogInfo, after: DialogInfo) => changes([before], [after]).map((n) => n.is);
  assert.deepEqual(told(waits("One.", 1), waits("Two.", 1)), ["your turn"]);
  assert.deepEqual(told(waits("One.", 1), waits("One.", 2)), ["your turn"]);
  assert.deepEqual(told(waits("wants to change a", 1, "approval"), waits("wants to change a", 2, "approval")), ["needs you"]);
  assert.deepEqual(told(waits("wants to change a", 1, "approval"), waits("Done.", 2)), ["your turn"]);
  assert.deepEqual(told(waits("One.", 1), { ...waits("One.", 1), title: "Another name" }), []);
  assert.deepEqual(told(waits("One.", 1), { ...waits("One.", 1), status: "done" }), []);
});

test("none of ten thousand dialogs is lost among the families", () => {
  const all = Array.from({ length: 10_000 }, (_, i) => d(`${20000 - i}`, i % 50 === 0 ? "active" : "done", "none", `2026-01-01T00:00:${String(i).padStart(6, "0")}Z`, i % 7 === 0 && i > 7 ? `${20000 - i + 7}` : undefined));
  const g = groupDialogs(all);
  assert.equal(Object.values(g).flat().reduce((n: number, f: Family) => n + 1 + f.below, 0), 10_000);
});
