// The pictures of pages that an agent looked at.
import { test } from "node:test";
import assert from "node:assert/strict";
import { agrees, counts, draft, gone, sees, withWindow } from "./browser.mjs";

const NAME = "0123456789abcdef.png", OTHER = "fedcba9876543210.png";
const text = (page) => page.getByRole("region", { name: "Dialog text" });
const shot = (page) => text(page).getByRole("button", { name: "Picture of The lamp (http://127.0.0.1:8000/)" });
const taken = async (page) => {
  const before = page.viewportSize();
  await page.setViewportSize({ width: 1280, height: 900 });
  const picture = await page.screenshot();
  await page.setViewportSize(before);
  return picture;
};
const width = (img) => img.evaluate((e) => (e.complete ? e.naturalWidth : 0));

test("a question about a page stands above its picture, which a click shows in its own size", () => withWindow(async ({ page, mock }) => {
  mock.look(await draft(page, mock), NAME, await taken(page));
  for (const again of [false, true]) {
    if (again) await page.reload();
    await sees(shot(page));
    await agrees(() => width(shot(page).locator("img")), 1280);
    const [asked, seen, column] = [await text(page).getByText("Is the menu readable on a phone?").boundingBox(), await shot(page).boundingBox(), await text(page).locator(".tool").boundingBox()];
    assert.ok(asked.y + asked.height <= seen.y, "the question is above");
    assert.ok(seen.x >= column.x && seen.x + seen.width <= column.x + column.width && seen.width > column.width * 0.9, "it fills the column and no more");
  }
  await shot(page).click();
  const large = page.getByRole("dialog", { name: "The page as the browser saw it" });
  await agrees(async () => Math.round((await large.getByRole("img").boundingBox()).width), 1280);
  await page.keyboard.press("Escape");
  await gone(large);
  assert.deepEqual(mock.shown, [NAME, NAME]);
}, { width: 1400 }));

test("a picture has its room before it comes, so that nothing moves then", () => withWindow(async ({ page, mock }) => {
  const d = await draft(page, mock);
  let come;
  const held = new Promise((ok) => { come = ok; });
  await page.route("**/screenshot/*", (r) => held.then(() => r.continue()));
  mock.look(d, NAME, await taken(page));
  mock.append(d, "Assistant", "output/markdown", "Look, please.", { meta: { Stop: "end" } });
  const last = text(page).getByText("Look, please.");
  await sees(last);
  await sees(text(page).getByText("Loading the picture…"));
  const card = () => text(page).locator(".tool").evaluate((e) => Math.round(e.getBoundingClientRect().height));
  const before = await card();
  come();
  await agrees(() => width(shot(page).locator("img")), 1280);
  assert.ok(Math.abs((await card()) - before) <= 3, `${before} and ${await card()} px high`);
  await counts(page.getByRole("button", { name: "To the end" }), 0);
}));

test("the picture behind a console is read once its call is opened", () => withWindow(async ({ page, mock }) => {
  const d = await draft(page, mock);
  mock.look(d, NAME, await page.screenshot(), { tool: "browser_console", success: false, error: "the page threw 1 errors that nothing caught. Read messages for the cause." });
  mock.look(d, OTHER, await page.screenshot());
  await sees(shot(page));
  assert.deepEqual(mock.shown, [OTHER]);
  await text(page).getByRole("button", { name: /look(ed)? at/i }).click();
  await counts(shot(page), 2);
  assert.deepEqual(mock.shown, [OTHER, NAME]);
}));

test("where a picture is gone, a sentence says so; where it did not come, it can be read again", () => withWindow(async ({ page, mock }) => {
  const d = await draft(page, mock);
  mock.look(d, NAME);
  await sees(text(page).getByText("The picture is no longer kept."));
  await sees(text(page).getByText("Is the menu readable on a phone?"));
  await counts(text(page).getByRole("img"), 0);
  await page.route("**/screenshot/*", (r) => r.abort());
  mock.look(d, OTHER, await page.screenshot());
  await sees(text(page).getByText("The server does not answer."));
  await page.unroute("**/screenshot/*");
  await text(page).getByRole("button", { name: "Try again" }).click();
  await sees(shot(page));
}, { expect: /404|ERR_FAILED/ }));

test("a phone scrolls the whole picture, and nothing stands out sideways", () => withWindow(async ({ page, mock }) => {
  mock.look(await draft(page, mock), NAME, await taken(page), { title: "A title of " + "many".repeat(60) });
  const picture = text(page).getByRole("button", { name: /^Picture of A title/ });
  await sees(picture);
  await picture.click();
  const whole = page.getByRole("region", { name: "The whole picture" });
  await agrees(() => whole.evaluate((e) => e.scrollWidth), 1280);
  await whole.evaluate((e) => e.scrollBy(900, 0));
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true);
  await page.getByRole("button", { name: "Close", disabled: false }).click();
  await gone(page.getByRole("dialog"));
}, { width: 390, height: 844, dark: true }));
