import { test } from "node:test";
import assert from "node:assert/strict";
import { Hands, QUIET } from "../../src/text/hands.ts";

test("a key is alone a second after any other, down or up, and never as a repeat", () => {
  const h = new Hands();
  h.down(0, "a", false, false);
  assert.equal(h.alone, true);
  h.up(80);
  h.down(QUIET - 1, "a", false, false);
  assert.equal(h.alone, false);
  h.up(QUIET + 100);
  h.down(2 * QUIET, "a", false, false); // a second behind the key, and less behind its end
  assert.equal(h.alone, false);
  h.down(3 * QUIET, "a", true, false);
  assert.equal(h.alone, false);
  h.down(4 * QUIET, "Tab", false, false);
  assert.equal(h.alone, true);
  h.down(5 * QUIET - 1, "a", false, false);
  assert.equal(h.alone, false);
  h.down(6 * QUIET, "Shift", false, false); // a part of the next key
  h.down(6 * QUIET + 50, "?", false, false);
  assert.equal(h.alone, true);
  h.down(6 * QUIET + 60, "Shift", false, false);
  h.down(6 * QUIET + 70, "?", false, false);
  assert.equal(h.alone, false);
});

test("text that comes without a key is as good as one", () => {
  const h = new Hands();
  h.text(1000);
  h.down(1500, "n", false, false);
  assert.deepEqual([h.alone, h.writing], [false, true]);
});

test("who wrote last still writes, until a hand goes elsewhere", () => {
  const h = new Hands();
  assert.equal(h.writing, false);
  h.down(0, "x", false, true);
  h.down(9000, "n", false, false); // the focus fell to the page
  assert.equal(h.writing, true);
  for (const leave of [() => h.pointer(false), () => h.move(), () => h.down(1, "Tab", false, true), () => h.down(1, "Escape", false, true)]) {
    h.field();
    assert.equal(h.writing, true);
    leave();
    assert.equal(h.writing, false);
  }
  h.pointer(true);
  assert.equal(h.writing, true);
});

test("a key that ended a text gives the keys back after a pause", () => {
  const h = new Hands();
  h.down(0, "Enter", false, true);
  h.end();
  h.down(QUIET - 1, "n", false, false);
  assert.equal(h.writing, true);
  h.down(2 * QUIET, "n", false, false);
  assert.equal(h.writing, false);
  h.down(2 * QUIET + 1, "x", false, true);
  h.down(9 * QUIET, "n", false, false); // another text, which was not ended
  assert.equal(h.writing, true);
});
