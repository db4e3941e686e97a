import { test } from "node:test";
import assert from "node:assert/strict";

// A browser without locks and without a database, where another tab keeps a draft.
const theirs = { etag: "e1", base: "# One\n", mine: ["theirs"], at: "2026-01-01T00:00:01Z" };
const kept = new Map<string, string>([["vibey.tab", "T"], ["vibey.draft/p/f/U", JSON.stringify(theirs)]]);
const shelf = { getItem: (k: string) => kept.get(k) ?? null, setItem: (k: string, v: string) => void kept.set(k, v), removeItem: (k: string) => void kept.delete(k) };
const keys = { ownKeys: () => [...kept.keys()], getOwnPropertyDescriptor: () => ({ configurable: true, enumerable: true }) };
for (const [name, value] of Object.entries({ localStorage: new Proxy(shelf, keys), sessionStorage: shelf, navigator: {}, addEventListener: () => undefined })) Object.defineProperty(globalThis, name, { value, configurable: true });

test("without locks a draft of another tab is copied, and goes with the copy where that tab kept no newer one", async () => {
  const { dropDraft, readDraft } = await import("../../src/state/drafts.ts");
  assert.deepEqual(await readDraft("p", "f"), { draft: { ...theirs, tab: "U" }, more: 0 });
  assert.ok(kept.has("vibey.draft/p/f/U"), "the other tab may live");
  assert.equal((await readDraft("p", "f")).more, 0, "the copy is not another text");
  const newer = JSON.stringify({ ...theirs, at: "2026-01-01T00:00:02Z" });
  kept.set("vibey.draft/p/f/U", newer);
  await dropDraft("p", "f");
  assert.deepEqual([kept.get("vibey.draft/p/f/U"), kept.has("vibey.draft/p/f/T")], [newer, false]);
  await readDraft("p", "f");
  await dropDraft("p", "f");
  assert.equal(kept.has("vibey.draft/p/f/U"), false);
});

test("a draft of before each tab had its own is read, and dropped once it is this tab's", async () => {
  const { dropDraft, readDraft } = await import("../../src/state/drafts.ts");
  kept.set("vibey.draft/p/g", JSON.stringify(theirs));
  assert.deepEqual((await readDraft("p", "g")).draft, { ...theirs, tab: "" });
  await dropDraft("p", "g");
  assert.equal(kept.has("vibey.draft/p/g"), false);
});
