import { test } from "node:test";
import assert from "node:assert/strict";
import type { CallChange, ChangeHunk, Section } from "../../src/types.ts";
import { itemsOf } from "../../src/text/items.ts";
import { byFile, countComments, keysOf, lineKey, linesOf, markedLines, messageOf, readComments, turnEnds, withComment } from "../../src/text/review.ts";

const run: ChangeHunk = { from: 2, to: 3, was: 2, old: ["two\r"], new: ["TWO", "and more"], above: ["one"], below: ["three"], byte: 0 };
const change = (call: string, path: string, more: Partial<CallChange> = {}): CallChange => ({ call, path, sha256: "b".repeat(64), replaced: "a".repeat(64), now: "b".repeat(64), hunks: [run], ...more });

test("a hunk's lines have the numbers that they have on their side", () => {
  assert.deepEqual(linesOf(run).map((l) => `${l.side} ${l.at} ${l.kind} ${l.text}`), ["after 1 same one", "before 2 del two", "after 2 add TWO", "after 3 add and more", "after 4 same three"]);
  const cut = linesOf({ ...run, from: 2, to: 1, new: [] });
  assert.deepEqual(cut.map((l) => `${l.side} ${l.at} ${l.text}`), ["after 1 one", "before 2 two", "after 2 three"]);
});

test("words are marked where the lines of both sides stand against each other", () => {
  const lines = markedLines({ ...run, old: ["the old word"], new: ["the new word"] });
  assert.deepEqual(lines.filter((l) => l.kind !== "same").map((l) => l.marks.map(([f, t]) => l.text.slice(f, t))), [["old"], ["new"]]);
  assert.ok(markedLines({ ...run, new: [] }).every((l) => l.marks.length === 0));
  const long = Array.from({ length: 300 }, (_, i) => `line ${i}`);
  assert.ok(markedLines({ ...run, old: long, new: long.map((l) => `${l}!`) }).every((l) => l.marks.length === 0));
});

test("files stand as they were first changed, each with all changes of it", () => {
  const files = byFile([change("c1", "b"), change("c2", "a"), change("c3", "b")]);
  assert.deepEqual(files.map((f) => [f.path, f.changes.map((c) => c.call)]), [["b", ["c1", "c3"]], ["a", ["c2"]]]);
});

test("one message is made of all comments, each with the file, its hash and the line", () => {
  const c = change("c1", "deed/poem.txt"), files = byFile([c, change("c2", "doc-b.md")]);
  const [above, del, add] = linesOf(run) as [never, never, never];
  let all = withComment({}, lineKey(files[1]!.changes[0]!, add), "Why?");
  all = withComment(all, lineKey(c, del), " Keep it. \n");
  all = withComment(all, lineKey(c, above), "  ");
  assert.equal(messageOf(files, all), [
    "Comments on what you changed:",
    `On deed/poem.txt as it was before (sha256 ${"a".repeat(64)}), line 2:`, "> two", "Keep it.",
    `On doc-b.md (sha256 ${"b".repeat(64)}), line 2:`, "> TWO", "Why?",
  ].join("\n\n"));
  assert.equal(countComments(keysOf(files), all), 2);
  assert.equal(messageOf(files, {}), "");
  assert.equal(messageOf([], all), ""); // they are about what is not there any more
  assert.deepEqual(withComment(all, lineKey(c, del), ""), Object.fromEntries(Object.entries(all).filter(([k]) => k !== lineKey(c, del))));
});

test("what was kept of comments is read, and what can't be read is none", () => {
  assert.deepEqual(readComments('{"a":"b","c":1}'), { a: "b" });
  for (const kept of [null, "", "null", "[", "5"]) assert.deepEqual(readComments(kept), {});
});

test("a turn ends with its last entry, also where the next begins or the dialog ends", () => {
  const s = (role: Section["role"], id: string): Section => ({ role, id, time: "", resources: { in: 0, out: 0, total: 0, tools: 0, ms: 0 }, payloads: [{ type: "x", text: "x" }] });
  const ends = turnEnds(itemsOf([s("Assistant", "a0"), s("User", "u1"), s("Assistant", "a1"), s("User", "u2"), s("User", "u3"), s("Assistant", "a3")]));
  assert.deepEqual([...ends], [["Assistant/a1", "u1"], ["User/u2", "u2"], ["Assistant/a3", "u3"]]);
  assert.deepEqual([...turnEnds([])], []);
});
