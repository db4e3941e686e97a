import assert from "node:assert/strict";
import test from "node:test";
import { diffLines } from "../../src/text/diff.ts";
import { choose, paragraphAt, timesOf, UNKNOWN, UNSAVED, whoWrote, wordsIn } from "../../src/text/history.ts";
import type { DocHistory } from "../../src/types.ts";

test("a paragraph is what stands together around the cursor", () => {
  const lines = ["# Tea", "", "Green.", "Black.", "", "", "Oolong."];
  for (const [from, to, want] of [[3, 3, [3, 4]], [4, 4, [3, 4]], [1, 1, [1, 1]], [2, 2, null], [5, 6, null], [2, 3, [3, 4]], [4, 7, [3, 7]], [7, 7, [7, 7]]] as const) {
    const got = paragraphAt(lines, from, to);
    assert.deepEqual(got && [got.from, got.to], want, `${from}-${to}`);
  }
});

const h = { lines: [{ from: 1, to: 2, version: 0 }, { from: 3, to: 3, version: 1 }, { from: 4, to: 5, version: -1 }] } as DocHistory;
const FILE = "# Tea\n\nGreen.\nBlack.\nWhite.";

test("each line is of the version that the file's history has it of", () => {
  assert.deepEqual(whoWrote(h, diffLines(FILE, FILE), 3, 5), [{ text: "Green.", version: 1 }, { text: "Black. White.", version: UNKNOWN }]);
  assert.deepEqual(whoWrote(h, diffLines(FILE, FILE), 1, 2), [{ text: "# Tea", version: 0 }]);
});

test("what is not saved is nobody's yet, and moves no other line", () => {
  const shown = "# Tea\n\nWith milk.\n\nGreen.\nBlack!\nWhite.";
  assert.deepEqual(whoWrote(h, diffLines(FILE, shown), 3, 3), [{ text: "With milk.", version: UNSAVED }]);
  assert.deepEqual(whoWrote(h, diffLines(FILE, shown), 5, 7), [{ text: "Green.", version: 1 }, { text: "Black!", version: UNSAVED }, { text: "White.", version: UNKNOWN }]);
});

test("a line that the history does not have is not known", () => {
  assert.deepEqual(whoWrote({ lines: [] } as unknown as DocHistory, diffLines("a", "a"), 1, 1), [{ text: "a", version: UNKNOWN }]);
});

test("two versions at most are chosen, the last ones", () => {
  assert.deepEqual(choose([], 3), [3]);
  assert.deepEqual(choose([3], 1), [3, 1]);
  assert.deepEqual(choose([3, 1], 5), [1, 5]);
  assert.deepEqual(choose([1, 5], 5), [1]);
});

test("versions of the same minute are told by their seconds", () => {
  const at = (h: number, m: number, s: number) => ({ at: new Date(2026, 1, 16, h, m, s).toISOString() });
  assert.deepEqual(timesOf([at(9, 5, 1), at(9, 5, 42), at(9, 6, 3), { at: "" }], new Date(2026, 1, 16, 12)), ["09:05:01", "09:05:42", "09:06", ""]);
});

test("a passage is named by its words, without marks and comments, also where they begin or end elsewhere", () => {
  assert.equal(wordsIn("- [ ] The *old* [lamp](a.md) {==burns==}{>>why?<<} on."), "The old lamp burns on.");
  assert.equal(wordsIn("## Night {==falls"), "Night falls");
  assert.equal(wordsIn("and ends==}{>>Why?<<}."), "and ends.");
});
