import { test } from "node:test";
import assert from "node:assert/strict";
import type { Section } from "../../src/types.ts";
import { undoings } from "../../src/text/undo.ts";
import cases from "../undo.json" with { type: "json" };

// The server takes back by a fold of its own, of the same cases.
for (const { why, sections, want } of cases) {
  test(why, () => assert.deepEqual(Object.fromEntries(undoings(sections as unknown as Section[])), want));
}
