import { test } from "node:test";
import assert from "node:assert/strict";
import type { ChangeHunk } from "../../src/types.ts";
import { refine } from "../../src/text/diff.ts";
import { presentableDiff } from "../../src/text/finediff.ts";
import { hunkRows, rowChanged } from "../../src/text/hunkrows.ts";
import { linesOf } from "../../src/text/review.ts";

refine(presentableDiff);

/** at is a hunk whose first line of context is that number of both sides. */
const at = (first: number, above: string[], old: string[], now: string[], below: string[]): ChangeHunk =>
  ({ from: first + above.length, to: first + above.length + now.length - 1, was: first + above.length, old, new: now, above, below, byte: 0 });
const SIGNS = { same: ["", ""], del: ["[-", "-]"], add: ["{+", "+}"] } as const;
const show = (h: ChangeHunk, path = "doc-a.md") => hunkRows(path, h).map((r) => `${r.line.side} ${r.line.at}: ${r.paragraph === null ? r.line.text : r.paragraph.words.map((w) => SIGNS[w.kind][0] + w.text + SIGNS[w.kind][1]).join("")}`);

test("a hunk of a doc is paragraphs, each with the line that a comment on it is on", () => {
  const h = at(1, ["# Lamp", ""], ["The lamp turn in it."], ["The lamp turns in it."], ["", "End."]);
  assert.deepEqual(show(h), ["after 1: # Lamp\n\n", "after 3: The lamp [-turn-]{+turns+} in it.\n\n", "after 5: End.\n"]);
  assert.deepEqual(hunkRows("doc-a.md", h).map(rowChanged), [false, true, false]);
  assert.deepEqual(hunkRows("doc-a.md", h).map((r) => r.lines.map((l) => `${l.side} ${l.at}`).join()), ["after 1,after 2", "before 3,after 3,after 4", "after 5"]);
  assert.equal(show(h, "deed/a.md").length, 6, "what is no doc is lines");
  // Hard breaks: it is the first line that changed.
  assert.deepEqual(show(at(7, ["One", "two"], ["three"], ["THREE"], ["four", "", "Five."])), ["after 9: One\ntwo\n[-three-]{+THREE+}\nfour\n\n", "after 12: Five.\n"]);
});

test("a paragraph that went is at the line that it was, one that came at its own", () => {
  assert.deepEqual(show(at(4, ["One.", ""], ["Gone.", ""], [], ["Two."])), ["after 4: One.\n\n", "before 6: [-Gone.\n\n-]", "after 6: Two.\n"]);
  assert.deepEqual(show(at(4, ["One."], ["", "Gone."], [], ["", "Two."])), ["after 4: One.\n\n", "before 6: [-Gone.\n\n-]", "after 6: Two.\n"]);
  assert.deepEqual(show(at(4, ["One."], [], ["", "New."], [])), ["after 4: One.\n", "after 6: {+\nNew.\n+}"]);
  assert.deepEqual(show(at(1, [], ["Gone."], [], [])), ["before 1: [-Gone.\n-]"]);
});

test("blank lines around a hunk are no paragraphs of their own", () => {
  assert.deepEqual(show(at(2, ["", "One.", ""], ["two"], ["Two."], ["", ""])), ["after 3: \nOne.\n\n", "after 5: [-two-]{+Two.+}\n\n\n"]);
  assert.deepEqual(show(at(2, ["", ""], ["two"], ["Two."], [])), ["after 4: \n\n[-two-]{+Two.+}\n"]);
});

test("one paragraph stands around, and a comment on what is further away is at it", () => {
  const rows = hunkRows("doc-a.md", at(1, ["- a", "- b", "- c"], ["- d"], ["- D"], ["- e", "- f", "- g"]));
  assert.deepEqual(rows.map((r) => r.line.text), ["- c", "- D", "- e"]);
  assert.deepEqual(rows.map((r) => r.lines.map((l) => l.at).join()), ["1,2,3", "4,4", "5,6,7"]);
});

test("where no words of a doc changed its lines are shown", () => {
  assert.deepEqual(show(at(1, [], ["One\r"], ["One"], [])), ["before 1: One", "after 1: One"]);
});

// Deterministic noise.
test("each line of a hunk is in one row, and each row has a line", () => {
  let seed = 7;
  const pick = (n: number) => (seed = (seed * 1103515245 + 12345) % 2147483648) % n;
  const some = (n: number) => Array.from({ length: pick(n) }, () => ["", "", "one two", "two three", "- item", "# head", "> said", "\t"][pick(8)]!);
  for (let i = 0; i < 3000; i++) {
    const h = at(1 + pick(9), some(4), some(5), some(5), some(4)), lines = linesOf(h);
    if (h.old.length + h.new.length === 0) continue;
    const rows = hunkRows("doc-a.md", h), key = (l: { side: string; at: number }) => `${l.side} ${l.at}`;
    assert.deepEqual(rows.flatMap((r) => r.lines.map(key)).sort(), lines.map(key).sort(), JSON.stringify(h));
    assert.ok(rows.every((r) => r.lines.includes(r.line)), JSON.stringify([h, rows]));
  }
});
