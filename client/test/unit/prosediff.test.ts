import { test } from "node:test";
import assert from "node:assert/strict";
import { refine } from "../../src/text/diff.ts";
import { presentableDiff } from "../../src/text/finediff.ts";
import { clipRows, diffPart, leftOut, LIMIT, rowsOf, textOf, type Row } from "../../src/text/part.ts";
import { partsOf } from "../../src/text/parts.ts";
import { diffProse, isProse } from "../../src/text/prosediff.ts";

refine(presentableDiff);

const show = (a: string, b: string) => diffProse(a, b).map((p) => p.words.map((w) => ({ same: w.text, del: `[-${w.text}-]`, add: `{+${w.text}+}` })[w.kind]).join(""));
const one = (r: Row) => ("fold" in r ? r.fold : textOf(r));

test("a doc's change is words struck and set in, in their paragraph", () => {
  assert.deepEqual(show("# Lamp\n\nThe lamp turn in it.\n\nEnd.\n", "# Lamp\n\nThe lamp turns in it.\n\nEnd.\n"), ["# Lamp\n\n", "The lamp [-turn-]{+turns+} in it.\n\n", "End.\n"]);
  assert.deepEqual(show("One.\n\nTwo.\n", "One.\n\nNew.\n\nTwo.\n"), ["One.\n\n", "{+New.\n\n+}", "Two.\n"]);
  assert.deepEqual(show("One.\n\nGone.\n\nTwo.\n", "One.\n\nTwo.\n"), ["One.\n\n", "[-Gone.\n\n-]", "Two.\n"]);
  assert.deepEqual(show("One.\n", "One.\n\nTwo.\n"), ["One.\n", "{+\nTwo.\n+}"]);
  assert.deepEqual(show("One.\n\nTwo.\n", "One.\n"), ["One.\n", "[-\nTwo.\n-]"]);
  assert.deepEqual(show("He is tired, and cold.\n", "He is weary, and old.\n"), ["He is [-tired,-]{+weary,+} and [-cold.-]{+old.+}\n"]);
  assert.deepEqual(show("One. Two.\n", "One.\n\nTwo.\n"), ["One.[- -]{+\n\n+}", "Two.\n"]);
});

test("items, headings and rows are paragraphs of their own", () => {
  const list = (n: number, word = "item") => Array.from({ length: n }, (_, i) => `- ${i === 5 ? word : "item"} ${i}\n`).join("");
  const rows = rowsOf(diffPart("d", "", list(20), list(20, "other"), { path: "doc-a.md", whole: true }), false);
  assert.deepEqual(rows.map(one), [4, "- item 4\n", "- itemother 5\n", "- item 6\n", 13]);
});

test("one paragraph stands around a change, and the rest is folded", () => {
  const text = (word: string) => Array.from({ length: 9 }, (_, i) => `Paragraph ${i} ${i === 4 ? word : "is"} here.\n`).join("\n");
  const rows = rowsOf(diffPart("d", "", text("was"), text("were"), { path: "doc-a.md" }), false);
  assert.deepEqual(rows.map(one), [3, "Paragraph 3 is here.\n\n", "Paragraph 4 waswere here.\n\n", "Paragraph 5 is here.\n\n", 3]);
  assert.equal(rowsOf(diffPart("d", "", text("was"), text("were"), { path: "doc-a.md" }), true).length, 9);
});

test("what is prose is told by the path; code has the numbers of its file", () => {
  assert.deepEqual(["doc-main.md", "./doc-a.md", "a.MD", "deed/README.md", "deed/a.js", "md", ""].map(isProse), [true, true, true, false, false, false, false]);
  const before = Array.from({ length: 30 }, (_, i) => `l${i + 1}`).join("\n");
  const input = (path: string) => JSON.stringify({ path, old_string: "l12", new_string: "new\nmore" });
  const [code] = partsOf("edit_file", input("deed/a.js"), before).parts;
  assert.ok(code?.kind === "diff" && code.whole && code.prose === null);
  assert.deepEqual(rowsOf(code, false).map((r) => ("at" in r ? `${r.kind} ${r.at}` : one(r))), [8, "same 9", "same 10", "same 11", "del 12", "add 12", "add 13", "same 14", "same 15", "same 16", 15]);
  const [alone] = partsOf("edit_file", input("deed/a.js"), undefined, "why").parts;
  assert.ok(alone?.kind === "diff" && !alone.whole && alone.why === "why");
  const [doc] = partsOf("edit_file", input("doc-a.md"), before).parts;
  assert.ok(doc?.kind === "diff" && doc.prose !== null);
  const [twice] = partsOf("edit_file", JSON.stringify({ path: "a.js", old_string: "l1", new_string: "x" }), before).parts;
  assert.ok(twice?.kind === "diff" && !twice.whole, "words that stand there often are changed nowhere");
});

test("a long paragraph is cut, and says so", () => {
  const part = (a: string, b: string) => diffPart("d", "", a, b, { path: "doc-a.md" });
  assert.equal(leftOut(part("a", `a ${"word ".repeat(2000)}`)), "6,002 more characters");
  assert.equal(leftOut(part("", Array.from({ length: LIMIT.lines + 3 }, (_, i) => `line ${i}`).join("\n"))), "24 more characters");
  assert.match(leftOut(part("", Array.from({ length: 40 }, (_, i) => `Par ${i}.\n`).join("\n"))), /more lines$/);
  assert.equal(clipRows(rowsOf(part("One.\n", "Two.\n"), false)).more, "");
});

// Deterministic noise: both texts can be read from their paragraphs.
test("both texts can be read from the diff of prose", () => {
  let seed = 11;
  const rnd = (n: number) => (seed = (seed * 1103515245 + 12345) & 0x7fffffff) % n;
  const bits = ["", "a", "b", "ab", "\n", "\n\n", "c d", "x\n", "- ", "# ", "\r\n", "é", "ab ab"];
  const text = () => Array.from({ length: rnd(14) }, () => bits[rnd(bits.length)]).join("");
  for (let i = 0; i < 5000; i++) {
    const a = text(), b = text(), all = diffProse(a, b);
    const side = (not: "del" | "add") => all.flatMap((p) => p.words.filter((w) => w.kind !== not).map((w) => w.text)).join("");
    assert.deepEqual([side("add"), side("del")], [a, b]);
  }
});

test("10,000 lines are compared at once", { timeout: 60_000 }, () => {
  const lines = Array.from({ length: 10_000 }, (_, i) => `const line${i} = ${i * 7};`), before = lines.join("\n");
  for (const path of ["deed/a.js", "doc-a.md"]) {
    const [part] = partsOf("edit_file", JSON.stringify({ path, old_string: lines[5000], new_string: "other" }), before).parts;
    assert.ok(part?.kind === "diff" && part.whole);
    assert.ok(rowsOf(part, false).length < 12);
  }
});
