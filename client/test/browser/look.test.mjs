// How it looks and reads for everyone: axe on each view, narrow and dark too.
import { test } from "node:test";
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { draft, say, sees, withWindow } from "./browser.mjs";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** check holds the page against axe's rules: nothing serious, nothing critical. */
async function check(page, what) {
  // The policy of the page lets no script in; the debugger's line may.
  const session = await page.context().newCDPSession(page);
  await session.send("Runtime.evaluate", { expression: axe });
  const found = await page.evaluate(async () => (await window.axe.run(document, { resultTypes: ["violations"] })).violations
    .filter((v) => v.impact === "serious" || v.impact === "critical")
    .map((v) => `${v.id}: ${v.nodes.map((n) => n.target.join(" ") + " " + (n.any[0]?.message ?? "")).join("; ")}`));
  assert.deepEqual(found, [], what);
}

for (const [name, options] of [["light", {}], ["dark", { dark: true }], ["390 wide", { width: 390, height: 844 }]]) {
  test(`no serious finding of axe: ${name}`, () => withWindow(async ({ page, mock }) => {
    await sees(page.getByRole("heading", { name: "Projects" }));
    await check(page, "projects");
    await page.goto(mock.url + "#/project/lighthouse/dialogs");
    await sees(page.getByText("Nothing here yet."));
    await check(page, "empty");
    await page.goto(mock.url + "#/project/lighthouse/dialogs/new");
    await sees(page.getByLabel("Provider", { exact: true }));
    await check(page, "new dialog");
    await page.goto(mock.url + "#/project/lighthouse/docs/doc-main.md");
    await sees(page.getByRole("textbox", { name: "Text of main" }));
    await check(page, "doc");
    await draft(page, mock);
    await say(page, "a console.log please");
    await sees(page.getByRole("button", { name: "Allow once", disabled: false }));
    await check(page, "question");
    await page.getByRole("button", { name: "Allow once" }).click();
    await sees(page.getByText("Done: the result above says so."));
    await check(page, "dialog");
    await say(page, "do both");
    await sees(page.getByRole("heading", { name: "2 questions at once" }));
    await check(page, "questions");
    await say(page, "and on");
    await sees(page.getByRole("list", { name: "Next messages" }));
    await check(page, "a message that waits");
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true, "nothing stands out sideways");
  }, options));
}

test("a phone shows the list, then the dialog, and goes back", () => withWindow(async ({ page, mock }) => {
  const d = mock.addDialog("lighthouse", "please-start");
  await page.goto(mock.url + "#/project/lighthouse/dialogs");
  const row = page.getByRole("complementary", { name: "Dialogs" }).getByRole("link", { name: /please-start/ });
  await row.click();
  await say(page, "Please read vibey.md");
  assert.equal(await row.isVisible(), false);
  const allow = page.getByRole("button", { name: "Allow once" });
  await sees(allow);
  const at = await allow.boundingBox();
  assert.ok(at.y > 844 / 2 && at.y + at.height <= 844, "the answers stand in the lower half, in reach");
  await allow.click();
  await sees(page.getByText("Done: the result above says so."));
  await page.getByRole("link", { name: "Dialogs" }).last().click();
  await sees(row);
  assert.equal(d.pending.length, 0);
}, { width: 390, height: 844 }));

test("all of it can be reached by keys alone", () => withWindow(async ({ page, mock }) => {
  await page.goto(mock.url + "#/project/lighthouse/dialogs");
  await sees(page.getByText("Nothing here yet."));
  await page.keyboard.press("n");
  await sees(page.locator("input:focus"));
  await page.keyboard.type("by keys");
  await sees(page.getByRole("button", { name: "Create dialog", disabled: false }));
  await page.keyboard.press("Enter");
  await sees(page.getByRole("heading", { name: "by-keys", level: 1 }));
  await page.getByRole("textbox", { name: "Message" }).focus();
  await page.keyboard.type("Please read vibey.md");
  await page.keyboard.press("Control+Enter");
  await sees(page.getByRole("button", { name: "Allow once", disabled: false }));
  await sees(page.getByText("Ctrl J to the question"));
  await page.keyboard.press("Control+j");
  await page.clock.fastForward(1100);
  await page.keyboard.press("a");
  await sees(page.getByText("Done: the result above says so."));
  await page.keyboard.type("and on");
  assert.equal(await page.getByRole("textbox", { name: "Message" }).inputValue(), "and on");
}, { clock: true }));
