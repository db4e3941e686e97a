// Ask where the words stand: a passage of a doc is asked about, and the answer stands there.
import { test } from "node:test";
import assert from "node:assert/strict";
import { agrees, gone, hasFocus, holds, sees, until, withWindow } from "./browser.mjs";

const DOC = "#/project/lighthouse/docs/doc-night.md";
const box = (page) => page.getByRole("textbox", { name: /^Text of / });
const NIGHT = "# Night\n\nIt was a dark night.\n\nThe lamp stood still.\n\nNobody came.\n";
const menu = (page) => page.getByRole("group", { name: "The passage" });

/** withDoc runs a test on a doc of some lines. */
const withDoc = (run, more = {}) => withWindow(async (w) => {
  w.mock.writeFile("lighthouse", "doc-night.md", NIGHT);
  await w.page.goto(w.mock.url + DOC);
  await sees(box(w.page));
  await run(w);
}, more);

/** select selects a line of the open doc by its text. */
async function select(page, text) {
  await box(page).locator(".cm-line", { hasText: text }).click();
  await page.keyboard.press("Home");
  await page.keyboard.press("Shift+End");
}

test("a small button stands at what is selected, and goes with it", () => withDoc(async ({ page }) => {
  assert.equal(await menu(page).count(), 0);
  await select(page, "dark night");
  await sees(menu(page).getByRole("button", { name: "Ask", exact: true }));
  await page.keyboard.press("ArrowRight");
  await gone(menu(page));
}));

const field = (page) => page.getByRole("textbox", { name: "Ask about this passage" });
const goesTo = (page) => page.getByRole("combobox", { name: "Goes to" });
const file = (mock, name = "doc-night.md") => mock.projects.get("lighthouse").files.get(name).content;
/** words returns what a passage names in a file. */
const words = (mock, { file: name, from, to }) => Buffer.from(file(mock, name)).subarray(from, to).toString();
const selection = (page) => page.evaluate(() => getSelection().toString());

test("Ctrl I opens a field at the passage, which has the focus; Escape gives focus and selection back", () => withDoc(async ({ page }) => {
  await select(page, "dark night");
  const was = await selection(page);
  await page.keyboard.press("Control+i");
  await hasFocus(field(page));
  await gone(menu(page));
  await page.keyboard.type("Shorter");
  await page.keyboard.press("Escape");
  await gone(field(page));
  await hasFocus(box(page));
  assert.equal(await selection(page), was);
  // The words are kept, also by a reload.
  await page.keyboard.press("Control+i");
  await holds(field(page), "Shorter");
  await page.reload();
  await sees(box(page));
  await select(page, "Nobody came");
  await page.getByRole("button", { name: "Ask", exact: true }).click();
  await hasFocus(field(page));
  await holds(field(page), "Shorter");
}));

test("Ctrl I without a selection makes words italic, and with Shift what is selected", () => withDoc(async ({ page }) => {
  await box(page).locator(".cm-line", { hasText: "dark night" }).click();
  await page.keyboard.press("End");
  await page.keyboard.press("Control+i");
  await page.keyboard.type("far");
  await agrees(() => box(page).evaluate((e) => e.textContent.includes("*far*")), true);
  assert.equal(await field(page).count(), 0);
  await page.keyboard.press("Shift+Home");
  await page.keyboard.press("Control+Shift+I");
  await agrees(() => box(page).locator(".cm-line").nth(2).evaluate((e) => e.textContent), "*It was a dark night.*far**");
}));

test("a question goes to a new dialog that the doc names, unsaved words first; the next one to the same", () => withDoc(async ({ page, mock }) => {
  await box(page).click();
  await page.keyboard.press("Control+End");
  await page.keyboard.insertText("\nEin grünes Licht 🚨 däm.\r\n");
  await select(page, "grünes");
  await page.keyboard.press("Control+i");
  await agrees(() => goesTo(page).evaluate((e) => e.selectedOptions[0].textContent), "a new dialog, Night");
  await page.keyboard.type("Which colour?");
  await page.keyboard.press("Enter");
  await gone(field(page));
  await hasFocus(box(page));
  assert.equal(mock.starts.length, 1);
  const { on, ...start } = mock.starts[0];
  assert.deepEqual(start, { provider: "claude", model: "claude-test", title: "Night", prompt: "Which colour?" });
  assert.ok(file(mock).includes("grünes"), "unsaved words are saved first");
  assert.equal(words(mock, on[0]), "Ein grünes Licht 🚨 däm.");
  await sees(page.getByText(/^Saved/));
  await until(() => [...mock.projects.get("lighthouse").dialogs.values()].some((d) => d.needs === "reply" && d.sections.length > 1));
  const [d] = mock.projects.get("lighthouse").dialogs.values();
  const seen = d.sections.at(-1).id;

  await select(page, "lamp stood");
  await page.keyboard.press("Control+i");
  await agrees(() => goesTo(page).inputValue(), d.id);
  await page.keyboard.type("Why?");
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await until(() => mock.puts.length === 1);
  assert.equal(mock.puts[0].dialogId, d.id);
  assert.equal(words(mock, mock.puts[0].on[0]), "The lamp stood still.");
  assert.equal(mock.puts[0].seen, seen);
  await gone(field(page));

  // The small line changes it.
  await until(() => d.needs === "reply");
  await select(page, "dark night");
  await page.keyboard.press("Control+i");
  await goesTo(page).selectOption("");
  await field(page).fill("And this?");
  await field(page).press("Enter");
  await until(() => mock.starts.length === 2);
}));

test("where the file is another by now, the passage is looked for anew, or the words stay", () => withDoc(async ({ page, mock }) => {
  await select(page, "lamp stood");
  await page.keyboard.press("Control+i");
  await page.keyboard.type("Why?");
  // Behind the window's back, so that it learns of it by the refusal.
  const f = mock.projects.get("lighthouse").files.get("doc-night.md");
  f.content = NIGHT.replace("It was", "New words above.\n\nIt was");
  await page.keyboard.press("Enter");
  await until(() => mock.starts.length === 2);
  await gone(field(page));
  assert.equal(words(mock, mock.starts[1].on[0]), "The lamp stood still.");

  await until(() => [...mock.projects.get("lighthouse").dialogs.values()].every((d) => d.needs === "reply"));
  await select(page, "dark night");
  await page.keyboard.press("Control+i");
  await page.keyboard.type("Where?");
  f.content = f.content.replace("dark night", "bright day");
  await page.keyboard.press("Enter");
  await sees(page.getByText("These words do not stand in the doc any more"));
  await holds(field(page), "Where?");
  await hasFocus(field(page));
  assert.equal(mock.puts.filter((p) => p.prompt).length, 1);
}, { expect: /409/ }));

test("in the dialog the passage stands above the words, with a link to its place", () => withDoc(async ({ page, mock }) => {
  await select(page, "lamp stood");
  await page.keyboard.press("Control+i");
  await page.keyboard.type("Why *so*?");
  await page.keyboard.press("Enter");
  await until(() => mock.starts.length === 1);
  const [d] = mock.projects.get("lighthouse").dialogs.values();
  await page.goto(`${mock.url}#/project/lighthouse/dialogs/${d.id}`);
  const said = page.getByRole("article", { name: /^You/ });
  await sees(said.getByText("Why *so*?"));
  await sees(said.getByText("The lamp stood still."));
  await said.getByRole("link", { name: "On Night, line 5" }).click();
  await sees(box(page));
  await agrees(() => selection(page), "The lamp stood still.");
}));
