// The board: each dialog as a tile, of one project or of all.
import { test } from "node:test";
import assert from "node:assert/strict";
import { agrees, counts, gone, rests, sees, until, withWindow } from "./browser.mjs";

const at = (mock, slug, title, more = {}, project = "lighthouse") => mock.addDialog(project, slug, "claude", "claude-test", { title, ...more });
const tile = (page, name) => page.locator("li.tile").filter({ has: page.getByRole("heading", { name: new RegExp(name) }) });

test("who waits stands first, words are live, and each tile says what it used and who started it", () => withWindow(async ({ page, mock }) => {
  const root = at(mock, "root", "Please start");
  mock.rest(root, "done", "none");
  const storm = at(mock, "storm", "Write the storm", { from: root.id, tokens: { in: 5200, out: 320 }, cost: { usd: 0.0312, asOf: "2026-02-01" }, words: "the rail was cold" });
  mock.work(storm);
  const map = at(mock, "map", "Draw the map");
  mock.ask(map);
  await page.goto(`${mock.url}#/project/lighthouse/dialogs`);
  await sees(page.getByRole("link", { name: "Board" }));
  await page.keyboard.press("g");
  await sees(page.locator("h1").and(page.getByRole("heading", { name: "lighthouse", level: 1 })));
  await agrees(() => page.locator(".tile h3 a").allInnerTexts(), ["Draw the map", "Write the storm", "Please start"]);
  const facts = tile(page, "Write the storm");
  await sees(facts.getByText("the rail was cold"));
  await sees(facts.getByText("5,200 read · 320 written"));
  await sees(facts.getByText("$0.03"));
  storm.words = "and the glass sang";
  mock.tell(storm);
  await sees(facts.getByText("and the glass sang"));
  mock.ask(storm);
  await sees(page.getByText("2 need you · 1 at rest"));
  await facts.getByRole("link", { name: "Please start" }).click();
  await sees(page.locator("h1").and(page.getByRole("heading", { name: "Please start", level: 1 })));
}));

test("a tile draws the length of the last answers, and what is written moves nothing", () => withWindow(async ({ page, mock }) => {
  const d = at(mock, "storm", "Write the storm", { wrote: [10, 400, 120], tokens: { in: 900, out: 530 } });
  mock.work(d);
  at(mock, "next", "Draw the map");
  await page.goto(`${mock.url}#/project/lighthouse/board`);
  const here = tile(page, "Write the storm");
  await sees(here.getByText("has not written anything yet"));
  const spark = here.getByRole("img", { name: "Its last 3 answers by their length, the longest with 400 tokens" });
  assert.equal(await spark.locator("polyline").getAttribute("points"), "1.0,12.7 28.0,1.0 55.0,9.4");
  const heights = async () => page.locator(".tile").evaluateAll((all) => all.map((e) => e.getBoundingClientRect().height));
  const before = await heights();
  await page.evaluate(() => {
    window.shift = 0;
    new PerformanceObserver((l) => { for (const e of l.getEntries()) window.shift += e.value; }).observe({ type: "layout-shift", buffered: false });
  });
  for (const words of ["the rail", "the rail was cold and the glass sang and for the first time Ana did not count the turns"]) {
    d.words = words;
    mock.tell(d);
    await sees(here.getByText(words, { exact: true }));
    assert.deepEqual(await heights(), before);
  }
  assert.equal(await page.evaluate(() => window.shift), 0);
  await page.goto(`${mock.url}#/project/lighthouse/dialogs`);
  const row = page.getByRole("complementary", { name: "Dialogs" }).getByRole("link", { name: /Write the storm/ });
  await sees(row.getByText("the rail was cold"));
  const tall = await row.evaluate((e) => e.offsetHeight);
  d.words = "";
  mock.tell(d);
  await sees(row.getByText("has not written anything yet"));
  assert.equal(await row.evaluate((e) => e.offsetHeight), tall);
}));

test("a question is answered from its tile, by the card of the dialog and its rules", () => withWindow(async ({ page, mock }) => {
  const d = at(mock, "map", "Draw the map");
  mock.ask(d);
  await page.goto(`${mock.url}#/project/lighthouse/board`);
  const here = tile(page, "Draw the map");
  await sees(here.getByRole("link", { name: "Look at Draw the map" }));
  await counts(page.getByRole("button", { name: "Allow once" }), 0);
  await here.getByRole("button", { name: "Answer here: Draw the map" }).click();
  const panel = page.getByRole("dialog", { name: "Draw the map" });
  const card = panel.getByRole("region", { name: "Permission needed" });
  await sees(card.getByText("rm -rf deed/*", { exact: true }));
  await page.keyboard.press("a"); // the card was not put there by the hand
  await page.keyboard.press("Enter");
  assert.deepEqual(mock.puts, []);
  await rests(page);
  await card.getByRole("button", { name: "Allow once" }).click();
  await until(() => mock.puts.length === 1);
  assert.match(mock.puts[0].control, /^əəəcontrol\/v1\ncall_\d+ approve sha256:[0-9a-f]{64}\nəəə$/);
  await gone(card);
  await sees(panel.getByText("Nothing waits for an answer any more."));
  await page.keyboard.press("Escape");
  await gone(panel);
  await sees(page.getByRole("region", { name: "Your turn" }).getByRole("heading", { name: /Draw the map/ }));
}));

test("a click meant for one question decides nothing of the next that takes its place", () => withWindow(async ({ page, mock }) => {
  const d = at(mock, "map", "Draw the map");
  const first = mock.ask(d, "run_command", { command: "ls deed/*" });
  await page.goto(`${mock.url}#/project/lighthouse/board`);
  await page.getByRole("button", { name: "Answer here: Draw the map" }).click();
  const card = page.getByTestId("approval");
  await sees(card.getByText("ls deed/*", { exact: true }));
  await rests(page);
  // The click comes in the moment in which the page shows the other command.
  await page.evaluate(() => {
    new MutationObserver((_, seen) => {
      const card = document.querySelector(".approval");
      if (!card?.textContent.includes("rm deed/*")) return;
      seen.disconnect();
      requestAnimationFrame(() => requestAnimationFrame(() => document.querySelector(".approval button.allow").click()));
    }).observe(document.body, { childList: true, subtree: true, characterData: true });
  });
  // Elsewhere somebody answers; what follows comes in one piece.
  mock.append(d, "Tool Result", "tool/result/json", "{}", { id: first, meta: { Tool: "run_command", Status: "approved" } });
  d.pending = [];
  mock.ask(d, "run_command", { command: "rm deed/*" });
  const refused = page.getByText("Nothing was decided: the question had only just come, or moved.");
  await until(async () => mock.puts.length > 0 || (await refused.count()) > 0);
  assert.deepEqual(mock.puts, []);
  await sees(card.getByText("rm deed/*", { exact: true }));
}));

test("several questions, and a long one, are read and answered from the board too", () => withWindow(async ({ page, mock }) => {
  const two = at(mock, "two", "Two at once");
  mock.ask(two);
  mock.ask(two, "write_file", { path: "deed/a.txt", content: "one" });
  const long = at(mock, "long", "A long one");
  mock.ask(long, "run_command", { command: "echo ".repeat(900) });
  await page.goto(`${mock.url}#/project/lighthouse/board`);
  await page.getByRole("button", { name: "Answer here: Two at once" }).click();
  await sees(page.getByRole("heading", { name: "2 questions at once" }));
  await page.getByRole("dialog", { name: "Two at once" }).getByRole("button", { name: "Close" }).click();
  await page.getByRole("button", { name: "Answer here: A long one" }).click();
  const card = page.getByTestId("approval");
  await sees(card.getByText("Open the", { exact: false }).first());
  await counts(card.getByRole("button", { name: "Allow once", disabled: false }), 0);
}));

test("the board of all projects follows each of them", () => withWindow(async ({ page, mock }) => {
  mock.addProject("book");
  const far = at(mock, "soup", "The soup", {}, "book");
  mock.work(far);
  at(mock, "door", "Paint the door");
  await page.goto(`${mock.url}#/board`);
  await sees(tile(page, "The soup").getByRole("link", { name: "book" }));
  await sees(tile(page, "Paint the door"));
  mock.ask(far);
  await sees(page.getByRole("region", { name: "Needs you" }).getByRole("heading", { name: /The soup/ }));
  await page.getByRole("button", { name: "Answer here: The soup" }).click();
  await sees(page.getByTestId("approval").getByText("rm -rf deed/*", { exact: true }));
  mock.addProject("later");
  at(mock, "new", "A new one", {}, "later");
  await sees(tile(page, "A new one"));
}));

test("a project whose dialogs can't be read is named, and read again", () => withWindow(async ({ page, mock, context }) => {
  mock.addProject("book");
  at(mock, "soup", "The soup", {}, "book");
  at(mock, "door", "Paint the door");
  let broken = true;
  await context.route("**/project/book/dialogs", (r) => (broken ? r.fulfill({ status: 503, body: "busy" }) : r.continue()));
  await page.goto(`${mock.url}#/board`);
  await sees(tile(page, "Paint the door"));
  await sees(page.getByText(/The dialogs of book could not be read just now/));
  broken = false;
  await sees(tile(page, "The soup"));
  await gone(page.getByText(/could not be read just now/));
}, { expect: /503|Failed to load/ }));
