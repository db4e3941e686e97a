import { test } from "node:test";
import assert from "node:assert/strict";
import { around, matching, wayTo, type Choice } from "../../src/text/palette.ts";

const c = (name: string): Choice => ({ kind: "doc", key: name, name });

test("a name is found by parts of its words, without accents, those that begin so first", () => {
  const all = ["The storm", "Räume der Galerie", "Storm, again", "灯台"].map(c);
  const found = (typed: string) => matching(all, typed).map((x) => x.name);
  assert.deepEqual(found("storm"), ["Storm, again", "The storm"]);
  assert.deepEqual(found("gal raume"), ["Räume der Galerie"]);
  assert.deepEqual(found("台"), ["灯台"]);
  assert.equal(found(" ").length, 4);
  assert.deepEqual(found("none of these"), []);
});

test("a line that was found is cut to what stands around the match", () => {
  assert.deepEqual(around("a lamp here", "LAMP"), ["a ", "lamp", " here"]);
  assert.deepEqual(around(`${"x".repeat(90)}lamp${"y".repeat(200)}`, "lamp", 3, 5), ["…xxx", "lamp", "yyyyy…"]);
  assert.deepEqual(around("no match", "lamp"), ["no match", "", ""]);
});

test("what was found stands in a doc or in a dialog", () => {
  assert.deepEqual(wayTo("p", { file: "doc-a.md", line: 3, text: "" }), { at: "docs", project: "p", file: "doc-a.md" });
  assert.deepEqual(wayTo("p", { file: "dialog-x-done.md", dialogId: "x", line: 3, text: "" }), { at: "dialogs", project: "p", dialog: "x" });
});
