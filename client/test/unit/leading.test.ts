import { mock, test } from "node:test";
import assert from "node:assert/strict";

// A browser without shared workers, whose lock another tab holds that is silent.
const asked: { steal: boolean; take: () => Promise<void> }[] = [];
const locks = { request: (_: string, { steal = false }: LockOptions, take: () => Promise<void>) => (asked.push({ steal, take }), new Promise<void>(() => undefined)) };
const shelf = { getItem: () => null, setItem: () => undefined, removeItem: () => undefined };
const browser = {
  localStorage: shelf, sessionStorage: shelf, addEventListener: () => undefined, location: { hash: "" }, navigator: { locks },
  SharedWorker: undefined, BroadcastChannel: class { onmessage = null; postMessage() { /* nobody listens */ } },
};
for (const [name, value] of Object.entries(browser)) Object.defineProperty(globalThis, name, { value, configurable: true });
mock.timers.enable({ apis: ["setTimeout", "setInterval"] });

test("a tab whose earlier try to lead gets the lock later lets go of it", async () => {
  const { watch } = await import("../../src/state/live.ts");
  watch("projects", "", () => undefined);
  mock.timers.tick(12_000); // three questions without an answer
  assert.deepEqual(asked.map((a) => a.steal), [false, true]);
  const held = await Promise.race([asked[0]!.take().then(() => false), new Promise<boolean>((ok) => setImmediate(() => setImmediate(() => ok(true))))]);
  assert.equal(held, false);
});
