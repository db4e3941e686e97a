import assert from "node:assert/strict";
import test from "node:test";
import type { Section } from "../../src/types.ts";
import { atLetters, findPassage, letterStarts, passageIn, placeOf, quotedIn } from "../../src/text/passage.ts";

test("a text is cut between letters only", () => {
  for (const [text, want] of [
    ["ab", [0, 1, 2]], ["u\u0308b", [0, 2, 3]], ["a\r\nb\n\rc", [0, 1, 3, 4, 5, 6, 7]], ["\u0308a", [0, 1, 2]], ["\n\u0308a", [0, 1, 2, 3]],
    ["👍🏽!", [0, 4, 5]], ["👩\u200d🚀x", [0, 5, 6]], ["कि", [0, 2]], ["日本", [0, 1, 2]],
  ] as [string, number[]][]) {
    const got = Array.from({ length: text.length + 1 }, (_, i) => i).filter((i) => letterStarts(text, i));
    assert.deepEqual(got, want, JSON.stringify(text));
  }
});

test("a range is widened to whole letters, without half of a line's end", () => {
  assert.deepEqual(atLetters("xu\u0308y", { from: 2, to: 3 }), { from: 1, to: 3 });
  assert.deepEqual(atLetters("👍🏽!", { from: 1, to: 2 }), { from: 0, to: 4 });
  assert.deepEqual(atLetters("one\r\ntwo", { from: 0, to: 4 }), { from: 0, to: 3 });
  assert.deepEqual(atLetters("one\r\ntwo", { from: 4, to: 8 }), { from: 5, to: 8 });
  assert.deepEqual(atLetters("one\r\ntwo", { from: 0, to: 5 }), { from: 0, to: 5 });
});

test("a passage is named in bytes of the file", () => {
  const text = "\ufeffÄ 👍\r\nb";
  assert.deepEqual(passageIn("doc-a.md", '"ab"', text, { from: 1, to: 5 }), { file: "doc-a.md", sha256: "ab", from: 3, to: 10 });
  assert.deepEqual(passageIn("doc-a.md", 'W/"ab"', text, { from: 7, to: 8 }), { file: "doc-a.md", sha256: "ab", from: 12, to: 13 });
});

test("a passage is found where it stands nearest", () => {
  const text = "one two one two one";
  assert.deepEqual(findPassage(text, "one", 7), { from: 8, to: 11 });
  assert.deepEqual(findPassage(text, "one", 100), { from: 16, to: 19 });
  assert.equal(findPassage(text, "three", 0), null);
  assert.equal(findPassage(text, "", 0), null);
  assert.equal(findPassage("u\u0308", "u", 0), null);
});

const sha = "a".repeat(64);
const section = (On: string, Lines: string, ...texts: string[]): Section => ({
  role: "User", id: "u", time: "", resources: { in: 0, out: 0, total: 0, tools: 0, ms: 0 }, meta: { On, Lines },
  payloads: [...texts.map((text) => ({ type: "passage/text", text })), { type: "input/markdown", text: "Words." }],
});

test("the passages of a message are read as the server reads them", () => {
  assert.deepEqual(quotedIn(section(`deed/a%20b%3B%25.txt sha256:${sha} 0-4; doc-b.md sha256:${sha} 1-2`, "1; 3-4", "one", "two")), [
    { file: "deed/a b;%.txt", lines: "1", text: "one" }, { file: "doc-b.md", lines: "3-4", text: "two" },
  ]);
  assert.deepEqual(quotedIn(section(`doc-a.md sha256:${sha} 0-4`, "x", "one", "two")), [{ file: "doc-a.md", lines: "", text: "one" }, { file: "", lines: "", text: "two" }]);
  assert.deepEqual(quotedIn({ ...section("", ""), meta: {} }), []);
});

test("the passage that a question was about is the nearest of its words to where it stood", () => {
  const asked = (on: string, ...texts: string[]) => section(on, "1", ...texts);
  const text = "Wärter 🚨 lamp, lamp, lamp.", from = new TextEncoder().encode(text.slice(0, text.lastIndexOf("lamp"))).length;
  const on = `doc-a.md sha256:${sha} ${from}-${from + 4}`;
  assert.deepEqual(placeOf(asked(on, "lamp"), "doc-a.md", text), { from: text.lastIndexOf("lamp"), to: text.lastIndexOf("lamp") + 4 });
  assert.deepEqual(placeOf(asked(on, "lamp"), "doc-a.md", "a lamp"), { from: 2, to: 6 });
  assert.equal(placeOf(asked(on, "lamp"), "doc-a.md", "nothing"), null);
  assert.equal(placeOf(asked(on, "lamp"), "doc-b.md", text), null);
  assert.equal(placeOf(asked(`${on}; ${on}`, "lamp", "lamp"), "doc-a.md", text), null);
  assert.equal(placeOf(asked("", "lamp"), "doc-a.md", text), null);
  assert.equal(placeOf(section("", ""), "doc-a.md", text), null);
});
