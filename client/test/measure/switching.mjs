// Switching between dialogs, one of which was written while it was shown.
import { dialogText } from "./written.mjs";
import { dialog, project, say, sees, until } from "../e2e/real.mjs";

/** switching lets an answer be written, goes from dialog to dialog, and tells what the tab holds before and after. */
export async function switching({ world, page, context }, times) {
  await project(page, "p");
  const ids = [1, 2, 3].map((n) => `20260216-00000${n}-long-${n}`);
  for (const id of ids) world.write(dialogText(id, 100), "p", `dialog-${id}-waiting.md`);
  const cdp = await context.newCDPSession(page);
  await cdp.send("Performance.enable");
  const held = async () => {
    for (let i = 0; i < 3; i++) await cdp.send("HeapProfiler.collectGarbage");
    const { metrics } = await cdp.send("Performance.getMetrics");
    const of = (name) => metrics.find((m) => m.name === name).value;
    return { nodes: of("Nodes"), listeners: of("JSEventListeners"), heap: of("JSHeapUsedSize") / 1e6 };
  };
  const go = async (id) => {
    await page.evaluate((to) => { location.hash = to; }, `#/project/p/dialogs/${id}`);
    await page.waitForFunction((id) => document.querySelector(".list a[aria-current]")?.getAttribute("href").endsWith(id) && document.querySelectorAll(".turn").length > 5, id);
  };
  for (const id of ids) await go(id);
  await dialog(page, "much", "claude");
  await say(page, "much");
  await sees(page.getByRole("button", { name: "Finish" }));
  await until(() => page.getByRole("button", { name: "Stop" }).isHidden());
  for (const id of ids) await go(id);
  const before = await held();
  for (let i = 0; i < times; i++) await go(ids[i % 3]);
  const now = await held();
  await cdp.detach();
  return { before, now };
}
