// How the list, the board, the projects and the palette read for everyone: axe in three
// widths, light and dark, nothing moderate either.
import { test } from "node:test";
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { sees, withWindow } from "./browser.mjs";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

async function check(page, what) {
  const session = await page.context().newCDPSession(page);
  await session.send("Runtime.evaluate", { expression: axe });
  const found = await page.evaluate(async () => (await window.axe.run(document, { resultTypes: ["violations"] })).violations
    .filter((v) => v.impact !== "minor")
    .map((v) => `${v.id}: ${v.nodes.map((n) => n.target.join(" ") + " " + (n.any[0]?.message ?? "")).join("; ")}`));
  assert.deepEqual(found, [], what);
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true, `${what} is wider than the window`);
}

for (const width of [1440, 1024, 390]) {
  for (const dark of [false, true]) {
    test(`nothing moderate or worse by axe: ${width} px, ${dark ? "dark" : "light"}`, () => withWindow(async ({ page, mock }) => {
      const at = (slug, title, more = {}) => mock.addDialog("lighthouse", slug, "claude", "claude-test", { title, ...more });
      const root = at("root", "Please start with the lighthouse game", { words: "I launched two dialogs." });
      mock.rest(root, "done", "none");
      const map = at("map", "Draw the map", { from: root.id, tokens: { in: 5200, out: 320 }, cost: { usd: 0.03, asOf: "2026-02-01" } });
      mock.ask(map);
      mock.work(at("sea", "Draw the sea", { from: map.id, words: "the rail was cold" }));
      at("bridge", "גשר על המים", { words: "מה הצבע?" });
      await page.reload();
      await sees(page.getByRole("link", { name: "1 needs you", exact: true }).first());
      await page.getByRole("button", { name: "Menu of project lighthouse" }).click();
      await check(page, "projects");
      await page.keyboard.press("Escape");
      await page.getByRole("button", { name: "Restore from a copy" }).click();
      await check(page, "restore");
      await page.goto(`${mock.url}#/project/lighthouse/dialogs`);
      const side = page.getByRole("complementary", { name: "Dialogs" });
      await sees(side.getByRole("link", { name: /Draw the sea/ }));
      await side.getByRole("button", { name: "Menu of Draw the map" }).click();
      await check(page, "list");
      await page.keyboard.press("Escape");
      await page.goto(`${mock.url}#/project/lighthouse/dialogs/${map.id}`);
      await page.getByRole("button", { name: "Rename" }).click();
      await check(page, "a dialog that is renamed");
      await page.keyboard.press("Escape");
      await page.goto(`${mock.url}#/project/lighthouse/dialogs/new`);
      await sees(page.getByLabel("Provider", { exact: true }));
      await check(page, "new dialog");
      await page.goto(`${mock.url}#/project/lighthouse/board`);
      await page.getByRole("button", { name: "Answer here: Draw the map" }).click();
      await sees(page.getByRole("button", { name: "Allow once" }));
      await check(page, "board");
      mock.make("lighthouse", "deed/index.html", "<!doctype html><title>Light</title><h1>Light</h1>");
      await page.goto(`${mock.url}#/project/lighthouse/deed/index.html`);
      await sees(page.frameLocator("iframe:not(.coming)").getByRole("heading", { name: "Light" }));
      await check(page, "made");
      await page.keyboard.press("Control+k");
      await page.getByRole("combobox", { name: "Find or do" }).fill("d");
      await check(page, "palette");
    }, { width, height: width === 390 ? 844 : 900, dark }));
  }
}
