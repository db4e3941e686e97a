import { test } from "node:test";
import assert from "node:assert/strict";
import { notesOf, wordsOfNote } from "../../src/text/footnotes.ts";

test("the notes of a text are found, with their further lines, and none in code", () => {
  const text = "A[^1] b[^long-name].\n\n[^1]: One\ngoes on\n\n    a second paragraph\n\n```\n[^2]: no\n```\n[^long-name]: Two\n# Head\n\n[^3]: Three";
  const all = notesOf(text);
  assert.deepEqual(all.map((n) => [n.label, n.text]), [["1", "One\ngoes on\na second paragraph"], ["long-name", "Two"], ["3", "Three"]]);
  for (const n of all) assert.ok(text.slice(n.from, n.to).startsWith(`[^${n.label}]:`));
  assert.ok(text.slice(all[0]!.from, all[0]!.to).endsWith("second paragraph"));
  assert.deepEqual(notesOf("[^]: a\n[^a b]: c\ntext [^1]: no"), []);
  assert.equal(wordsOfNote("See *this* [page](https://x.org \"t\") and [notes](doc-notes.md)."), "See this page (https://x.org) and notes.");
});
