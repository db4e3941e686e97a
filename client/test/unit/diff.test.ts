import { test } from "node:test";
import assert from "node:assert/strict";
import { counts, diffLines, fold, refine } from "../../src/text/diff.ts";
import { presentableDiff } from "../../src/text/finediff.ts";

test("before what makes it fine has come, a diff is one block, and right", () => {
  assert.deepEqual(diffLines("a\nb\nc\nd\n", "a\nx\nc\ny\n").map((l) => l.kind + l.text), ["samea", "delb", "delc", "deld", "addx", "addc", "addy"]);
  assert.deepEqual(diffLines("a\n", "a\n").map((l) => l.kind), ["same"]);
  refine(presentableDiff);
});

const show = (a: string, b: string) =>
  diffLines(a, b).map((l) => {
    let t = l.text;
    for (const [f, e] of [...l.marks].reverse()) t = `${t.slice(0, f)}[${t.slice(f, e)}]${t.slice(e)}`;
    return { same: " ", del: "-", add: "+" }[l.kind] + t;
  });

test("a replaced word is marked in its lines", () => {
  assert.deepEqual(show("<main>\n  <h1>Game</h1>\n</main>", "<main>\n  <h1>The Lighthouse</h1>\n</main>"), [
    " <main>",
    "-  <h1>[Game]</h1>",
    "+  <h1>[The Lighthouse]</h1>",
    " </main>",
  ]);
});

test("what changed within a word marks the whole word, on both sides", () => {
  assert.deepEqual(show("the lamp turn in it\n", "the lamp turns in it\n"), ["-the lamp [turn] in it", "+the lamp [turns] in it"]);
  assert.deepEqual(show("a keeper of light\n", "a keepers of lights\n"), ["-a [keeper] of [light]", "+a [keepers] of [lights]"]);
  assert.deepEqual(show("der Wärter\n", "der Würter\n"), ["-der [Wärter]", "+der [Würter]"]);
  assert.deepEqual(show("one three\n", "one two three\n"), ["-one three", "+one [two ]three"]);
});

test("lines that come or go stand alone, without marks", () => {
  const cases: [string, string, string[]][] = [
    ["a\n", "a\nb\n", [" a", "+b"]],
    ["a", "a\nb", [" a", "+b"]],
    ["b\n", "a\nb\n", ["+a", " b"]],
    ["a\nb\nc\n", "a\nc\n", [" a", "-b", " c"]],
    ["", "new\nfile\n", ["+new", "+file"]],
    ["gone\n", "", ["-gone"]],
    ["x\ny", "y", ["-x", " y"]],
    ["same\n", "same\n", [" same"]],
    ["q\nab\ncd", "q\ncd", [" q", "-ab", " cd"]],
    ["", "", []],
  ];
  for (const [a, b, want] of cases) assert.deepEqual(show(a, b), want, JSON.stringify([a, b]));
});

// Deterministic noise: the diff of any two texts gives both of them back.
test("both texts can be read from their diff", () => {
  let seed = 7;
  const rnd = (n: number) => (seed = (seed * 1103515245 + 12345) & 0x7fffffff) % n;
  const words = ["", "a", "b", "ab", "\n", "\n\n", "c d", "x\n"];
  const text = () => Array.from({ length: rnd(14) }, () => words[rnd(words.length)]).join("");
  for (let i = 0; i < 3000; i++) {
    const a = text(), b = text();
    const lines = diffLines(a, b);
    const side = (k: "del" | "add") => lines.filter((l) => l.kind !== k).map((l) => l.text).join("\n");
    const trimmed = (s: string) => (s.endsWith("\n") ? s.slice(0, -1) : s);
    assert.equal(side("add"), trimmed(a), JSON.stringify([a, b]));
    assert.equal(side("del"), trimmed(b), JSON.stringify([a, b]));
  }
});

test("three lines of context stay, the rest folds", () => {
  const a = Array.from({ length: 20 }, (_, i) => `line ${i}`);
  const b = [...a];
  b[10] = "changed";
  const runs = fold(diffLines(a.join("\n"), b.join("\n")));
  assert.deepEqual(runs.map((r) => [r.folded, r.lines.length]), [[true, 7], [false, 8], [true, 6]]);
  assert.deepEqual(counts(runs.flatMap((r) => r.lines)), { del: 1, add: 1 });
});

test("large and wholly different texts are compared at once", { timeout: 60_000 }, () => {
  const a = Array.from({ length: 4000 }, (_, i) => `alpha ${i * 7919 % 4001}`).join("\n");
  const b = Array.from({ length: 4000 }, (_, i) => `beta ${i * 104729 % 4001}`).join("\n");
  const lines = diffLines(a, b);
  assert.equal(lines.filter((l) => l.kind !== "add").length, 4000);
});
