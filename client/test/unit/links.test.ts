import { test } from "node:test";
import assert from "node:assert/strict";
import titles from "../titles.json" with { type: "json" };
import { headingLine, headings, picturePath, readDocLink, readLink, slugOf } from "../../src/text/links.ts";
import { uncommented } from "../../src/text/uncommented.ts";

test("an address of a doc's link leads to a place of the project, to the web, or nowhere", () => {
  assert.deepEqual(readLink("doc-x.md"), { to: "doc", file: "doc-x.md", heading: "" });
  assert.deepEqual(readLink("./doc-a%20b.md#c-d"), { to: "doc", file: "doc-a b.md", heading: "c-d" });
  assert.deepEqual(readLink("README.md?raw"), { to: "doc", file: "README.md", heading: "" });
  assert.deepEqual(readLink("./deed/pages/a%20b%23.html"), { to: "deed", path: "pages/a b#.html", picture: false });
  assert.deepEqual(readLink("#c"), { to: "heading", heading: "c" });
  assert.deepEqual(readLink("dialog-20260216-201000-the-story-waiting.md"), { to: "dialog", id: "20260216-201000-the-story" });
  assert.deepEqual(readLink("20260216-201000-the-story"), { to: "dialog", id: "20260216-201000-the-story" });
  assert.deepEqual(readLink("deed/a/b.PNG"), { to: "deed", path: "a/b.PNG", picture: true });
  assert.deepEqual(readLink("deed/a.html"), { to: "deed", path: "a.html", picture: false });
  assert.deepEqual(readLink("https://x.org/a#b"), { to: "web", url: "https://x.org/a#b" });
  for (const no of ["", "#", "javascript:alert(1)", "data:text/html,x", "/etc/passwd", "../doc-x.md", "deed/../x.png", "//x.org", "mailto:a@b.c", "file:///x", "file:///x.md", "%", "1", ".md", "a/b.md", "deed/", "deed//x", "deed/./x", "deed/%2e%2e/x", "deed/a\u0000b", "deed\\x"]) assert.deepEqual(readLink(no), { to: "nothing" }, no);
});

test("a path that leads to nothing else names a file of the deed", () => {
  assert.deepEqual(readDocLink("game/index.html#top"), { to: "deed", path: "game/index.html", picture: false });
  assert.deepEqual(readDocLink("./lamp.png"), { to: "deed", path: "lamp.png", picture: true });
  assert.deepEqual(readDocLink("doc-x.md"), { to: "doc", file: "doc-x.md", heading: "" });
  for (const no of ["", "#", "1", "javascript:a.b", "data:text/html,x.y", "/etc/a.txt", "../x.png", "a/../../x.png", "mailto:a@b.c", "file:///x.md", "//x.org", "deed/"]) assert.deepEqual(readDocLink(no), { to: "nothing" }, no);
});

test("a picture is one of the deed", () => {
  assert.deepEqual(["deed/a/b.PNG", "./deed/a%20b.jpg", "lamp.png", "./pics/lamp.gif"].map(picturePath), ["deed/a/b.PNG", "deed/a b.jpg", "deed/lamp.png", "deed/pics/lamp.gif"]);
  assert.deepEqual(["files/0123456789abcdef-K%C3%BCche%20%28a%29.png", "./files/0123456789abcdef-page"].map(picturePath), ["files/0123456789abcdef-Küche (a).png", "files/0123456789abcdef-page"]);
  for (const no of ["files/../0123456789abcdef-a.png", "files/0123456789ABCDEF-a", "files/0123456789abcdef-a/../b.md", "", "../lamp.png", "deed/../lamp.png", "/lamp.png", "https://x.org/lamp.png", "data:image/png,x", "deed/a.html", "lamp", "doc-main.md"]) assert.equal(picturePath(no), null, no);
});

test("headings are listed without those in code, schwas and front matter, and found by their links", () => {
  const doc = "---\n# no: x\n---\n# The **Game**\n```\n# no\n```\nəəənote/v1\n# no\nəəə\n## How [to](x) work\n#no\n### C'est ça #\n".split("\n");
  const all = headings(doc);
  assert.deepEqual(all, [{ line: 4, level: 1, title: "The Game" }, { line: 11, level: 2, title: "How to work" }, { line: 13, level: 3, title: "C'est ça" }]);
  assert.equal(slugOf("C'est ça"), "cest-ça");
  assert.equal(headingLine(all, "how-to-work"), 11);
  assert.equal(headingLine(all, "cest-ça"), 13);
  assert.equal(headingLine(all, "none"), 0);
});

test("the title of a doc is the one that the server reads", () => {
  for (const [doc, want] of Object.entries(titles)) {
    const lines = doc.split("\n");
    const line = headings(lines).find((h) => h.level === 1)?.line;
    assert.equal(line === undefined ? "" : lines[line - 1]!.replace(/^\uFEFF? {0,3}#[ \t]+/, "").replace(/([ \t]#*)?\s*$/, ""), want, doc);
  }
});

test("a heading with comments and suggestions is listed without their signs", () => {
  const title = (line: string) => headings([uncommented(line)])[0]!.title;
  assert.equal(title("# The {==old==}{>>how old?<<} lamp"), "The old lamp");
  assert.equal(title("# {==See [the {==end==}{>>[x] why<<}](a.md)==}{>>so<<}"), "See the end");
  assert.equal(title("# A {++very ++}{--dim --}{~~lamp~>light~~}"), "A dim lamp");
  assert.equal(title("# never {==closed"), "never {==closed");
  const spans = "{++All\nof it++}\n\n# The {==lamp\n\nburns.==}{>>Why?\nHow?<<}\n\n## {~~Night\nfall~>Day~~}";
  assert.deepEqual(headings(uncommented(spans).split("\n")), [{ line: 4, level: 1, title: "The lamp" }, { line: 9, level: 2, title: "Night" }]);
});
