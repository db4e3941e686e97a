import { test } from "node:test";
import assert from "node:assert/strict";
import type { Section } from "../../src/types.ts";
import { inheritedIn, undoings } from "../../src/text/undo.ts";
import cases from "../undo.json" with { type: "json" };

// The server takes back by a fold of its own, of the same cases.
for (const { why, from, sections, want } of cases as unknown as { why: string; from?: string; sections: Section[]; want: object }[]) {
  test(why, () => assert.deepEqual(Object.fromEntries(undoings(sections, from === undefined ? 0 : inheritedIn(sections, from))), want));
}
