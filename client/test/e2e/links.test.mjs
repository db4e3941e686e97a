// Where the links of an answer lead, and the way back from there.
import { test } from "node:test";
import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { dialog, gone, project, say, sees, shot, text, until, withWorld } from "./real.mjs";

const LINKS = "It stands in [the story](deed/story.md). See [the rules](doc-rules.md), [nothing](doc-nope.md) and [the map](<doc-Ünï map.md>).";
const at = (page, end) => until(() => page.url().endsWith(end), end);

async function answered({ world, page }) {
  await project(page, "p");
  world.write("# rules\n", "p", "doc-rules.md");
  world.write("The lamp was cold.\n", "p", "deed", "story.md");
  await dialog(page, "teller", "claude");
  await say(page, "tell");
  await sees(text(page).getByRole("link", { name: "the rules" }));
  return new URL(page.url()).hash;
}

test("a text of the deed is shown where what was made is shown", () => withWorld({ replies: [{ text: LINKS }] }, async ({ world, page }) => {
  const here = await answered({ world, page });
  await text(page).getByRole("link", { name: "the story" }).click();
  await at(page, "/deed/story.md");
  await sees(page.frameLocator('iframe:not(.coming)[title="story.md, as it looks"]').getByText("The lamp was cold."));
  await page.goBack();
  await at(page, here);
}, { elsewhere: /^http:\/\/127\.0\.0\.1:\d+\/[A-Z0-9]{20,}\// }));

test("a link to a doc that is not there asks whether to create it, and says so where it can't be", () => withWorld({ replies: [{ text: LINKS }] }, async ({ world, page }) => {
  const here = await answered({ world, page });
  await text(page).getByRole("link", { name: "the map" }).click();
  const map = page.getByRole("dialog", { name: "There is no doc “Ünï map” yet." });
  await sees(map.getByText("no doc can be called that"));
  await shot(page, "links-1-no-name");
  assert.equal(await map.getByRole("button", { name: "Create it" }).count(), 0);
  await map.getByRole("button", { name: "Close" }).click();
  await gone(map);
  await page.goBack();
  await at(page, here);
  await text(page).getByRole("link", { name: "nothing" }).click();
  await page.getByRole("dialog", { name: "There is no doc “nope” yet." }).locator("[aria-disabled=false]").getByRole("button", { name: "Create it" }).click();
  await at(page, "/docs/doc-nope.md");
  assert.equal(world.read("p", "doc-nope.md"), "# nope\n\n");
}));

test("the way back from a doc that is gone leads past it", () => withWorld({ replies: [{ text: LINKS }] }, async ({ world, page }) => {
  const here = await answered({ world, page });
  await text(page).getByRole("link", { name: "the rules" }).click();
  await at(page, "/docs/doc-rules.md");
  rmSync(world.path("p", "doc-rules.md"));
  await at(page, "#/project/p/docs");
  await page.goBack();
  await at(page, here);
  await page.evaluate(() => { location.hash = "#/project/p/docs/doc-rules.md"; });
  await at(page, "#/project/p/docs");
  await page.goBack();
  await at(page, here);
}, { expect: /404/ }));
