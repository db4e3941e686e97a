// The log of a dialog as a place to read.
import { test } from "node:test";
import assert from "node:assert/strict";
import { accessible, WIDE } from "./axe.mjs";
import { agrees, counts, draft, gone, say, sees, until, withWindow } from "./browser.mjs";

const text = (page) => page.getByRole("region", { name: "Dialog text" });
const open = async (page, mock, d) => {
  await page.goto(`${mock.url}#/project/lighthouse/dialogs/${d.id}`);
  await sees(page.getByRole("heading", { name: "read-me", level: 1 }));
};
const looked = (mock, d, n) => {
  for (let i = 0; i < n; i++) {
    mock.append(d, "Tool Request", "tool/input/json", JSON.stringify({ path: `deed/page-${i}.html` }), { id: `r${i}`, meta: { Tool: "read_file" } });
    mock.append(d, "Tool Result", "tool/result/json", `{"success":true,"path":"deed/page-${i}.html"}`, { id: `r${i}`, meta: { Tool: "read_file", Status: "approved" } });
  }
};
const LONG = Array.from({ length: 30 }, (_, i) => `Line ${i} of a long answer.`).join("\n\n");

test("runs of reads are one line, which opens to each of them", () => withWindow(async ({ page, mock }) => {
  const d = mock.addDialog("lighthouse", "read-me");
  looked(mock, d, 7);
  await open(page, mock, d);
  await sees(page.getByText("Read 7 files"));
  await counts(page.getByRole("region", { name: /^Read deed/ }), 0);
  await page.getByText("Read 7 files").click();
  await counts(page.getByRole("region", { name: /^Read deed/ }), 7);
}));

test("J and K, and two buttons, go from message to message", () => withWindow(async ({ page, mock }) => {
  const d = mock.addDialog("lighthouse", "read-me");
  for (let i = 0; i < 4; i++) {
    mock.append(d, "User", "input/markdown", `question ${i}`);
    mock.append(d, "Assistant", "output/markdown", LONG);
  }
  await open(page, mock, d);
  await sees(text(page).getByText("question 3"));
  await until(() => text(page).evaluate((e) => e.scrollHeight - e.scrollTop - e.clientHeight < 2), "at its end");
  // Which message stands at the top of the view.
  const top = () => text(page).evaluate((e) => {
    const all = [...e.querySelectorAll(".turn")];
    return all.findIndex((t) => Math.abs(t.getBoundingClientRect().top - e.getBoundingClientRect().top - 8) < 3);
  });
  await page.getByRole("button", { name: "Previous message (K)" }).click();
  await agrees(top, 7);
  await page.getByRole("button", { name: "Previous message (K)" }).click();
  await agrees(top, 6);
  await page.getByRole("button", { name: "Previous message (K)" }).click();
  await agrees(top, 5);
  await page.getByRole("button", { name: "Next message (J)" }).click();
  await agrees(top, 6);
  await page.keyboard.press("j");
  await agrees(top, 7);
}));

test("links lead on, and what is hidden in a text is drawn", () => withWindow(async ({ page, mock }) => {
  const d = mock.addDialog("lighthouse", "read-me");
  mock.append(d, "Assistant", "output/markdown", "links", { html: `<p>See <a href="dialog-${d.id}-waiting.md">this dialog</a>, <a href="doc-main.md">main</a> and <a href="1">[1]</a>; pay\u200bpal</p><p>שלום</p>` });
  await open(page, mock, d);
  assert.equal(await text(page).getByRole("link", { name: "this dialog" }).getAttribute("href"), `#/project/lighthouse/dialogs/${d.id}`);
  assert.equal(await text(page).getByRole("link", { name: "main" }).getAttribute("href"), "#/project/lighthouse/docs/doc-main.md");
  assert.equal(await text(page).locator("a", { hasText: "[1]" }).count(), 0);
  await sees(text(page).getByRole("img", { name: "hidden character zero-width space U+200B" }));
  assert.equal(await text(page).getByText("שלום").evaluate((e) => getComputedStyle(e).direction), "rtl");
}));

const PNG = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", "base64");

test("a picture in a text that is written is read once, another in its place too, and no bytes stay behind", () => withWindow(async ({ page, mock, context }) => {
  await context.addInitScript(() => {
    window.urls = 0;
    const { createObjectURL, revokeObjectURL } = URL;
    URL.createObjectURL = (b) => (window.urls++, createObjectURL.call(URL, b));
    URL.revokeObjectURL = (u) => (window.urls--, revokeObjectURL.call(URL, u));
  });
  const asked = [];
  await context.route("**/project/lighthouse/deed/*.png", (r) => {
    asked.push(new URL(r.request().url()).pathname.split("/").at(-1));
    return r.fulfill({ body: PNG, contentType: "image/png" });
  });
  const d = mock.addDialog("lighthouse", "read-me");
  mock.append(d, "User", "input/markdown", "draw");
  mock.work(d);
  await page.reload();
  await open(page, mock, d);
  const html = (name, words) => `<p><img src="deed/${name}.png" alt="lamp"> ${words}</p>`;
  const write = async (name, words) => {
    mock.emit(d, { type: "open", from: 0, blocks: [], tail: html(name, words) });
    await sees(text(page).getByText(words, { exact: true }));
  };
  const img = text(page).getByRole("img", { name: "lamp" });
  const drawn = () => agrees(() => img.evaluate((e) => e.naturalWidth), 1);
  await write("lamp", "It burns");
  await drawn();
  for (let i = 0; i < 12; i++) await write("lamp", `It burns ${i}`);
  assert.deepEqual(asked, ["lamp.png"]);
  await write("tower", "Another one");
  await drawn();
  assert.deepEqual(asked, ["lamp.png", "tower.png"]);
  mock.append(d, "Assistant", "output/markdown", "Another one", { html: html("tower", "Another one, whole") });
  mock.rest(d, "waiting", "reply");
  await sees(text(page).getByText("Another one, whole"));
  await drawn();
  assert.deepEqual(asked, ["lamp.png", "tower.png"]);
  await agrees(() => page.evaluate(() => window.urls), 0);
}));

test("what a summary stands for fetches no pictures before it is opened", () => withWindow(async ({ page, mock }) => {
  const d = mock.addDialog("lighthouse", "read-me");
  mock.append(d, "User", "input/markdown", "draw", { id: "u1" });
  mock.append(d, "Assistant", "output/markdown", "drawn", { id: "a1", html: `<p>drawn <img src="deed/lamp.png" alt="lamp"></p>` });
  mock.append(d, "Summary", "summary/markdown", "A lamp was drawn.", { id: "s1" });
  d.governor = { intent: "small_fix", budget: { used: 1, limit: 10 }, ledger: { read: [], modified: [] }, covers: [{ from: "u1", to: "a1", by: "s1" }] };
  const asked = [];
  page.on("request", (r) => { if (r.url().includes("/deed/")) asked.push(r.url()); });
  await open(page, mock, d);
  await sees(page.getByText("Turn 1 as it was"));
  assert.deepEqual(asked, []);
  await page.getByText("Turn 1 as it was").click();
  await until(() => asked.length === 1, "it is fetched when it is opened");
}, { expect: /404/ }));

test("printed, it is the whole dialog and nothing else", () => withWindow(async ({ page, mock }) => {
  const d = mock.addDialog("lighthouse", "read-me");
  for (let i = 0; i < 300; i++) mock.append(d, "User", "input/markdown", `question ${i}`);
  await open(page, mock, d);
  await sees(text(page).getByText("question 299"));
  await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
  await page.emulateMedia({ media: "print" });
  await gone(page.locator(".items.plain"));
  const sizes = await page.evaluate(() => ({ page: document.documentElement.scrollHeight, log: document.querySelector(".log > .column").offsetHeight }));
  assert.ok(sizes.page >= sizes.log && sizes.log > 10_000, JSON.stringify(sizes));
  for (const part of [".topbar", ".side", ".composer", ".jump"]) assert.equal(await page.locator(part).isVisible(), false, part);
}));

test("at 400 % the log has room", () => withWindow(async ({ page, mock }) => {
  const d = mock.addDialog("lighthouse", "read-me");
  mock.append(d, "Assistant", "output/markdown", LONG);
  await open(page, mock, d);
  assert.ok((await text(page).evaluate((e) => e.clientHeight)) > 150);
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true, "it stands out sideways");
}, { width: 320, height: 215 }));

test("no finding of axe in a long answer", () => withWindow(async ({ page, mock }) => {
  const d = mock.addDialog("lighthouse", "read-me");
  mock.append(d, "User", "input/markdown", "question");
  mock.append(d, "Assistant", "output/markdown", LONG, { html: `<p>pay\u200bpal <a href="doc-main.md">main</a></p><pre><code class="language-js">const a = 1; // one\n</code></pre><table><thead><tr><th>a</th></tr></thead><tbody><tr><td>b</td></tr></tbody></table>` });
  looked(mock, d, 3);
  await open(page, mock, d);
  await page.getByText("Read 3 files").click();
  await accessible(page, "a long answer");
}, WIDE));

test("a dialog and a doc are kept as pages of their own", () => withWindow(async ({ page, mock }) => {
  const d = mock.addDialog("lighthouse", "read-me");
  mock.append(d, "Assistant", "output/markdown", "Words.");
  mock.rest(d, "waiting", "reply");
  await open(page, mock, d);
  await page.getByRole("button", { name: "More", disabled: false }).click();
  let [file] = await Promise.all([page.waitForEvent("download"), page.getByRole("menuitem", { name: "Save as a page" }).click()]);
  assert.equal(file.suggestedFilename(), `${d.id}.html`);
  await page.goto(`${mock.url}#/project/lighthouse/docs/doc-main.md`);
  [file] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Save as a page" }).click()]);
  assert.equal(file.suggestedFilename(), "doc-main.md.html");
  await page.getByRole("textbox", { name: /^Text of / }).click();
  await page.keyboard.insertText("More.");
  await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Save as a page" }).click()]);
  await sees(page.getByText("The page has what is saved. What you changed since is not in it."));
}));

/** watches notes in each frame where an article stands that has these words. */
const watches = (page, words) => page.evaluate((words) => {
  const el = [...document.querySelectorAll(".log article")].find((e) => e.textContent.includes(words));
  globalThis.tops = [];
  const look = () => {
    tops.push(el.isConnected ? el.getBoundingClientRect().top : Infinity);
    requestAnimationFrame(look);
  };
  look();
}, words);
/** jumped returns how far it moved since, in px, two frames from now. */
const jumped = (page) => page.evaluate(async () => {
  for (let n = 0; n < 2; n++) await new Promise((ok) => requestAnimationFrame(ok));
  return Math.max(...tops) - Math.min(...tops);
});

for (const [name, size] of [["wide", {}], ["820 wide", { width: 820 }], ["390 wide", { width: 390, height: 800 }]]) {
  for (const answer of ["Allow once", "Don’t"]) {
    test(`what is read stays where it stands when a question is answered, and at the end of the turn: ${answer}, ${name}`, () => withWindow(async ({ page, mock }) => {
      const d = await draft(page, mock);
      for (let n = 0; n < 30; n++) mock.append(d, "User", "input/markdown", `line ${n}`);
      mock.ask(d, "write_file", { path: "deed/a.txt", content: "one\n".repeat(14) });
      await sees(page.getByRole("button", { name: answer, disabled: false }));
      const release = mock.hold();
      await page.getByRole("button", { name: answer }).scrollIntoViewIfNeeded();
      await watches(page, "line 28");
      await page.getByRole("button", { name: answer }).click();
      await sees(text(page).getByRole("region", { name: /deed\/a\.txt$/ }));
      await until(async () => (await page.getByTestId("approval").count()) === 0);
      assert.ok((await jumped(page)) <= 1, `it jumped by ${await jumped(page)} px`);
      release();
      await sees(text(page).getByText("Done: the result above says so."));
      await until(() => d.status === "waiting");
      await gone(page.getByRole("button", { name: "Stop", exact: true }));
      if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/answered-${name}.png` });
      assert.ok((await jumped(page)) <= 1, `it jumped by ${await jumped(page)} px`);
      // The room below goes as one scrolls up, and what comes next is followed again.
      const room = () => text(page).evaluate((e) => e.querySelector(".room").offsetHeight);
      assert.ok((await room()) > 0);
      await text(page).evaluate((e) => { e.scrollTop -= 500; });
      await until(async () => (await room()) === 0);
      await text(page).evaluate((e) => { e.scrollTop = e.scrollHeight; });
      await say(page, "hello");
      await sees(text(page).getByText("You said: hello"));
      await until(() => text(page).evaluate((e) => e.scrollHeight - e.scrollTop - e.clientHeight < 2), "at its end");
    }, size));
  }
  test(`the end of a first turn moves nothing of it: ${name}`, () => withWindow(async ({ page, mock }) => {
    const d = await draft(page, mock);
    const release = mock.hold();
    await say(page, "hello");
    await sees(page.getByRole("button", { name: "Stop", exact: true }));
    release(2);
    await sees(text(page).getByText("You said:"));
    await watches(page, "hello");
    release();
    await until(() => d.status === "waiting");
    await gone(page.getByRole("button", { name: "Stop", exact: true }));
    await sees(page.getByText("1,204 read · 310 written").first());
    assert.ok((await jumped(page)) <= 1, `it jumped by ${await jumped(page)} px`);
  }, size));
}
