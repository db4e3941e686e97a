// The list of dialogs: names, families, and what is told of them.
import { test } from "node:test";
import assert from "node:assert/strict";
import { agrees, counts, draft, gone, hasFocus, say, sees, until, withWindow } from "./browser.mjs";

const side = (page) => page.getByRole("complementary", { name: "Dialogs" });
const region = (page, name) => side(page).getByRole("region", { name });
const at = (mock, slug, title, more = {}) => mock.addDialog("lighthouse", slug, "claude", "claude-test", { title, ...more });

test("a changed dialog is told by its entry; the list is not read again", () => withWindow(async ({ page, mock }) => {
  const d = await draft(page, mock);
  await sees(region(page, "Your turn").getByRole("link", { name: /please-start/ }));
  await until(() => mock.lists > 0);
  const before = mock.lists;
  await say(page, "hello");
  await sees(page.getByText("You said: hello"));
  d.words = "Now in other words";
  mock.tell(d);
  await sees(side(page).getByText("Now in other words"));
  mock.addDialog("lighthouse", "born-later");
  await sees(side(page).getByRole("link", { name: /born-later/ }));
  mock.deleteDialog(d);
  await gone(side(page).getByRole("link", { name: /please-start/ }));
  assert.equal(mock.lists, before);
}, { path: "#/project/lighthouse/dialogs" }));

test("a list that could not be read stays as it is, says so, and is read again", () => withWindow(async ({ page, mock, context }) => {
  at(mock, "one", "The first one");
  for (const [part, path, name] of [["Dialogs", "**/project/lighthouse/dialogs", /The first one/], ["Docs", "**/project/lighthouse/files*", "main"]]) {
    let broken = true;
    await context.route(path, (r) => (broken ? r.fulfill({ status: 503, body: "busy" }) : r.continue()));
    await page.goto(`${mock.url}#/project/lighthouse/${part.toLowerCase()}`);
    await page.reload();
    const list = page.getByRole("complementary", { name: part });
    await sees(list.getByText(/This list could not be read just now/));
    broken = false;
    await sees(list.getByRole("link", { name }));
    await gone(list.getByText(/This list could not be read just now/));
    // What is shown stays.
    broken = true;
    await mock.down();
    await mock.listen(mock.port);
    await sees(list.getByText(/This list could not be read just now/));
    await sees(list.getByRole("link", { name }));
    broken = false;
    await gone(list.getByText(/This list could not be read just now/));
    await context.unroute(path);
  }
}, { expect: /503|ERR_|Failed to load/ }));

test("ten thousand finished dialogs: a hundred are drawn, all where they are asked for", () => withWindow(async ({ page, mock }) => {
  for (let i = 0; i < 9912; i++) Object.assign(at(mock, `old-${i}`, `Dialog ${i}`), { status: "done", needs: "none" });
  const last = at(mock, "last", "The last one");
  mock.work(last);
  await page.goto(`${mock.url}#/project/lighthouse/dialogs`);
  await counts(region(page, "Finished").locator("li"), 100);
  mock.ask(last);
  await sees(region(page, "Needs you").getByRole("link", { name: /The last one/ }));
  await region(page, "Finished").getByRole("button", { name: "Show all 9,912 finished" }).click();
  const rows = region(page, "Finished").locator("li");
  await agrees(async () => (await rows.count()) > 100, true);
  const n = await rows.count();
  assert.ok(n < 1000, `${n} rows are drawn at once`);
  await rows.last().scrollIntoViewIfNeeded();
  await agrees(async () => (await rows.count()) > n, true);
  mock.rest(last, "waiting", "reply");
  await sees(region(page, "Your turn").getByRole("link", { name: /The last one/ }));
}));

test("a new dialog is named by the first line of its message, in any script; what is not sent makes no file", () => withWindow(async ({ page, mock }) => {
  await page.goto(`${mock.url}#/project/lighthouse/dialogs`);
  await page.getByRole("link", { name: "New dialog" }).click();
  const message = page.getByRole("textbox", { name: "Message" });
  await hasFocus(message);
  await message.fill("Half a thought");
  await page.getByRole("link", { name: "Docs" }).click();
  await sees(page.getByRole("complementary", { name: "Docs" }));
  await page.getByRole("link", { name: "Dialogs" }).click();
  await page.getByRole("link", { name: "New dialog" }).click();
  assert.equal(await message.inputValue(), "Half a thought");
  assert.equal(mock.projects.get("lighthouse").dialogs.size, 0);
  await message.fill("\n## 灯台 — der Wärter & עוד\n\nPlease write the log of one night.");
  await page.keyboard.press("Control+Enter");
  await sees(page.locator("h1").and(page.getByRole("heading", { name: "灯台 — der Wärter & עוד", level: 1 })));
  await sees(page.getByRole("article", { name: /^You/ }).getByText("Please write the log of one night."));
  assert.equal(mock.projects.get("lighthouse").dialogs.size, 1);
  assert.equal(mock.puts.filter((p) => p.prompt !== undefined).length, 1);
  await page.getByRole("link", { name: "New dialog" }).click();
  await sees(message);
  assert.equal(await message.inputValue(), "");
}));

test("what is written while a new dialog is made stands in its message box", () => withWindow(async ({ page, mock }) => {
  await page.goto(`${mock.url}#/project/lighthouse/dialogs/new`);
  const message = page.getByRole("textbox", { name: "Message" });
  await hasFocus(message);
  let go;
  const held = new Promise((ok) => { go = ok; });
  await page.route("**/project/lighthouse/dialog/new", async (r) => { await held; await r.continue(); });
  await message.fill("Paint the door");
  await page.keyboard.press("Control+Enter");
  await page.keyboard.type(" and the window");
  go();
  await sees(page.getByRole("heading", { name: "Paint the door", level: 1 }));
  await agrees(() => message.inputValue(), "and the window");
  await until(() => mock.puts.some((p) => p.prompt === "Paint the door"));
  await page.reload();
  await agrees(() => message.inputValue(), "and the window");
  await page.getByRole("link", { name: "New dialog" }).click();
  await sees(page.getByRole("heading", { name: "New dialog" }));
  assert.equal(await message.inputValue(), "");
}));

test("a name in any script, and another one in its place", () => withWindow(async ({ page, mock }) => {
  const made = mock.addDialog("lighthouse", "lamp", "claude", "claude-test", { title: "灯台 — der Wärter & עוד" });
  await page.goto(`${mock.url}#/project/lighthouse/dialogs/${made.id}`);
  await sees(page.locator("h1").and(page.getByRole("heading", { name: "灯台 — der Wärter & עוד", level: 1 })));
  await sees(side(page).getByRole("link", { name: /灯台 — der Wärter & עוד/ }));
  await agrees(() => page.title(), "灯台 — der Wärter & עוד · Vibey");

  const rename = page.getByRole("button", { name: "Rename" });
  const field = page.getByRole("textbox", { name: "Name of this dialog" });
  await rename.click();
  await hasFocus(field);
  await field.fill("another");
  await page.keyboard.press("Escape");
  await hasFocus(rename);
  assert.equal(mock.puts.length, 0);
  await page.keyboard.press("Enter");
  await field.fill("ж".repeat(201));
  await page.keyboard.press("Enter");
  await sees(page.getByText("A name has at most 200 characters; this one has 201."));
  await field.fill("");
  await page.keyboard.press("Enter");
  await sees(page.getByText("Write a name, or press Escape to keep the one it has."));
  await field.fill("The Lighthouse");
  await page.keyboard.press("Enter");
  await sees(page.locator("h1").and(page.getByRole("heading", { name: "The Lighthouse", level: 1 })));
  await sees(side(page).getByRole("link", { name: /The Lighthouse/ }));
  await hasFocus(rename);
  await until(() => mock.puts.at(-1)?.title === "The Lighthouse");
  // What is told with the heading is no name of a file.
  const { nodes } = await (await page.context().newCDPSession(page)).send("Accessibility.getFullAXTree");
  assert.deepEqual(nodes.filter((n) => n.role.value === "heading" && n.description?.value), []);
}));

test("a dialog is deleted from its row and from its head, with a word on what goes and what stays", () => withWindow(async ({ page, mock }) => {
  const root = at(mock, "root", "The root");
  const child = at(mock, "child", "The child", { from: root.id });
  const busy = at(mock, "busy", "The busy one");
  mock.work(busy);
  mock.ask(child);
  await page.goto(`${mock.url}#/project/lighthouse/dialogs/${root.id}`);
  const ask = (name) => page.getByRole("dialog", { name: `Delete ${name}?` });
  const fromRow = async (name) => {
    await side(page).getByRole("button", { name: `Menu of ${name}` }).click();
    await page.getByRole("menuitem", { name: "Delete…" }).click();
  };
  await fromRow("The busy one");
  await sees(ask("The busy one").getByText("Stop it first"));
  await counts(ask("The busy one").getByRole("button", { name: "Delete dialog" }), 0);
  await ask("The busy one").getByRole("button", { name: "Keep it" }).click();

  await fromRow("The child");
  await sees(ask("The child").getByText("It asks you something."));
  await sees(ask("The child").getByText("Run rm -rf deed/*"));
  // What was asked since is named before it is lost.
  mock.ask(child, "write_file", { path: "deed/b.txt", content: "b" });
  await sees(ask("The child").locator("[aria-disabled=false]"));
  await ask("The child").getByRole("button", { name: "Delete dialog" }).click();
  await sees(ask("The child").getByText("What it asks has changed since you looked, so nothing was done."));
  await sees(ask("The child").getByText("Write deed/b.txt"));
  await page.keyboard.press("Escape");
  await gone(ask("The child"));

  await page.getByRole("main").getByRole("button", { name: "More" }).click();
  await page.getByRole("menuitem", { name: "Delete…" }).click();
  await sees(ask("The root").getByText("The dialog that it started stays, without a link to this one."));
  await sees(ask("The root").locator("[aria-disabled=false]"));
  await ask("The root").getByRole("button", { name: "Delete dialog" }).click();
  await gone(side(page).getByRole("link", { name: /The root/ }));
  await sees(page.getByText("Choose a dialog in the list"));
  await sees(region(page, "Needs you").getByRole("link", { name: /The child/ }));
  assert.deepEqual([...mock.projects.get("lighthouse").dialogs.keys()], [child.id, busy.id]);
}));

test("who started whom is a tree with links, by keys too, and a question is seen above it", () => withWindow(async ({ page, mock }) => {
  const root = at(mock, "root", "Please start");
  mock.rest(root, "done", "none");
  const child = at(mock, "map", "Draw the map", { from: root.id });
  const grandchild = at(mock, "sea", "Draw the sea", { from: child.id });
  mock.rest(child, "done", "none");
  mock.work(grandchild);
  await page.goto(`${mock.url}#/project/lighthouse/dialogs/${child.id}`);
  const link = (name) => side(page).getByRole("link", { name: new RegExp(name) });
  const kin = page.getByRole("navigation", { name: "Dialogs that belong together" });
  await sees(kin.getByRole("link", { name: /Please start/ }));
  await sees(kin.getByRole("link", { name: /Draw the sea/ }));
  await sees(region(page, "Writing now").getByRole("list", { name: "Dialogs that Please start started" }).getByRole("link", { name: /Draw the map/ }));

  mock.ask(grandchild);
  await sees(kin.getByRole("link", { name: "Draw the sea needs you" }));
  await sees(region(page, "Needs you").getByRole("link", { name: /finished ?Please start/ }));

  await link("Please start").focus();
  await page.keyboard.press("ArrowRight");
  await hasFocus(link("Draw the map"));
  await page.keyboard.press("ArrowDown");
  await hasFocus(link("Draw the sea"));
  await page.keyboard.press("ArrowLeft");
  await hasFocus(link("Draw the map"));
  await page.keyboard.press("ArrowLeft"); // closes it
  await gone(link("^needs you ?Draw the sea"));
  await hasFocus(link("Draw the map"));
  await page.keyboard.press("ArrowLeft");
  await hasFocus(link("Please start"));
  await page.keyboard.press("ArrowLeft");
  await gone(link("Draw the map"));
  await side(page).getByRole("link", { name: "Draw the sea needs you" }).click();
  await sees(page.locator("h1").and(page.getByRole("heading", { name: "Draw the sea", level: 1 })));
  await sees(kin.getByRole("link", { name: /Draw the map/ }));
  await page.getByRole("button", { name: "Dialogs that Please start started" }).click();
  await sees(link("Draw the map"));
}));

test("what waits for an answer, what is one's turn, and what finished are told apart, once", () => withWindow(async ({ page, mock }) => {
  const d = at(mock, "x", "Paint the door");
  mock.work(d);
  await page.goto(`${mock.url}#/project/lighthouse/dialogs`);
  await sees(region(page, "Writing now").getByRole("link", { name: /Paint the door/ }));
  const heard = () => page.getByTestId("heard").locator("p").last().textContent();
  mock.rest(d, "waiting", "reply");
  await agrees(heard, "Your turn in Paint the door");
  mock.work(d);
  await sees(region(page, "Writing now").getByRole("link", { name: /Paint the door/ }));
  mock.ask(d);
  await agrees(heard, "Paint the door needs you");
  mock.work(d);
  d.pending = [];
  await sees(region(page, "Writing now").getByRole("link", { name: /Paint the door/ }));
  mock.rest(d, "done", "none");
  await agrees(heard, "Paint the door finished");
}));

test("who comes back to the dialogs from another part goes on where they were", () => withWindow(async ({ page, mock }) => {
  const one = at(mock, "one", "Paint the door");
  at(mock, "two", "Draw the map");
  await page.goto(`${mock.url}#/project/lighthouse/dialogs/${one.id}`);
  await sees(page.getByRole("heading", { name: "Paint the door", level: 1 }));
  const tabs = page.getByRole("navigation", { name: "Parts of the project" });
  for (const part of ["Docs", "Made", "Board"]) {
    await tabs.getByRole("link", { name: part }).click();
    await gone(page.getByRole("heading", { name: "Paint the door", level: 1 }));
    await tabs.getByRole("link", { name: "Dialogs" }).click();
    await sees(page.getByRole("heading", { name: "Paint the door", level: 1 }));
  }
  // The tab itself leads to none.
  await tabs.getByRole("link", { name: "Dialogs" }).click();
  await sees(page.getByText("Choose a dialog", { exact: false }));
}));

for (const width of [390, 820, 1280]) test(`long names stand whole at ${width} px, and a word of the project's does not break`, () => withWindow(async ({ page, mock }) => {
  const name = "Write of the keeper who counts the turns of the lamp and of the night in which nobody counted them, to the end of the storm and the morning behind it";
  const d = at(mock, "long", name);
  mock.ask(d);
  const child = at(mock, "child", `${name}, once more`, { from: d.id });
  mock.work(child);
  const whole = async (locator) => {
    const e = await locator.first().elementHandle();
    assert.deepEqual(await e.evaluate((e) => {
      const s = getComputedStyle(e);
      return { clamp: s.webkitLineClamp, cut: e.scrollHeight > e.clientHeight + 1 && s.overflow !== "visible", line: s.whiteSpace === "nowrap" };
    }), { clamp: "none", cut: false, line: false });
  };
  await page.goto(`${mock.url}#/project/lighthouse/dialogs`);
  await whole(side(page).locator(".name").filter({ hasText: "once more" }));
  if (width > 400) {
    const brand = page.locator(".brand .name");
    assert.ok(await brand.evaluate((e) => e.getBoundingClientRect().height < 2 * Number.parseFloat(getComputedStyle(e).lineHeight)), "one line");
  }
  await page.goto(`${mock.url}#/project/lighthouse/board`);
  await whole(page.locator(".tile h3 a").filter({ hasText: "once more" }));
  await page.goto(`${mock.url}#/project/lighthouse/dialogs/${child.id}`);
  await whole(page.locator(".kin a > span[dir]"));
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true, "nothing is beyond the edge");
}, { width }));

test("a dialog that an agent started has one name, in the card as in the list", () => withWindow(async ({ page, mock }) => {
  const d = at(mock, "root", "Please start");
  const child = at(mock, "storm", "Write the storm", { from: d.id });
  mock.append(d, "User", "input/markdown", "go");
  const id = "call_1";
  mock.append(d, "Tool Request", "tool/input/json", JSON.stringify({ provider: "claude", slug: "storm", prompt: "Write." }), { id, meta: { Tool: "launch_agent" } });
  mock.append(d, "Tool Result", "tool/result/json", JSON.stringify({ success: true, dialogId: child.id, file: "x" }), { id, meta: { Tool: "launch_agent", Status: "approved" } });
  await page.goto(`${mock.url}#/project/lighthouse/dialogs/${d.id}`);
  const card = page.getByRole("region", { name: "Started Write the storm (claude)" });
  await sees(card.getByRole("link", { name: "Open Write the storm" }));
  await counts(card.getByText(/^storm/), 0);
}));
