// What was made is seen in the window, in a frame without an origin, and stays new.
import { test } from "node:test";
import assert from "node:assert/strict";
import { draft, gone, say, sees, withWindow } from "./browser.mjs";

const made = (page) => page.getByRole("complementary", { name: "Made" });
const frame = (page, path) => page.frameLocator(`iframe:not(.coming)[title="${path}, as it looks"]`);

test("the deed's pages and texts are seen, and a change is seen without a word", () => withWindow(async ({ page, mock }) => {
  mock.make("lighthouse", "deed/index.html", "<h1>A dark lamp</h1><script>try { parent.document.title = 'stolen' } catch { document.body.append('walled') }</script>");
  mock.make("lighthouse", "deed/game/notes.txt", "plain <b>text</b>");
  await page.getByRole("link", { name: "Made" }).click();
  await sees(frame(page, "index.html").getByRole("heading", { name: "A dark lamp" }));
  await sees(frame(page, "index.html").getByText("walled"));
  mock.make("lighthouse", "deed/index.html", "<h1>A bright lamp</h1>");
  await sees(frame(page, "index.html").getByRole("heading", { name: "A bright lamp" }));
  await made(page).getByRole("link", { name: "notes.txt" }).click();
  await sees(frame(page, "game/notes.txt").getByText("plain <b>text</b>"));
  assert.match(page.url(), /#\/project\/lighthouse\/deed\/game\/notes\.txt$/);
  mock.make("lighthouse", "deed/game/notes.txt", null);
  await sees(page.getByText("This file is not there any more."));
  await gone(made(page).getByRole("link", { name: "notes.txt" }));
}, { path: "#/project/lighthouse/docs" }));

test("after a start of the server the deed is shown at its new address, and by another origin when the page is loaded again", () => withWindow(async ({ page, mock }) => {
  mock.make("lighthouse", "deed/index.html", "<h1>A dark lamp</h1>");
  await page.getByRole("link", { name: "Made" }).click();
  await sees(frame(page, "index.html").getByRole("heading", { name: "A dark lamp" }));
  const restart = async (pages) => {
    await mock.down();
    await sees(page.getByText(/Connection lost/));
    mock.word += "x";
    await mock.listen(mock.port, pages);
    await gone(page.getByText(/Connection lost/));
  };
  await restart(Number(new URL(mock.preview).port));
  mock.make("lighthouse", "deed/index.html", "<h1>A bright lamp</h1>");
  await sees(frame(page, "index.html").getByRole("heading", { name: "A bright lamp" }));
  await restart(0);
  await page.getByRole("alert").getByRole("button", { name: "Load again" }).click();
  await sees(frame(page, "index.html").getByRole("heading", { name: "A bright lamp" }));
}, { path: "#/project/lighthouse/docs", expect: /ERR_|Failed to load|frame-src|Framing/ }));

test("files that were changed by hand are seen when the human comes back", () => withWindow(async ({ page, mock }) => {
  mock.make("lighthouse", "deed/index.html", "<h1>A dark lamp</h1>");
  await page.getByRole("link", { name: "Made" }).click();
  await sees(frame(page, "index.html").getByRole("heading", { name: "A dark lamp" }));
  // The server tells of no change in the deed.
  mock.projects.get("lighthouse").made.set("deed/index.html", "<h1>A bright lamp</h1>");
  await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
  await sees(frame(page, "index.html").getByRole("heading", { name: "A bright lamp" }));
}, { path: "#/project/lighthouse/docs" }));

test("files that another program changed are seen while one looks on", () => withWindow(async ({ page, mock }) => {
  mock.make("lighthouse", "deed/index.html", "<h1>A dark lamp</h1>");
  await page.getByRole("link", { name: "Made" }).click();
  await sees(frame(page, "index.html").getByRole("heading", { name: "A dark lamp" }));
  mock.projects.get("lighthouse").made.set("deed/index.html", "<h1>A bright lamp</h1>");
  await frame(page, "index.html").getByRole("heading", { name: "A bright lamp" }).waitFor({ timeout: 8000 });
}, { path: "#/project/lighthouse/docs" }));

test("a card of a change leads to what was changed", () => withWindow(async ({ page, mock }) => {
  await draft(page, mock);
  await say(page, "do both");
  await page.getByRole("group", { name: "Write deed/a.txt?" }).getByRole("radio", { name: "Allow once" }).check();
  await page.getByRole("button", { name: "Send 1 of 2 answers", disabled: false }).click();
  await page.getByRole("region", { name: "Wrote deed/a.txt" }).getByRole("link", { name: "See it" }).click();
  await sees(frame(page, "a.txt").getByText("two"));
  await sees(page.getByRole("heading", { name: "a.txt", level: 1 }));
}));

test("an empty deed says what will stand there; on a phone the list comes first", () => withWindow(async ({ page, mock }) => {
  await page.goto(`${mock.url}#/project/lighthouse/deed`);
  await sees(made(page).getByText("Nothing is made here yet."));
  mock.make("lighthouse", "deed/index.html", "<h1>Here</h1>");
  await made(page).getByRole("link", { name: "index.html" }).click();
  await sees(frame(page, "index.html").getByRole("heading", { name: "Here" }));
  assert.equal(await made(page).isVisible(), false);
  await page.getByRole("link", { name: "Made" }).last().click();
  await sees(made(page));
}, { width: 390 }));

test("a page that takes the keyboard by itself is shown no more, and none is there while the palette is open", () => withWindow(async ({ page, mock }) => {
  mock.make("lighthouse", "deed/index.html", "<h1>Here</h1>");
  mock.make("lighthouse", "deed/takes.html", "<input id=i><script>setInterval(() => { window.focus(); document.getElementById('i').focus() }, 50)</script>");
  await page.goto(`${mock.url}#/project/lighthouse/deed/index.html`);
  await sees(frame(page, "index.html").getByRole("heading", { name: "Here" }));
  await page.keyboard.press("Control+k");
  const find = page.getByRole("combobox", { name: "Find or do" });
  await find.fill("words");
  assert.equal(await page.locator("iframe").count(), 0);
  await page.keyboard.press("Escape");
  await sees(frame(page, "index.html").getByRole("heading", { name: "Here" }));
  await page.mouse.move(5, 400);
  await page.goto(`${mock.url}#/project/lighthouse/deed/takes.html`);
  await sees(page.getByText("This page takes the keyboard"));
  assert.equal(await page.locator("iframe").count(), 0);
  await page.keyboard.press("Control+k");
  await page.keyboard.type("mine");
  assert.equal(await find.inputValue(), "mine");
  await page.keyboard.press("Escape");
  // Another file is shown, and this one where it is asked for.
  await made(page).getByRole("link", { name: "index.html" }).click();
  await sees(frame(page, "index.html").getByRole("heading", { name: "Here" }));
}));

test("a page that goes elsewhere by itself says nothing of the server", () => withWindow(async ({ page, mock }) => {
  mock.make("lighthouse", "deed/goes.html", "<script>location.href = 'http://127.0.0.1:1/'</script>");
  mock.make("lighthouse", "deed/index.html", "<h1>Here</h1>");
  const refused = page.waitForEvent("console", (m) => /frame-src/.test(m.text()));
  await page.goto(`${mock.url}#/project/lighthouse/deed/goes.html`);
  await refused;
  await made(page).getByRole("link", { name: "index.html" }).click();
  await sees(frame(page, "index.html").getByRole("heading", { name: "Here" }));
  assert.equal(await page.getByText("The server was started anew").count(), 0);
}, { expect: /frame-src|ERR_BLOCKED/ }));
