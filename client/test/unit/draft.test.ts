import { test } from "node:test";
import assert from "node:assert/strict";

// A browser's storage, as far as texts that were not sent need it; without locks.
const kept = new Map<string, string>([["vibey.tab", "T"], ["vibey.message/p/d/T", JSON.stringify({ at: "2026", text: "written before" })]]);
const shelf = { getItem: (k: string) => kept.get(k) ?? null, setItem: (k: string, v: string) => void kept.set(k, v), removeItem: (k: string) => void kept.delete(k) };
const keys = { ownKeys: () => [...kept.keys()], getOwnPropertyDescriptor: () => ({ configurable: true, enumerable: true }) };
const none = () => undefined;
const browser = { localStorage: new Proxy(shelf, keys), sessionStorage: shelf, addEventListener: none, removeEventListener: none, navigator: {} };
for (const [name, value] of Object.entries(browser)) Object.defineProperty(globalThis, name, { value, configurable: true });

test("what is typed before the kept text was read comes behind it, once", async () => {
  const { Draft } = await import("../../src/state/unsent.ts");
  const d = new Draft("p", "d");
  d.write("x");
  for (let i = 0; i < 20; i++) await new Promise<void>((ok) => setImmediate(ok));
  assert.equal(d.text.peek(), "written before\n\nx");
  assert.equal(JSON.parse(kept.get("vibey.message/p/d/T")!).text, "written before\n\nx");
  d.write("");
  assert.equal(kept.has("vibey.message/p/d/T"), false);
});
