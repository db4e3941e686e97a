import { test } from "node:test";
import assert from "node:assert/strict";
import type { DialogInfo, Needs, Status } from "../../src/types.ts";
import { changes, groupDialogs, needsYou, needWords, statusWord } from "../../src/text/group.ts";

const d = (id: string, status: Status, needs: Needs, mtime: string): DialogInfo => ({ dialogId: id, status, needs, filename: `dialog-${id}-${status}.md`, mtime });

test("dialogs stand by what they need, questions first, then the newest", () => {
  const g = groupDialogs([
    d("a", "waiting", "reply", "2026-01-03T00:00:00Z"),
    d("b", "waiting", "approval", "2026-01-01T00:00:00Z"),
    d("c", "active", "none", "2026-01-01T00:00:00Z"),
    d("d", "done", "none", "2026-01-01T00:00:00Z"),
    d("e", "done", "none", "2026-01-02T00:00:00Z"),
    d("f", "waiting", "continue", "2026-01-02T00:00:00Z"),
  ]);
  assert.deepEqual(g.waiting.map((x) => x.dialogId), ["f", "b", "a"]);
  assert.deepEqual(g.writing.map((x) => x.dialogId), ["c"]);
  assert.deepEqual(g.finished.map((x) => x.dialogId), ["e", "d"]);
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
  assert.equal(needWords({ ...d("a", "waiting", "approval", ""), wants: "wants to change x" }), "wants to change x");
});

test("a screen reader hears who needs it and who finished, once", () => {
  const before = [d("a", "active", "none", ""), d("b", "active", "none", ""), d("c", "waiting", "approval", "")];
  const after = [d("a", "waiting", "approval", ""), d("b", "done", "none", ""), d("c", "waiting", "approval", ""), d("new", "waiting", "approval", "")];
  assert.deepEqual(changes(before, after, (x) => x), ["a needs you", "b finished"]);
  assert.deepEqual(changes(after, after, (x) => x), []);
});
