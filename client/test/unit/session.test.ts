import { test } from "node:test";
import assert from "node:assert/strict";

const kept = new Map([["vibey.token", "old"]]);
const localStorage = { getItem: (k: string) => kept.get(k) ?? null, removeItem: (k: string) => void kept.delete(k) };
for (const [name, value] of Object.entries({ localStorage, addEventListener: () => undefined })) Object.defineProperty(globalThis, name, { value, configurable: true });

test("a token that was refused ends the session only where it is the last one", async () => {
  const { endSession, loginReason, token } = await import("../../src/state/session.ts");
  endSession("again", "older");
  assert.equal(token.peek(), "old");
  kept.set("vibey.token", "new"); // another tab signed in; this one was not told yet
  endSession("again", "old");
  assert.deepEqual([token.peek(), kept.get("vibey.token"), loginReason.peek()], ["new", "new", ""]);
  endSession("again", "new");
  assert.deepEqual([token.peek(), kept.get("vibey.token"), loginReason.peek()], ["", undefined, "again"]);
});
