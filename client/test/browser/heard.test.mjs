// What a screen reader is told: all words that come into a live region which stands before them.
import { test } from "node:test";
import assert from "node:assert/strict";
import { agrees, gone, hasFocus, sees, until, withWindow } from "./browser.mjs";

const MAIN = "#/project/lighthouse/docs/doc-main.md";
const LOST = "Nothing is heard of the server: what you see grows old.";
const file = (mock) => mock.projects.get("lighthouse").files.get("doc-main.md").content;

// Collects what comes from now on into the regions that are there now, and returns what reads it.
async function listen(page) {
  await page.evaluate(() => {
    window.told = [];
    const hear = (all) => all.forEach((m) => m.addedNodes.forEach((n) => window.told.push(n.textContent)));
    for (const region of document.querySelectorAll("[aria-live], [role=status], [role=alert]")) new MutationObserver(hear).observe(region, { childList: true, subtree: true });
  });
  return () => page.evaluate(() => window.told.map((words) => words.replace(/ShowUndo$/, "")));
}

test("the same news of a dialog is told each time, also that of a turn that no list saw", () => withWindow(async ({ page, mock }) => {
  const d = mock.addDialog("lighthouse", "paint");
  await page.goto(`${mock.url}#/project/lighthouse/dialogs`);
  await sees(page.getByRole("complementary", { name: "Dialogs" }).getByRole("link", { name: /paint/ }));
  const told = await listen(page);
  // A turn that begins and ends within one change of the list.
  for (let i = 1; i <= 3; i++) {
    d.tokens = { in: 10 * i, out: i };
    mock.rest(d, "waiting", "reply");
    await agrees(told, Array(i).fill("Your turn in paint"));
  }
  for (let i = 1; i <= 2; i++) {
    d.pending = [];
    d.tokens = { in: 100, out: 10 + i };
    mock.ask(d);
    await agrees(async () => (await told()).slice(3), Array(i).fill("paint needs you"));
  }
  // Another name is no news.
  d.title = "Paint the door";
  mock.rest(d, "waiting", "approval");
  await sees(page.getByRole("complementary", { name: "Dialogs" }).getByRole("link", { name: /Paint the door/ }));
  assert.equal((await told()).length, 5);
}));

test("each change of another program in the doc in view is told, and so is a conflict, and a save in it", () => withWindow(async ({ page, mock }) => {
  await sees(page.getByRole("textbox", { name: "Text of lighthouse" }));
  const told = await listen(page);
  // Each tells of all since the line came up, also where that is the same in words.
  const before = file(mock), all = [];
  for (const [text, words] of [["\nLine 1.\n", "added 2 lines"], ["\nLine 2.\n", "added 2 lines"], ["\nLine 2.\n\nLine 3.\n", "added 4 lines"]]) {
    mock.writeFile("lighthouse", "doc-main.md", before + text);
    all.push(`Another program ${words}`);
    await agrees(told, all);
  }
  await page.locator(".cm-line", { hasText: "Line 2." }).click();
  await page.keyboard.press("Home");
  await page.keyboard.press("Shift+End");
  await page.keyboard.insertText("Mine.");
  await sees(page.getByText("Not saved", { exact: true }));
  mock.writeFile("lighthouse", "doc-main.md", file(mock).replace("Line 2.", "Theirs."));
  await sees(page.getByRole("button", { name: "Keep mine" }));
  await agrees(async () => /changed the same lines/.test((await told())[3]), true);
  for (let i = 1; i <= 2; i++) {
    await page.keyboard.press("Control+s");
    await agrees(async () => (await told()).slice(4), Array(i).fill("Not saved yet. Choose first: Keep mine, Take theirs or Keep both."));
  }
  // Who answers by keys is in the text again.
  await page.getByRole("button", { name: "Keep mine" }).focus();
  await sees(page.locator(".bar .acts[aria-disabled=false]"));
  await page.keyboard.press("Enter");
  await hasFocus(page.getByRole("textbox", { name: "Text of lighthouse" }));
}, { path: MAIN }));

test("a server that is silent is told once, and that it is back", () => withWindow(async ({ page, mock }) => {
  await sees(page.getByRole("textbox", { name: "Text of lighthouse" }));
  const told = await listen(page);
  await until(() => mock.lives.size === 1);
  mock.stalls = true;
  await sees(page.getByText(/What you see is [5-9] s old/));
  assert.deepEqual(await told(), [LOST]);
  mock.stalls = false;
  await gone(page.getByText(/What you see is/));
  await agrees(told, [LOST, "The server is heard again."]);
  assert.equal(await page.locator(".bar").count(), 0);
}, { path: MAIN }));

test("what comes at once is told as one, and what a dialog covers is not told again", () => withWindow(async ({ page, mock }) => {
  const d = mock.addDialog("lighthouse", "paint");
  await page.goto(`${mock.url}#/project/lighthouse/dialogs`);
  await sees(page.getByRole("complementary", { name: "Dialogs" }).getByRole("link", { name: /paint/ }));
  const told = await listen(page);
  for (let i = 1; i <= 3; i++) {
    d.tokens = { in: 10 * i, out: i };
    mock.rest(d, "waiting", "reply");
    await until(async () => (await page.getByTestId("heard").locator("p").count()) > 0);
    await new Promise((ok) => setTimeout(ok, 150)); // the list tells each change
  }
  await agrees(async () => (await told()).join(" "), "Your turn in paint Your turn in paint. Your turn in paint.");
  await page.keyboard.press("Control+k");
  await sees(page.getByRole("combobox", { name: "Find or do" }));
  await agrees(() => page.getByTestId("heard").locator("p").count(), 0);
}));

test("a question that is opened takes the focus once its effect is there, and no menu of choices is on before", () => withWindow(async ({ page, mock }) => {
  const d = mock.addDialog("lighthouse", "paint");
  mock.ask(d, "edit_file", { path: "doc-main.md", old_string: "light", new_string: "lamp" }, { target: mock.target("lighthouse", "doc-main.md") });
  await page.addInitScript(() => {
    window.seen = [];
    addEventListener("focusin", (e) => { if (e.target.matches(".approval")) window.seen.push(e.target.getAttribute("aria-describedby").split(" ").map((id) => document.getElementById(id)?.textContent ?? "").join(" ").trim(), document.querySelector(".composer select")?.disabled); });
    new MutationObserver((all) => all.forEach((m) => m.addedNodes.forEach((n) => n.querySelectorAll?.(".composer select").forEach((s) => { if (!s.disabled) window.seen.push("on"); })))).observe(document, { childList: true, subtree: true });
  });
  await page.goto(`${mock.url}#/project/lighthouse/dialogs/${d.id}`);
  await page.reload();
  await until(async () => (await page.evaluate(() => window.seen.length)) > 0);
  const [effect] = await page.evaluate(() => window.seen);
  assert.match(effect, /\S/);
  assert.equal((await page.evaluate(() => window.seen)).includes("on"), false);
}));
