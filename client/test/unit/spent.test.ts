import { test } from "node:test";
import assert from "node:assert/strict";
import type { Section } from "../../src/types.ts";
import { dollars, heldBy } from "../../src/text/spent.ts";

const said = (role: Section["role"], tokensIn: number, out: number): Section => ({ role, id: "", time: "", resources: { in: tokensIn, out, total: tokensIn + out, tools: 0, ms: 0 } });
const models = [{ provider: "claude", api: "messages", models: [{ id: "big", window: 200_000 }, { id: "unknown" }] }];

test("how full a model is, is what it was sent last with what it answered", () => {
  const all = [said("Assistant", 1000, 10), said("Assistant", 2000, 20), said("Tool Result", 0, 0), said("Assistant", 0, 0)];
  assert.deepEqual(heldBy(all, "claude", "big", models), { tokens: 2020, window: 200_000 });
  assert.equal(heldBy(all, "claude", "unknown", models), null);
  assert.equal(heldBy(all, "openai", "big", models), null);
  assert.equal(heldBy([], "claude", "big", models), null);
});

test("money is told to the cent, and below a dime to a tenth of one", () => {
  assert.deepEqual([0, 0.0004, 0.0123, 0.1, 12.345].map(dollars), ["$0.000", "under $0.001", "$0.012", "$0.10", "$12.35"]);
});
