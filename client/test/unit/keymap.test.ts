import { test } from "node:test";
import assert from "node:assert/strict";
import { isKey, KEYMAP, keyList, keyWords, type KeyName } from "../../src/text/keymap.ts";

const press = (key: string, more = {}) => ({ key, ctrlKey: false, metaKey: false, altKey: false, shiftKey: false, ...more });

test("every key is in the list once, and none stands for two acts", () => {
  const listed = keyList().flatMap((g) => g.keys);
  assert.equal(listed.length, Object.keys(KEYMAP).length);
  assert.equal(new Set(listed.map(keyWords)).size, listed.length);
});

test("a key is its own, with its modifier and no other", () => {
  const of = (e: ReturnType<typeof press>) => (Object.keys(KEYMAP) as KeyName[]).filter((n) => isKey(n, e));
  assert.deepEqual(of(press("n")), ["new"]);
  assert.deepEqual(of(press("?", { shiftKey: true })), ["list"]);
  assert.deepEqual(of(press(".", { metaKey: true })), ["stop"]);
  for (const e of [press("n", { ctrlKey: true }), press("N", { shiftKey: true }), press("."), press("j", { ctrlKey: true, shiftKey: true }), press("a", { altKey: true })]) assert.deepEqual(of(e), []);
});
