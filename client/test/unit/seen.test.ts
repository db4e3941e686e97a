import { test } from "node:test";
import assert from "node:assert/strict";
import { hitsIn, rewritten, type Hidden } from "../../src/text/seen.ts";

// Returns a text and what is hidden of it: "‹…›" encloses what is hidden, and the signs of one mark have one digit behind "‹".
function marked(drawn: string): { text: string; hidden: Hidden[] } {
  const hidden: (Hidden & { n: string })[] = [];
  let text = "";
  for (const m of drawn.matchAll(/‹(\d)?([^›]*)›|([^‹]+)/g)) {
    const words = m[2] ?? m[3]!;
    if (m[2] !== undefined) hidden.push({ from: text.length, to: text.length + words.length, of: null, n: m[1] ?? "" });
    text += words;
  }
  for (const h of hidden) {
    const all = hidden.filter((o) => o.n !== "" && o.n === h.n);
    if (all.length > 0) h.of = { from: all[0]!.from, to: all.at(-1)!.to };
  }
  return { text, hidden };
}
const found = (drawn: string, words: string) => {
  const { text, hidden } = marked(drawn);
  return hitsIn(text, words, hidden).map((h) => text.slice(h.from, h.to));
};
const replaced = (drawn: string, words: string, by: string) => {
  const { text, hidden } = marked(drawn), [h] = hitsIn(text, words, hidden);
  return text.slice(0, h!.from) + rewritten(h!, by) + text.slice(h!.to);
};

const BOLD = "See the ‹1**›brass‹1**› lamp.", COMMENT = "See ‹1{==›the brass‹1==}›‹{>>why<<}› lamp.", NOTE = "See the brass‹[^1]› lamp.", LINK = "See the ‹1[›brass‹1](a.md)› lamp.";

test("words are found as they are seen, across marks, comments, footnotes and links", () => {
  assert.deepEqual(found(BOLD, "The Brass lamp"), ["the **brass** lamp"]);
  assert.deepEqual(found(COMMENT, "the brass lamp"), ["{==the brass==}{>>why<<} lamp"]);
  assert.deepEqual(found(NOTE, "the brass lamp"), ["the brass[^1] lamp"]);
  assert.deepEqual(found(LINK, "the brass lamp"), ["the [brass](a.md) lamp"]);
  assert.deepEqual(found(LINK, "brass"), ["brass"]);
  assert.deepEqual(found(BOLD, "lamp"), ["lamp"]);
});

test("words are found as they are written", () => {
  assert.deepEqual(found(BOLD, "**brass**"), ["**brass**"]);
  assert.deepEqual(found(COMMENT, "why"), ["why"]);
  assert.deepEqual(found(LINK + " " + BOLD, "a"), ["a", "a", "a", "a", "a"]);
});

test("letters are the same whatever they are written in", () => {
  assert.deepEqual(found("Cafe\u0301, Café, \ufb01n, a\u00a0b", "café"), ["Cafe\u0301", "Café"]);
  assert.deepEqual(found("\ufb01n", "fin"), ["\ufb01n"]);
  assert.deepEqual(found("a\u00a0b", "a b"), ["a\u00a0b"]);
  assert.deepEqual(hitsIn("é e", "e", []).map((h) => h.precise), [false, true]);
});

test("straight and curly quotation marks are the same", () => {
  const text = "I don’t, I don't, ‘so’, “so”, „so“, \"so\"";
  assert.deepEqual(found(text, "don't"), ["don’t", "don't"]);
  assert.deepEqual(found(text, "don’t"), ["don’t", "don't"]);
  assert.deepEqual(found(text, '"so"'), ["“so”", "„so“", '"so"']);
  assert.deepEqual(found(text, "”so„"), ["“so”", "„so“", '"so"']);
  assert.deepEqual(found(text, "'so'"), ["‘so’"]);
});

test("a mark that ends or begins within a hit is in it whole", () => {
  assert.deepEqual(found(BOLD, "brass lamp"), ["**brass** lamp"]);
  assert.deepEqual(found(BOLD, "the brass"), ["the **brass**"]);
});

test("what is replaced keeps its marks around what is left of their words", () => {
  assert.equal(replaced(BOLD, "the brass lamp", "the brass lantern"), "See the **brass** lantern.");
  assert.equal(replaced(BOLD, "the brass lamp", "the iron lamp"), "See the **iron** lamp.");
  assert.equal(replaced(BOLD, "the brass lamp", "the lamp"), "See the lamp.");
  assert.equal(replaced(BOLD, "brass lamp", "lamp"), "See the lamp.");
  assert.equal(replaced(BOLD, "the brass", "it"), "See it lamp.");
  assert.equal(replaced(COMMENT, "the brass lamp", "a copper lantern"), "See {==a copper lantern==}{>>why<<}.");
  assert.equal(replaced(COMMENT, "see the brass lamp", "It"), "It{>>why<<}.");
  assert.equal(replaced(NOTE, "the brass lamp", "the old lamp"), "See the old[^1] lamp.");
  assert.equal(replaced("‹1**›the brass‹1**› lamp", "brass lamp", "oil can"), "**the oil can**");
});
