// The versions of a doc, and who wrote what.
import { test } from "node:test";
import assert from "node:assert/strict";
import { accessible, WIDE } from "./axe.mjs";
import { agrees, gone, hasFocus, sees, until, withWindow } from "./browser.mjs";

const TEA = "#/project/lighthouse/docs/doc-tea.md";
const ONE = "# Tea\n\nGreen.\n", TWO = "# Tea\n\nGreen.\n\nBlack, from Assam.\n", THREE = "# Tea\n\nGreen, from Japan.\n\nBlack, from Assam.\n";
const box = (page) => page.getByRole("textbox", { name: /^Text of / });
const file = (mock) => mock.projects.get("lighthouse").files.get("doc-tea.md")?.content;
const versions = (page) => page.getByRole("dialog", { name: "History of Tea" });
const who = (page) => page.getByRole("dialog", { name: "Who wrote this" });

/** tea is a doc that a human wrote, an agent changed, and the human changed again. */
function tea(mock, more = {}) {
  const d = mock.addDialog("lighthouse", "tea-please", undefined, undefined, { title: "Tea, please" });
  const p = mock.projects.get("lighthouse");
  p.past = new Map([["doc-tea.md", [
    { text: ONE, who: "human", kind: "save", at: "2026-02-16T20:11:00Z" },
    { text: TWO, who: "agent", kind: "call", at: "2026-02-16T20:12:00Z", dialog: d.id, message: "msg_1", call: "c1", tool: "edit_file", allowed: { by: "human", name: "", id: "auth_1" }, ...more },
    { text: THREE, who: "human", kind: "save", at: "2026-02-16T20:13:00Z" },
  ]]]);
  mock.writeFile("lighthouse", "doc-tea.md", THREE);
  return d;
}

/** opens opens an item of the doc's menu by the keyboard alone. */
async function opens(page, item) {
  await page.getByRole("button", { name: "Menu of Tea" }).focus();
  await page.keyboard.press("Enter");
  await hasFocus(page.getByRole("menuitem", { name: "History" }));
  if (item === "Who wrote this") await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
}

/** begin opens the doc. */
async function begin(page, mock, more) {
  const d = tea(mock, more);
  await page.goto(mock.url + TEA);
  await sees(box(page).getByText("Green, from Japan."));
  return d;
}

const check = (page, n) => versions(page).getByRole("checkbox", { name: new RegExp(`^Version ${n} `) }).check();
const button = (page, name) => versions(page).getByRole("button", { name, exact: true });

test("History lists the versions by time and who, the newest first", () => withWindow(async ({ page, mock }) => {
  await begin(page, mock);
  await opens(page, "History");
  const rows = versions(page).getByRole("list", { name: "Versions" }).getByRole("listitem");
  await agrees(() => rows.evaluateAll((all) => all.map((e) => e.textContent.replace(/ (\d+ \w+, |\w+ \d+, (\d{4}, )?)?\d\d:\d\d /, " AT ").trim())), [
    "Version 3 AT you saved it +2 words as it is now", "Version 2 AT an agent changed it +3 words In the dialog “Tea, please”", "Version 1 AT you saved it +3 words",
  ]);
  await page.keyboard.press("Escape");
  await gone(versions(page));
  await hasFocus(page.getByRole("button", { name: "Menu of Tea" }));
}));

test("any two versions are compared", () => withWindow(async ({ page, mock }) => {
  await begin(page, mock);
  await opens(page, "History");
  assert.equal(await button(page, "Compare").isDisabled(), true);
  await check(page, 3);
  assert.equal(await button(page, "Compare").isDisabled(), true);
  await check(page, 1);
  await button(page, "Compare").click();
  const region = versions(page).getByRole("region", { name: "From version 1 to version 3" });
  await hasFocus(region);
  await sees(region.getByText("Black, from Assam."));
  assert.deepEqual(await region.locator("ins").last().textContent(), "Black, from Assam");
  // A third one takes the place of that which was chosen first.
  await check(page, 2);
  await agrees(() => versions(page).getByRole("checkbox", { checked: true }).count(), 2);
  await button(page, "Compare").click();
  await hasFocus(versions(page).getByRole("region", { name: "From version 1 to version 2" }));
}));

test("one version is put back as a save, and can be undone in the text", () => withWindow(async ({ page, mock }) => {
  await begin(page, mock);
  await opens(page, "History");
  await check(page, 3);
  assert.equal(await button(page, "Put back").isDisabled(), true, "it is there");
  await check(page, 1);
  assert.equal(await button(page, "Put back").isDisabled(), true, "two are chosen");
  await versions(page).getByRole("checkbox", { name: /^Version 3 / }).uncheck();
  await button(page, "Put back").click();
  await gone(versions(page));
  await until(() => file(mock) === ONE);
  await sees(page.getByText(/^Saved · \d\d:\d\d$/));
  await sees(page.getByText("Version 1 is put back, as a new version."));
  await box(page).click();
  await page.keyboard.press("Control+z");
  await sees(box(page).getByText("Black, from Assam."));
}));

const news = (page, words) => page.getByRole("group", { name: `Another program changed ${words}` });

test("putting back ends the line that tells of another program's change", () => withWindow(async ({ page, mock }) => {
  await begin(page, mock);
  mock.writeFile("lighthouse", "doc-tea.md", "# Tea\n\nGreen, from Korea.\n\nBlack, from Nepal.\n");
  await sees(news(page, "2 lines"));
  await opens(page, "History");
  await check(page, 2);
  await button(page, "Put back").click();
  await gone(versions(page));
  await until(() => file(mock) === TWO);
  await sees(page.getByText("Version 2 is put back, as a new version."));
  assert.equal(await page.locator(".news-line").count(), 0);
}));

test("the line goes where what another program wrote is changed, and stays where it is not", () => withWindow(async ({ page, mock }) => {
  await begin(page, mock);
  mock.writeFile("lighthouse", "doc-tea.md", "# Tea\n\nGreen, from Korea.\n\nBlack, from Nepal.\n");
  await sees(news(page, "2 lines"));
  await box(page).click();
  await page.keyboard.press("Control+Home");
  await page.keyboard.press("End");
  await page.keyboard.type(" now");
  await page.keyboard.press("Backspace");
  await sees(box(page).getByText("Tea no"));
  assert.equal(await news(page, "2 lines").count(), 1);
  await page.keyboard.press("Control+End");
  for (let i = 0; i < 4; i++) await page.keyboard.press("Backspace");
  await page.keyboard.press("Control+s");
  await sees(page.getByText(/^Saved ·/));
  assert.equal(await news(page, "2 lines").count(), 0);
  await until(() => file(mock) === "# Tea no\n\nGreen, from Korea.\n\nBlack, from Nep");
}));

test("what comes in while the line stands is counted with what came before, and taken back with it", () => withWindow(async ({ page, mock }) => {
  await begin(page, mock);
  const write = (...lines) => mock.writeFile("lighthouse", "doc-tea.md", ["# Tea", ...lines].join("\n\n") + "\n");
  write("Green, from Korea.", "Black, from Assam.");
  await sees(news(page, "1 line"));
  write("Green, from Korea.", "Black, from Nepal.");
  await sees(news(page, "2 lines"));
  write("Green, from Nepal.", "Black, from Nepal.");
  await sees(box(page).getByText("Green, from Nepal."));
  write("Green, from Nepal.", "Black, from Nepal.", "White.");
  await sees(news(page, "4 lines")); // a blank one too
  await page.getByRole("button", { name: "Show", exact: true }).and(page.locator("[aria-disabled=false] button")).click();
  await agrees(async () => (await page.locator(".md-theirs").allTextContents()).join(), "Nepal,Nepal,White.");
  await page.getByRole("button", { name: "Undo", exact: true }).click();
  await gone(page.locator(".news-line"));
  await page.keyboard.press("Control+s");
  await until(() => file(mock) === THREE);
  // What comes after that is counted by itself, and what comes to nothing is no news.
  write("Green, from Korea.", "Black, from Assam.");
  await sees(news(page, "1 line"));
  mock.writeFile("lighthouse", "doc-tea.md", THREE);
  await gone(page.locator(".news-line"));
}));

test("an answer to an overlap ends the line before it, whose Undo is of another change", () => withWindow(async ({ page, mock }) => {
  await begin(page, mock);
  mock.writeFile("lighthouse", "doc-tea.md", "# Tea\n\nGreen, from Korea.\n\nBlack, from Assam.\n");
  await sees(news(page, "1 line"));
  await box(page).click();
  await page.keyboard.press("Control+End");
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("End");
  await page.keyboard.type(" Mine.");
  mock.writeFile("lighthouse", "doc-tea.md", "# Tea\n\nGreen, from Korea.\n\nBlack, from Assam. Theirs.\n");
  await page.getByRole("button", { name: "Take theirs", disabled: false }).and(page.locator("[aria-disabled=false] button")).click();
  await gone(box(page).getByText("Mine."));
  await gone(page.getByRole("button", { name: "Take theirs" }));
  assert.equal(await page.locator(".news-line").count(), 0);
}));

test("what is not saved is not lost by putting back", () => withWindow(async ({ page, mock }) => {
  await begin(page, mock);
  await box(page).click();
  await page.keyboard.press("Control+End");
  await page.keyboard.insertText("Mine.");
  await sees(page.getByText("Not saved"));
  await opens(page, "History");
  await sees(versions(page).getByText("What you have not saved is not among them."));
  await check(page, 1);
  await button(page, "Put back").click();
  await sees(versions(page).getByRole("alert").getByText(/Save or discard it first/));
  assert.equal(file(mock), THREE);
  await page.keyboard.press("Escape");
  await sees(box(page).getByText("Mine."));
}));

test("putting back has the usual guard: what another wrote meanwhile is asked about", () => withWindow(async ({ page, mock }) => {
  await begin(page, mock);
  await opens(page, "History");
  await check(page, 1);
  await sees(button(page, "Put back"));
  mock.projects.get("lighthouse").files.get("doc-tea.md").content = "# Tea\n\nAnother program.\n"; // and nothing is told of it
  await button(page, "Put back").click();
  await sees(page.getByRole("button", { name: "Take theirs" }));
  assert.equal(file(mock), "# Tea\n\nAnother program.\n");
}, { expect: /409/ }));

test("a version whose text is not kept can't be chosen", () => withWindow(async ({ page, mock }) => {
  await begin(page, mock, { kept: false });
  await opens(page, "History");
  const row = versions(page).getByRole("listitem").nth(1);
  await sees(row.getByText("Its text is not kept any more."));
  assert.equal(await row.getByRole("checkbox").isDisabled(), true);
}));

test("a doc with one version, and one whose versions can't be read", () => withWindow(async ({ page, mock }) => {
  mock.writeFile("lighthouse", "doc-tea.md", "# Tea\n");
  await page.goto(mock.url + TEA);
  await sees(box(page));
  await opens(page, "History");
  await sees(versions(page).getByText(/There is one version so far/));
  await page.keyboard.press("Escape");
  await page.route("**/history", (r) => r.fulfill({ status: 500, body: "{}" }));
  await opens(page, "History");
  await sees(versions(page).getByText(/The versions could not be read/));
  await page.unroute("**/history");
  await button(page, "Try again").click();
  await sees(versions(page).getByText("Version 1"));
}, { expect: /500/ }));

test("Who wrote this tells of the paragraph at the cursor: who, when, in which dialog", () => withWindow(async ({ page, mock }) => {
  const d = await begin(page, mock);
  await box(page).getByText("Black, from Assam.").click();
  await opens(page, "Who wrote this");
  await hasFocus(who(page));
  await sees(who(page).getByText(/^An agent wrote this: .*\d\d:\d\d\.$/));
  await sees(who(page).getByText("You allowed this change."));
  // It stands beside the paragraph.
  const [card, line] = await Promise.all([who(page).boundingBox(), box(page).getByText("Black, from Assam.").boundingBox()]);
  assert.ok(Math.abs(card.y - line.y) < 60, `${card.y}, ${line.y}`);
  await page.keyboard.press("Escape");
  await gone(who(page));
  await hasFocus(box(page));
  await page.keyboard.press("Control+Home");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  await opens(page, "Who wrote this");
  await sees(who(page).getByText(/^You wrote this and saved it: .*\d\d:\d\d\.$/));
  assert.equal(await who(page).getByRole("link").count(), 0);
  await who(page).getByRole("button", { name: "Close" }).click();
  await box(page).getByText("Black, from Assam.").click();
  await opens(page, "Who wrote this");
  await who(page).getByRole("link", { name: "In the dialog “Tea, please”" }).click();
  await sees(page.getByRole("heading", { name: "Tea, please", level: 1 }));
  assert.ok(page.url().endsWith(`/dialogs/${d.id}`));
}));

test("Who wrote this follows the cursor, says which passage it means, closes by Escape and is not printed", () => withWindow(async ({ page, mock }) => {
  await begin(page, mock);
  await box(page).getByText("Black, from Assam.").click();
  await opens(page, "Who wrote this");
  await sees(who(page).getByText("Black, from Assam."));
  await sees(who(page).getByText(/^An agent wrote this/));
  await box(page).getByText("Green, from Japan.").click();
  await sees(who(page).getByText("Green, from Japan."));
  await sees(who(page).getByText(/^You wrote this and saved it/));
  await gone(who(page).getByText("Black, from Assam."));
  await page.emulateMedia({ media: "print" });
  await gone(who(page));
  await page.emulateMedia({ media: "screen" });
  await sees(who(page));
  await box(page).getByText("Black, from Assam.").dblclick(); // with words selected, one Escape is enough
  await sees(who(page).getByText("Black, from Assam."));
  await hasFocus(box(page));
  await page.keyboard.press("Escape");
  await gone(who(page));
  await hasFocus(box(page));
}));

test("on a phone Who wrote this leaves Send my comments in reach", () => withWindow(async ({ page, mock }) => {
  tea(mock);
  mock.writeFile("lighthouse", "doc-tea.md", "# Tea\n\n{==Green==}{>>Which?<<}, from Japan.\n");
  await page.goto(mock.url + TEA);
  await sees(page.getByRole("button", { name: /^Send my comment/ }));
  await box(page).getByText("from Japan", { exact: false }).first().click();
  await opens(page, "Who wrote this");
  await sees(who(page).getByText(/from Japan/));
  const [card, line] = await Promise.all([who(page), page.locator(".comments-line")].map((l) => l.boundingBox()));
  assert.ok(card.y + card.height <= line.y + 1, JSON.stringify([card, line]));
  await shot(page, "who-comments-narrow");
}, { width: 390, height: 800 }));

test("where the chain is broken, and where nothing is saved, that is said", () => withWindow(async ({ page, mock }) => {
  await begin(page, mock);
  mock.writeFile("lighthouse", "doc-tea.md", THREE + "\nOolong.\n");
  await box(page).getByText("Oolong.").click();
  await opens(page, "Who wrote this");
  await sees(who(page).getByText(/^It is not known who wrote this\./));
  await page.keyboard.press("Escape");
  await page.keyboard.press("Control+End");
  await page.keyboard.insertText("\nMine.");
  await opens(page, "Who wrote this");
  await sees(who(page).getByText("You are writing this. It is not saved yet."));
  await page.keyboard.press("Escape");
  await page.keyboard.press("Control+Home");
  await page.keyboard.press("ArrowDown");
  await opens(page, "Who wrote this");
  await sees(who(page).getByText(/There are no words here/));
  await page.keyboard.press("Escape");
  // Several lines are told one by one.
  await page.keyboard.press("Control+a");
  await opens(page, "Who wrote this");
  await sees(who(page).getByText(/^An agent wrote this/));
  await sees(who(page).getByText("You are writing this. It is not saved yet."));
}));

test("a dialog that is gone is named and leads nowhere", () => withWindow(async ({ page, mock }) => {
  await begin(page, mock, { dialog: "20260101-000000-gone" });
  await box(page).getByText("Black, from Assam.").click();
  await opens(page, "Who wrote this");
  await sees(who(page).getByText("The dialog 20260101-000000-gone is not there any more."));
  assert.equal(await who(page).getByRole("link").count(), 0);
}));

test("both are accessible, in each width, light and dark", () => withWindow(async ({ page, mock }) => {
  await begin(page, mock);
  await box(page).getByText("Black, from Assam.").click();
  await opens(page, "Who wrote this");
  await sees(who(page).getByText(/^An agent wrote this/));
  await accessible(page, "who wrote this");
  await page.keyboard.press("Escape");
  await opens(page, "History");
  await check(page, 3);
  await check(page, 1);
  await button(page, "Compare").click();
  await sees(versions(page).getByRole("region", { name: "From version 1 to version 3" }));
  await accessible(page, "history");
}, WIDE));

for (const [name, size] of [["wide", {}], ["dark", { dark: true }], ["narrow", { width: 390, height: 800 }]]) {
  test(`it looks right: ${name}`, () => withWindow(async ({ page, mock }) => {
    await begin(page, mock);
    await box(page).getByText("Black, from Assam.").click();
    await opens(page, "Who wrote this");
    await sees(who(page).getByText(/^An agent wrote this/));
    const card = await who(page).boundingBox();
    assert.ok(card.x >= 0 && card.x + card.width <= page.viewportSize().width && card.y + card.height <= page.viewportSize().height);
    await shot(page, `who-${name}`);
    await page.keyboard.press("Escape");
    await opens(page, "History");
    await check(page, 3);
    await check(page, 1);
    await button(page, "Compare").click();
    await sees(versions(page).getByRole("region", { name: "From version 1 to version 3" }));
    await shot(page, `history-${name}`);
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Menu of Tea" }).click();
    await shot(page, `menu-${name}`);
  }, size));
}

test("on a phone the menu is whole, also beside what is not saved", () => withWindow(async ({ page, mock }) => {
  tea(mock);
  mock.writeFile("lighthouse", "doc-tea.md", "# Tea, with a rather long title\n\nGreen.\n");
  await page.goto(mock.url + TEA);
  await box(page).click();
  await page.keyboard.press("Control+End");
  await page.keyboard.insertText("Mine.");
  await sees(page.getByText("Not saved", { exact: true }));
  await page.getByRole("button", { name: /^Menu of Tea/ }).click();
  await shot(page, "menu-unsaved-narrow");
  const boxes = await Promise.all([page.getByRole("menu"), page.getByText("Not saved", { exact: true }), page.getByRole("button", { name: /^Menu of Tea/ }), page.getByRole("button", { name: "Save", exact: true })].map((l) => l.boundingBox()));
  for (const b of boxes) assert.ok(b.x >= 0 && b.x + b.width <= 390, JSON.stringify(b));
  const [, said, menu, save] = boxes;
  for (const b of [said, save]) assert.ok(b.x + b.width <= menu.x + 1 || menu.x + menu.width <= b.x + 1, "they overlap");
}, { width: 390, height: 800 }));

async function shot(page, name) { if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/${name}.png` }); }
