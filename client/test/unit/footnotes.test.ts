import { test } from "node:test";
import assert from "node:assert/strict";
import { notesOf } from "../../src/text/footnotes.ts";
import { piecesOf, type Piece } from "../../src/text/notewords.ts";

test("the notes of a text are found, with their further lines, and none in code", () => {
  const text = "A[^1] b[^long-name].\n\n[^1]: One\ngoes on\n\n    a second paragraph\n\n```\n[^2]: no\n```\n[^long-name]: Two\n# Head\n\n[^3]: Three";
  const all = notesOf(text);
  assert.deepEqual(all.map((n) => [n.label, n.text]), [["1", "One\ngoes on\na second paragraph"], ["long-name", "Two"], ["3", "Three"]]);
  for (const n of all) assert.ok(text.slice(n.from, n.to).startsWith(`[^${n.label}]:`));
  assert.ok(text.slice(all[0]!.from, all[0]!.to).endsWith("second paragraph"));
  assert.deepEqual(notesOf("[^]: a\n[^a b]: c\ntext [^1]: no"), []);
});

test("the emphasis, code and links of a note are read, and nothing else is a mark", () => {
  const shown = (pieces: Piece[]): string => pieces.map((p) => (typeof p === "string" ? p : `<${p.tag}${p.href ? ` ${p.href}` : ""}>${shown(p.in)}</${p.tag}>`)).join("");
  for (const [text, want] of [
    ['See *this* [page](https://x.org "t") and [notes](doc-notes.md).', "See <em>this</em> <a https://x.org>page</a> (https://x.org) and notes."],
    ["In *To the **Light**house*, ~~p. 3~~ `a*b*`", "In <em>To the <strong>Light</strong>house</em>, <s>p. 3</s> <code>a*b*</code>"],
    ["_one_, snake_case_x, 2 * 3 * 4, \\*no\\*, `", "<em>one</em>, snake_case_x, 2 * 3 * 4, *no*, `"],
    ["[*Ulysses*](https://x.org/u), [js](javascript:alert(1))", "<a https://x.org/u><em>Ulysses</em></a> (https://x.org/u), js)"],
    ["<b>**a", "<b>**a"],
    ["***both***", "<strong><em>both</em></strong>"],
  ] as const) assert.equal(shown(piecesOf(text)), want);
});
