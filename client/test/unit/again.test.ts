import { test } from "node:test";
import assert from "node:assert/strict";
import { again } from "../again.mjs";

const failed = (name: string, file: string) => `not ok 1 - ${name}\n  ---\n  duration_ms: 12.5\n  location: '/test/${file}.test.mjs:9:1'\n  failureType: 'testCodeFailure'\n  ...\n`;
const run = (all: string[], fail = all.length, cancelled = 0) => `TAP version 13\nok 1 - passes\n${all.join("")}# tests 9\n# fail ${fail}\n# cancelled ${cancelled}\n`;
const files = (tap: string) => again(tap)?.files.map((f: string) => f.replace(/^\/test\/|\.test\.mjs$/g, "")) ?? null;

test("tests of up to four files that failed run once more", () => {
  const one = failed("a click is late", "a"), two = failed("a key is late", "a");
  assert.deepEqual(again(run([one, two]))?.names, ["a click is late", "a key is late"]);
  assert.deepEqual(files(run([one, two])), ["a"]);
  const four = ["a", "b", "c", "d"].map((f) => failed("is late", f));
  assert.deepEqual(files(run(four)), ["a", "b", "c", "d"]);
  assert.equal(files(run([...four, failed("is late", "e")])), null);
  assert.equal(files(run([])), null);
  assert.equal(files(run([one], 2)), null, "one failed whose file is not known");
  assert.equal(files(run([one], 1, 1)), null, "one never ended");
});

test("what was lost or killed counts at once", () => {
  for (const name of ["no word of any is lost", "a kill between two saves", "it was killed", "Cut off in a line", "a crash loses nothing"]) {
    assert.equal(files(run([failed("is late", "a"), failed(name, "b")])), null, name);
  }
  for (const name of ["a shortcut acts", "an agent executes it", "a skill is read"]) assert.deepEqual(files(run([failed(name, "b")])), ["b"], name);
});
