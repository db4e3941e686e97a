import { test } from "node:test";
import assert from "node:assert/strict";
import { Late } from "../../src/state/late.ts";

const settled = async () => { for (let i = 0; i < 5; i++) await Promise.resolve(); };

test("code is loaded once, and of what waits for it the last is done", async () => {
  let loads = 0;
  let come!: (n: number) => void;
  const code = new Late(() => { loads++; return new Promise<number>((ok) => { come = ok; }); });
  const done: string[] = [];
  assert.equal(code.asked, false);
  code.use((n) => done.push(`a${n}`));
  code.use((n) => done.push(`b${n}`));
  come(7);
  await settled();
  assert.deepEqual([loads, done, code.asked], [1, ["b7"], true]);
  code.use((n) => done.push(`c${n}`));
  code.cancel();
  await settled();
  code.use((n) => done.push(`d${n}`));
  await settled();
  assert.deepEqual([loads, done], [1, ["b7", "d7"]]);
});

test("code that could not be loaded is asked for again", async () => {
  let loads = 0;
  const code = new Late(() => (loads++ === 0 ? Promise.reject(new Error("offline")) : Promise.resolve(loads)));
  const done: number[] = [];
  code.use((n) => done.push(n));
  await settled();
  assert.equal(code.asked, false);
  code.use((n) => done.push(n));
  await settled();
  assert.deepEqual(done, [2]);
});
