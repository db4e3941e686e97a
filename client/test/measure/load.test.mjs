// How soon a doc can be written in, from navigation on: with an empty cache, and once more with what is in it.
import { test } from "node:test";
import { noteWritable } from "../e2e/counting.mjs";
import { withWorld } from "../e2e/real.mjs";

const TIMES = Number(process.env.VIBEY_TIMES ?? 5);
const median = (all) => Math.round(all.toSorted((a, b) => a - b)[Math.floor(all.length / 2)]);

test("opening a doc", () => withWorld({ replies: [] }, async ({ world, page }) => {
  world.write("# Quay\n\nThe rail was cold.\n", "p", "doc-main.md");
  const storageState = await page.context().storageState();
  const cold = [], warm = [];
  for (let i = 0; i < TIMES; i++) {
    const fresh = await page.context().browser().newContext({ storageState });
    const tab = await fresh.newPage();
    await tab.addInitScript(noteWritable);
    await tab.goto(`http://${world.addr}/#/project/p/docs/doc-main.md`);
    for (const all of [cold, warm]) {
      await tab.waitForFunction(() => window.writable !== undefined);
      all.push(await tab.evaluate(() => window.writable - performance.timeOrigin));
      if (all === cold) await tab.reload();
    }
    await fresh.close();
  }
  console.log(`A doc takes keys: ${median(cold)} ms (goal 400), ${median(warm)} ms from the cache (goal 250)`);
}));
