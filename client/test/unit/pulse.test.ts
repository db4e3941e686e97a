import { test } from "node:test";
import assert from "node:assert/strict";
import { Pulse } from "../../src/live/pulse.ts";

test("a switchboard is dead that answered none of the last questions", () => {
  const pulse = new Pulse();
  for (let i = 0; i < 10; i++) {
    assert.equal(pulse.ask(), false);
    pulse.answered();
  }
  assert.deepEqual([pulse.ask(), pulse.ask(), pulse.ask()], [false, false, true]);
  // The next one is asked as often.
  assert.deepEqual([pulse.ask(), pulse.ask(), pulse.ask()], [false, false, true]);
});

test("a tab that was frozen behind its question hears the answer before it judges", () => {
  const pulse = new Pulse();
  pulse.ask(); // frozen here; the answer waits
  assert.equal(pulse.ask(), false);
  pulse.answered();
  assert.equal(pulse.ask(), false);
});
