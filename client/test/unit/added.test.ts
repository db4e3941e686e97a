import assert from "node:assert/strict";
import test from "node:test";
import { addedName, addedPath, join, linkTo, markdownOf, pictureOf, split, unseenIn, withFile, withoutFile } from "../../src/text/added.ts";
import { readLink } from "../../src/text/links.ts";
import { filesOf } from "../../src/text/pasted.ts";
import { together } from "../../src/text/queue.ts";
import type { Section } from "../../src/types.ts";

const H = "files/0123456789abcdef-";
const NAMES = ["lamp.png", "Küche (1).png", "100% `x` [a] <b>.png", "गांव ~~x~~ *y* !.gif", "a#b&amp;d.pdf", "%41.png", "(((.png", "it's \"it\"; really.txt", "back\\slash"];
const files = NAMES.slice(0, -1).map((n) => ({ words: n, path: H + n }));

test("a link to a file leads to it, whatever its name", () => {
  for (const f of files) {
    const [, address] = /\]\(([^()\s]+)\)$/.exec(linkTo(f))!;
    assert.deepEqual(readLink(address!), { to: "added", path: f.path }, f.words);
  }
  assert.equal(pictureOf({ words: "a [b]", path: `${H}a b.png` }), `![a \\[b\\]](${H}a%20b.png)`);
});

test("only pictures of pixels stand in a doc as pictures", () => {
  const f = files[0]!;
  for (const type of ["image/png", "image/jpeg", "image/gif", "image/webp"]) assert.equal(markdownOf(f, type)[0], "!");
  for (const type of ["image/svg+xml", "application/pdf", "text/plain", ""]) assert.equal(markdownOf(f, type)[0], "[");
});

test("a message's files and its words come back as they were", () => {
  for (const words of ["", "one", "one\n", "\n\none\n\n", "```\ncode", "    code", "![x](files/y)", " "]) {
    for (const some of [[], files.slice(0, 1), files]) assert.deepEqual(split(join(some, words)), { files: some, words });
  }
  for (const text of ["plain", "![x](deed/a.png)", `![a](${H}a.png) and words`, `words\n\n![a](${H}a.png)`, `![a](${H}a.png)\nwords`, "![a](files/../doc-main.md)", "![a](files/0123456789abcdef-)"]) assert.deepEqual(split(text), { files: [], words: text });
});

test("a file is in a message once, and is taken off alone", () => {
  const [a, b] = files as [typeof files[0], typeof files[0]];
  const both = withFile(withFile(withFile("words", a!), b!), a!);
  assert.deepEqual(split(both), { files: [b, a], words: "words" });
  assert.deepEqual(split(withoutFile(both, b!.path)), { files: [a], words: "words" });
  assert.equal(withoutFile(join([a!], ""), a!.path), "");
});

test("two texts are joined with the files of both before the words of both", () => {
  const [a, b] = files as [typeof files[0], typeof files[0]];
  assert.deepEqual(split(together(join([a!], "one"), join([b!, a!], "two"))), { files: [a, b], words: "one\n\ntwo" });
  assert.deepEqual(split(together(join([a!], ""), "two")), { files: [a], words: "two" });
  assert.equal(together("one", join([a!], "")), join([a!], "one"));
});

test("no other path is one of files/", () => {
  for (const no of ["", "files/", "files/a.png", "files/0123456789ABCDEF-a", `${H}a/b`, `x/${H}a`, `/${H}a`, `${H}`, `${H}a\n`]) assert.equal(addedPath(no), null, no);
  assert.equal(addedName(`${H}a-b.png`), "a-b.png");
});

test("what a section says of its pictures is read as it is written, and what is damaged is left out", () => {
  const s = (Pictures: string) => ({ meta: { Pictures } }) as unknown as Section;
  assert.deepEqual(unseenIn(s(`${H}a%20b.png sha256:x sent; ${H}c%3Bd.png sha256:- gone; no; ${H}e.png sha256:y; ${H}e.png x gone; deed/x sha256:y gone`)), [{ name: "c;d.png", state: "gone" }]);
  assert.deepEqual(unseenIn({} as Section), []);
});

test("beside html a file counts only where that is one picture alone", () => {
  const file = { name: "a.png" } as File;
  const data = (html: string, files = [file]) => ({ files, getData: (t: string) => (t === "text/html" ? html : "words") });
  for (const html of ["", "<meta charset='utf-8'><img src='x'>", "<html><head><style>p{}</style></head><body><!--a--><p>&nbsp;<img src='x' alt='y'></p></body></html>"]) assert.deepEqual(filesOf(data(html)), [file], html);
  for (const html of ["<p>words</p><img src='x'>", "<img src='x'><img src='y'>", "<table><tr><td>1</td></tr></table>"]) assert.deepEqual(filesOf(data(html)), [], html);
  assert.deepEqual(filesOf(data("", [])), []);
  assert.deepEqual(filesOf(null), []);
});
