// An answer of mixed markdown as it is written, by the real server, before the eyes of readers.
import { test } from "node:test";
import assert from "node:assert/strict";
import { dialog, gone, project, say, sees, text, until, withWorld } from "./real.mjs";
import { answerText } from "../measure/written.mjs";

const answer = answerText(3);
const slowly = { replies: [{ text: answerText(6) }, { text: answer, chunk: 12, delay_ms: 8 }, { text: "I went on." }] };
const stop = (page) => page.getByRole("button", { name: "Stop" });
const log = (page) => page.locator(".log");

// Watches each frame in the page: how high the text is, and where the reader's line stands.
const watch = (page) => page.evaluate(() => {
  const seen = (window.seen = { heights: [], line: [], ends: [] });
  const line = [...document.querySelectorAll(".log h2")].find((e) => e.textContent === "Night 3");
  const column = document.querySelector(".log > .column"), log = document.querySelector(".log");
  const look = () => {
    seen.heights.push(column.offsetHeight);
    seen.line.push(Math.round(line.getBoundingClientRect().top));
    seen.ends.push(Math.round(log.scrollHeight - log.clientHeight - log.scrollTop));
    requestAnimationFrame(look);
  };
  look();
});
const seen = (page) => page.evaluate(() => window.seen);

const drops = (all) => all.flatMap((h, i) => (i > 0 && h < all[i - 1] ? [`${all[i - 1]} to ${h}`] : []));

test("while an answer is written, the reader above stays, and the one at the end follows", () => withWorld(slowly, async ({ page, open }) => {
  await project(page, "p");
  await dialog(page, "much", "claude");
  await say(page, "first");
  await sees(text(page).getByRole("heading", { name: "Night 6" }));
  await gone(stop(page));
  const other = await open(page.url());
  await sees(text(other).getByRole("heading", { name: "Night 6" }));
  await say(page, "second");
  await sees(text(page).getByRole("article", { name: /writing$/ }).locator("h2"));
  await sees(text(other).getByRole("article", { name: /writing$/ }).locator("h2"));
  // A scroll that falls between a piece of the text and the frame that shows it is overtaken: a reader scrolls on.
  await until(() => text(other).getByRole("heading", { name: "Night 3" }).first().evaluate((e) => new Promise((ok) => {
    e.scrollIntoView();
    requestAnimationFrame(() => requestAnimationFrame(() => ok(Math.abs(e.getBoundingClientRect().top - e.closest(".log").getBoundingClientRect().top) < 100)));
  })), "the reader stands above");
  for (const p of [page, other]) await watch(p);
  for (const p of [page, other]) await gone(stop(p));
  await sees(text(page).getByRole("article").last().getByRole("heading", { name: "Night 3" }));
  for (const p of [page, other]) assert.deepEqual(drops((await seen(p)).heights), [], "its height shrank");
  const { line } = await seen(other);
  assert.deepEqual([...new Set(line)], [line[0]], "what is read moved");
  assert.ok((await seen(page)).ends.every((e) => e <= 1), "the end went out of view");
}));

test("a selection in the text that is written survives", () => withWorld(slowly, async ({ page }) => {
  await project(page, "p");
  await dialog(page, "much", "claude");
  await say(page, "first");
  await gone(stop(page));
  await say(page, "second");
  const tail = page.locator(".open-text");
  await sees(tail.locator("p").first());
  // The beginning of the block that is still open, once it has words.
  const words = await until(() => tail.evaluate((e) => {
    const last = document.createTreeWalker(e.lastElementChild, NodeFilter.SHOW_TEXT).nextNode();
    if (!last) return "";
    getSelection().setBaseAndExtent(last, 0, last, Math.min(3, last.length));
    const chosen = getSelection().toString();
    return chosen.trim() && chosen;
  }));
  const before = await tail.evaluate((e) => e.textContent.length);
  await until(() => tail.evaluate((e, n) => e.textContent.length > n + 60, before));
  assert.equal(await page.evaluate(() => getSelection().toString()), words);
  await stop(page).click();
  await gone(stop(page));
}));

test("Stop can be clicked while the view follows what is written", () => withWorld(slowly, async ({ page }) => {
  await project(page, "p");
  await dialog(page, "much", "claude");
  await say(page, "first");
  await gone(stop(page));
  await say(page, "second");
  await sees(page.locator(".open-text h2").nth(1));
  const place = await log(page).evaluate((e) => e.scrollTop);
  await until(() => log(page).evaluate((e, n) => e.scrollTop > n, place), "the view follows");
  await stop(page).click();
  await sees(page.getByRole("button", { name: "Continue" }));
  assert.equal(await page.getByText("Not done yet").count(), 0);
}));
