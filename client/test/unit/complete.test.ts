import { test } from "node:test";
import assert from "node:assert/strict";
import { askedIn, linkTo } from "../../src/editor/complete.ts";

test("a link is being written behind a bracket and a word", () => {
  assert.deepEqual(askedIn("see [Der L"), { at: 4, words: "Der L" });
  assert.deepEqual(askedIn("see [[灯"), { at: 4, words: "灯" });
  assert.deepEqual(askedIn("[a](b) and [c"), { at: 11, words: "c" });
  assert.deepEqual(askedIn("- [ ] call [Ada"), { at: 11, words: "Ada" });
  for (const no of ["", "[", "[[", "[ ", "- [x", "1. [X", "[a]", "[a](do", "\\[a", "[" + "x".repeat(81)]) assert.equal(askedIn(no), null, no);
});

test("a link is called by the title of its doc", () => {
  assert.equal(linkTo({ file: "doc-x1c9b65b5.md", title: "灯台" }), "[灯台](doc-x1c9b65b5.md)");
  assert.equal(linkTo({ file: "doc-a.md", title: "[Draft] a\\b" }), "[\\[Draft\\] a\\\\b](doc-a.md)");
});
