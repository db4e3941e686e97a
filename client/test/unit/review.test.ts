import { test } from "node:test";
import assert from "node:assert/strict";
import type { CallChange, ChangeHunk, Section } from "../../src/types.ts";
import { itemsOf } from "../../src/text/items.ts";
import { byFile, countComments, keysOf, lineKey, linesOf, markedLines, messageOf, placeOf, readComments, straysOf, turnEnds, withComment, without, withoutHashes, type Comments, type ReviewLine, modeOf } from "../../src/text/review.ts";

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

test("files stand by their names, numbers in their order, each with all changes of it", () => {
  const files = byFile([change("c1", "f10"), change("c2", "f2"), change("c3", "f10"), change("c4", "f1")]);
  assert.deepEqual(files.map((f) => [f.path, f.changes.map((c) => c.call)]), [["f1", ["c4"]], ["f2", ["c2"]], ["f10", ["c1", "c3"]]]);
});

const write = (all: Comments, c: CallChange, l: ReviewLine, text: string) => withComment(all, lineKey(c, l), { ...placeOf(c, l), text });
const hashes = ["a".repeat(64), "b".repeat(64)];
const MESSAGE = [
  "Comments on what you changed:",
  `On deed/poem.txt as it was before (sha256 ${hashes[0]}), line 2:`, "> two", "Keep it.",
  `On doc-b.md (sha256 ${hashes[1]}), line 2:`, "> TWO", "Why?",
].join("\n\n");

/** commented is two files, with comments on both, and one that says nothing. */
function commented() {
  const c = change("c1", "deed/poem.txt"), files = byFile([c, change("c2", "doc-b.md")]);
  const [above, del, add] = linesOf(run) as [ReviewLine, ReviewLine, ReviewLine];
  let all = write({}, files[1]!.changes[0]!, add, "Why?");
  all = write(all, c, del, " Keep it. \n");
  return { c, del, files, all: write(all, c, above, "  ") };
}

test("one message is made of all comments, each with the file, its hash and the line", () => {
  const { c, del, files, all } = commented();
  assert.equal(messageOf(files, all), MESSAGE);
  assert.equal(countComments(all), 2);
  assert.equal(messageOf(files, {}), "");
  assert.deepEqual(write(all, c, del, ""), Object.fromEntries(Object.entries(all).filter(([k]) => k !== lineKey(c, del))));
});

test("a comment on a line that is not shown any more is sent with what it was made at", () => {
  const { files, all } = commented();
  const changed = files.map((f) => (f.path === "doc-b.md" ? f : { ...f, changes: f.changes.map((x) => ({ ...x, sha256: "c".repeat(64), hunks: [] })) }));
  const strays = straysOf(keysOf(changed), all);
  assert.deepEqual(strays.map((s) => [s.path, s.side, s.at, s.comment.quote, s.comment.text.trim()]), [["deed/poem.txt", "after", 1, "one", ""], ["deed/poem.txt", "before", 2, "two", "Keep it."]]);
  const parts = MESSAGE.split("\n\n");
  assert.equal(messageOf(changed, all), [parts[0], ...parts.slice(4), ...parts.slice(1, 4)].join("\n\n"));
  assert.equal(messageOf([], all), MESSAGE);
});

test("only what was sent is dropped", () => {
  const { c, del, all } = commented();
  const later = write(all, c, del, "Keep it, please.");
  assert.deepEqual(Object.values(without(later, all)).map((x) => x.text), ["Keep it, please."]);
  assert.deepEqual(without(all, all), {});
});

test("a human reads such a message without hashes", () => {
  const shown = withoutHashes(MESSAGE);
  assert.ok(shown.includes("On deed/poem.txt as it was before, line 2:") && shown.includes("On doc-b.md, line 2:") && !shown.includes("sha256"));
  assert.equal(withoutHashes(`<p>Comments on what you changed:</p>\n<p>On a (sha256 ${hashes[0]}), line 2:</p>`), "<p>Comments on what you changed:</p>\n<p>On a, line 2:</p>");
  const other = `On a (sha256 ${hashes[0]}), line 2:`;
  assert.equal(withoutHashes(other), other);
});

test("what was kept of comments is read, and what can't be read is none", () => {
  const { all } = commented();
  assert.deepEqual(readComments(JSON.stringify(all)), all);
  assert.deepEqual(readComments('{"c after 1 a b":"b","c":"no line","c after 2 a":1}'), { "c after 1 a b": { text: "b", sha256: "", quote: "" } });
  for (const kept of [null, "", "null", "[", "5"]) assert.deepEqual(readComments(kept), {});
});

test("a turn ends with its last entry, also where the next begins or the dialog ends", () => {
  const s = (role: Section["role"], id: string): Section => ({ role, id, time: "", resources: { in: 0, out: 0, total: 0, tools: 0, ms: 0 }, payloads: [{ type: "x", text: "x" }] });
  const ends = turnEnds(itemsOf([s("Assistant", "a0"), s("User", "u1"), s("Assistant", "a1"), s("User", "u2"), s("User", "u3"), s("Assistant", "a3")]));
  assert.deepEqual([...ends], [["Assistant/a1", "u1"], ["User/u2", "u2"], ["Assistant/a3", "u3"]]);
  assert.deepEqual([...turnEnds([])], []);
});

test("what becomes of who may run a file is told in words", () => {
  assert.equal(modeOf({}), "");
  assert.equal(modeOf({ mode: "755", modeWas: "644" }), "Can be run as a program now.");
  assert.equal(modeOf({ mode: "755" }), "Can be run as a program now.");
  assert.equal(modeOf({ mode: "644", modeWas: "755" }), "Can’t be run as a program any more.");
  assert.equal(modeOf({ modeWas: "755" }), "Can’t be run as a program any more.");
  assert.equal(modeOf({ mode: "600", modeWas: "644" }), "Who may use this file was changed.");
});
