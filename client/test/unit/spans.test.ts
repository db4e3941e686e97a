import { test } from "node:test";
import assert from "node:assert/strict";
import { piecesOf, Spans } from "../../src/text/spans.ts";

test("a set of stretches knows what is in it, in whatever order it came", () => {
  let seed = 7;
  const next = (n: number) => (seed = (seed * 1103515245 + 12345) % 2147483648) % n;
  for (let round = 0; round < 200; round++) {
    const spans = new Spans();
    const all = new Array<boolean>(40).fill(false);
    for (let n = 0; n < 12; n++) {
      const from = next(40), to = Math.min(40, from + next(9));
      spans.add(from, to);
      all.fill(true, from, to);
      const a = next(40), b = a + next(41 - a);
      assert.equal(spans.has(a, b), all.slice(a, b).every(Boolean), `round ${round}: [${a}, ${b})`);
    }
  }
});

test("a text is cut within its lines, and what is blank is no piece", () => {
  const cut = (s: string) => piecesOf(s, 4).map(([a, b]) => s.slice(a, b));
  assert.deepEqual(cut("abcdefghij\n\n  \nkl  \nmnop"), ["abcd", "efgh", "ij", "kl", "mnop"]);
  assert.deepEqual(cut(""), []);
  assert.deepEqual(cut(" \n\t"), []);
  assert.deepEqual(cut("a"), ["a"]);
});
