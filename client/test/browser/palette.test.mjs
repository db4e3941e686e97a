// Find or do: by Ctrl K from anywhere; and the notices of the system.
import { test } from "node:test";
import assert from "node:assert/strict";
import { agrees, counts, gone, hasFocus, holds, sees, until, withWindow } from "./browser.mjs";

const at = (mock, slug, title, more = {}) => mock.addDialog("lighthouse", slug, "claude", "claude-test", { title, ...more });
const find = (page) => page.getByRole("combobox", { name: "Find or do" });
const option = (page, group, name) => page.getByRole("group", { name: group, exact: true }).getByRole("option", { name });

test("Ctrl K finds dialogs, docs, projects and commands, by keys alone", () => withWindow(async ({ page, mock }) => {
  mock.addProject("book");
  const d = at(mock, "storm", "Write the storm");
  await page.goto(`${mock.url}#/project/lighthouse/dialogs/${d.id}`);
  const box = page.getByRole("textbox", { name: "Message" });
  await hasFocus(box);
  await page.keyboard.press("Control+k");
  await hasFocus(find(page));
  await sees(option(page, "Do", "Board of all projects"));
  await page.keyboard.press("Escape");
  await gone(find(page));
  await hasFocus(box);

  await page.keyboard.press("Control+k");
  await find(page).fill("board");
  assert.equal(await option(page, "Do", /^Board$/).or(option(page, "Do", "Board G")).first().getAttribute("aria-selected"), "true");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await sees(page.locator("h1").and(page.getByRole("heading", { name: "All projects", level: 1 })));

  await page.keyboard.press("Control+k");
  await find(page).fill("book");
  await page.keyboard.press("Enter");
  await sees(page.getByRole("button", { name: "Project book" }));
}));

test("words in docs and dialogs are found, and open where they stand", () => withWindow(async ({ page, mock }) => {
  const d = at(mock, "storm", "Write the storm");
  mock.append(d, "User", "input/markdown", "Begin with the needle in the haystack.");
  for (let i = 0; i < 40; i++) mock.append(d, "Assistant", "output/markdown", `Paragraph ${i}.\n\n`.repeat(6));
  mock.writeFile("lighthouse", "doc-notes.md", `# Notes\n\n${"line\n".repeat(120)}A needle here\n`);
  await page.goto(`${mock.url}#/project/lighthouse/docs`);
  await sees(page.getByRole("link", { name: "notes" }));
  await page.keyboard.press("Control+k");
  await find(page).fill("needle");
  await sees(option(page, "In docs", /Notes A needle here/));
  await option(page, "In dialogs", /Write the storm Begin with the needle/).click();
  await sees(page.locator("h1").and(page.getByRole("heading", { name: "Write the storm", level: 1 })));
  const said = page.getByText("Begin with the needle in the haystack.");
  await agrees(() => said.evaluate((e) => { const r = e.getBoundingClientRect(); return r.top > 0 && r.bottom < innerHeight; }), true);

  await page.keyboard.press("Control+k");
  await find(page).fill("needle");
  await option(page, "In docs", /A needle here/).click();
  await agrees(() => page.locator(".cm-line", { hasText: "A needle here" }).evaluate((e) => { const r = e.getBoundingClientRect(); return r.top > 0 && r.bottom < innerHeight; }), true);
}));

// A hit is chosen as a writer does: Ctrl K, a phrase, Enter.
async function hit(page, phrase, group, name) {
  await page.keyboard.press("Control+k");
  await hasFocus(find(page));
  await page.keyboard.type(phrase);
  await sees(option(page, group, name));
  await page.keyboard.press("Enter");
  await gone(find(page));
}
const selected = (page) => page.evaluate(() => String(getSelection()));
const inView = (l) => l.evaluate((e) => { const r = e.getBoundingClientRect(), s = e.closest(".cm-scroller, .scroll").getBoundingClientRect(); return r.top >= s.top && r.bottom <= s.bottom; });

test("Enter on a hit in a doc leads to its words, in a doc that was never open, in one that was, and in the one in view", () => withWindow(async ({ page, mock }) => {
  const lines = (word) => Array.from({ length: 600 }, (_, i) => (i === 400 ? `So the ${word} stood **here**.` : `Line ${i} of many words.`)).join("\n\n");
  mock.writeFile("lighthouse", "doc-notes.md", `# Notes\n\n${lines("grey heron")}\n`);
  mock.writeFile("lighthouse", "doc-birds.md", `# Birds\n\n${lines("white gull")}\n`);
  await page.goto(`${mock.url}#/project/lighthouse/docs/doc-main.md`);
  const text = (name) => page.getByRole("textbox", { name: `Text of ${name}` });
  await hasFocus(text("lighthouse"));
  for (const [phrase, doc] of [["grey heron", "Notes"], ["white gull", "Birds"], ["grey heron", "Notes"], ["grey heron", "Notes"]]) {
    await hit(page, phrase, "In docs", new RegExp(phrase));
    await agrees(() => selected(page), phrase);
    await hasFocus(text(doc));
    await agrees(() => inView(page.locator(".cm-line", { hasText: phrase })), true);
    await page.keyboard.press("Control+Home"); // the doc that is left is left at its top
  }
  await page.keyboard.type("Unsaved. ");
  await hit(page, "white gull", "In docs", /white gull/);
  await page.getByRole("dialog", { name: "Notes is not saved." }).getByRole("button", { name: "Discard" }).click();
  await agrees(() => selected(page), "white gull");
}));

test("Enter on a hit in a long dialog leads to its words and puts the focus there, not into the message box", () => withWindow(async ({ page, mock }) => {
  const d = at(mock, "storm", "Write the storm");
  for (let i = 0; i < 1200; i++) mock.append(d, i % 2 ? "Assistant" : "User", i % 2 ? "output/markdown" : "input/markdown", i === 301 ? "Then the *grey heron* stood." : `Paragraph ${i}.\n\n`.repeat(1 + (i % 5)), i === 301 ? { html: "<p>Then the <em>grey</em> heron stood.</p>" } : {});
  const other = at(mock, "calm", "Write the calm");
  mock.append(other, "User", "input/markdown", "Begin.");
  await page.goto(`${mock.url}#/project/lighthouse/dialogs/${other.id}`);
  await hasFocus(page.getByRole("textbox", { name: "Message" }));
  const said = page.locator("article.turn", { hasText: "grey heron" });
  await page.evaluate(() => { window.went = []; addEventListener("focusin", (e) => window.went.push(e.target.tagName)); });
  for (const again of [false, true]) {
    await hit(page, "heron", "In dialogs", /heron/);
    await agrees(() => selected(page), "heron");
    await hasFocus(said);
    await agrees(() => inView(said), true);
    await page.waitForTimeout(1000);
    assert.equal(await inView(said), true, "it stays in view while the rest is drawn");
    if (!again) await page.locator(".log").evaluate((e) => { e.scrollTop = e.scrollHeight; });
  }
  assert.deepEqual((await page.evaluate(() => window.went)).filter((t) => t === "TEXTAREA"), []);
}));

test("what every agent is told is folded below what was said", () => withWindow(async ({ page, mock }) => {
  for (const n of [1, 2, 3]) {
    const d = at(mock, `storm-${n}`, `Storm ${n}`);
    mock.append(d, "System", "system/markdown", "The keeper leads every agent.");
    if (n === 3) mock.append(d, "User", "input/markdown", "Where is the keeper?");
  }
  await page.goto(`${mock.url}#/project/lighthouse/docs`);
  await sees(page.locator("h1").and(page.getByRole("heading", { name: "lighthouse", level: 1 })));
  await page.keyboard.press("Control+k");
  await find(page).fill("keeper");
  await sees(option(page, "In dialogs", /Where is the keeper/));
  const fold = option(page, "In what agents are told", "3 more in what agents are told");
  await sees(fold);
  await counts(page.getByText("leads every agent"), 0);
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Enter");
  await counts(option(page, "In what agents are told", /leads every agent/), 3);
  await gone(fold);
  await find(page).fill("the keeper");
  await sees(fold);
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Enter");
  await option(page, "In what agents are told", /Storm 2/).click();
  await sees(page.locator("h1").and(page.getByRole("heading", { name: "Storm 2", level: 1 })));
}));

test("what needs a human is told by the system while the tab is hidden, where it was asked for", () => withWindow(async ({ page, mock, context }) => {
  await context.addInitScript(() => {
    window.shown = [];
    window.away = false;
    window.Notification = class { static permission = "granted"; static requestPermission = async () => "granted"; constructor(title, o) { window.shown.push([title, o.body]); } close() {} };
    Object.defineProperty(document, "visibilityState", { get: () => (window.away ? "hidden" : "visible") });
  });
  mock.addProject("book");
  const far = mock.addDialog("book", "soup", "claude", "claude-test", { title: "The soup" });
  const d = at(mock, "door", "Paint the door");
  mock.work(d);
  await page.goto(`${mock.url}#/project/lighthouse/dialogs`);
  await page.reload();
  await sees(page.getByRole("region", { name: "Writing now" }).getByRole("link", { name: /Paint the door/ }));
  await page.getByRole("button", { name: "Project lighthouse" }).click();
  await page.getByRole("switch", { name: "Tell me when something needs me" }).click();
  mock.ask(d);
  await sees(page.getByRole("region", { name: "Needs you" }));
  assert.deepEqual(await page.evaluate(() => window.shown), []);
  mock.work(d);
  await sees(page.getByRole("region", { name: "Writing now" }));
  await page.evaluate(() => { window.away = true; });
  mock.rest(d, "waiting", "continue");
  mock.ask(far);
  await agrees(async () => (await page.evaluate(() => window.shown.map((s) => s[0]))).sort(), ["Paint the door needs you", "Something in book needs you"]);
}));

test("a line is named to a screen reader once it is gone to, so that letters go into the field", () => withWindow(async ({ page, mock }) => {
  await page.goto(`${mock.url}#/project/lighthouse/docs`);
  await sees(page.getByRole("link", { name: "New doc" }).or(page.getByRole("button", { name: "New doc" })));
  await page.keyboard.press("Control+k");
  const find = page.getByRole("combobox", { name: "Find or do" });
  await hasFocus(find);
  const named = () => find.getAttribute("aria-activedescendant");
  assert.equal(await named(), null);
  await page.keyboard.type("board");
  await sees(page.getByRole("option").first());
  assert.equal(await named(), null);
  await page.keyboard.press("ArrowDown");
  await agrees(async () => (await page.getByRole("option", { selected: true }).getAttribute("id")) === (await named()), true);
  await page.keyboard.type("x");
  await agrees(named, null);
}));

// The palette is code that comes with its first use, and who types fast does not wait for it.
test("what is typed behind Ctrl K before its field is there stands in the field, and in no doc", () => withWindow(async ({ page, mock }) => {
  mock.writeFile("lighthouse", "doc-main.md", "# Main\n\nThe lamp stands for the sea.\n");
  await page.goto(`${mock.url}#/project/lighthouse/docs/doc-main.md`);
  const text = page.locator(".cm-content");
  await text.click();
  let go;
  const held = new Promise((ok) => { go = ok; });
  await page.route(/assets\/palette-/, async (route) => { await held; await route.continue(); });
  await page.keyboard.press("Control+k");
  await page.keyboard.type("for thee");
  await page.keyboard.press("Enter");
  await page.keyboard.press("Backspace");
  go();
  const field = find(page);
  await sees(field);
  await page.keyboard.type(" sea");
  assert.equal(await field.inputValue(), "for the sea");
  await page.keyboard.press("Escape");
  assert.deepEqual((await text.innerText()).split(/\n+/), ["# Main", "The lamp stands for the sea.", ""]);
}));

test("Escape before the palette is there closes it, and letters go where they went", () => withWindow(async ({ page, mock }) => {
  mock.writeFile("lighthouse", "doc-main.md", "# Main\n");
  await page.goto(`${mock.url}#/project/lighthouse/docs/doc-main.md`);
  await page.locator(".cm-content").click();
  let go;
  const held = new Promise((ok) => { go = ok; });
  await page.route(/assets\/palette-/, async (route) => { await held; await route.continue(); });
  await page.keyboard.press("Control+k");
  await page.keyboard.type("ab");
  await page.keyboard.press("Escape");
  await page.keyboard.press("Control+End");
  await page.keyboard.type("cd");
  go();
  await page.waitForTimeout(100);
  assert.equal(await page.getByRole("dialog").count(), 0);
  assert.match(await page.locator(".cm-content").innerText(), /cd/);
  assert.doesNotMatch(await page.locator(".cm-content").innerText(), /ab/);
}));
