// The keys that act, from the keymap: each where it says, and none where letters are switched off.
import { test } from "node:test";
import assert from "node:assert/strict";
import { draft, gone, say, sees, until, withWindow } from "./browser.mjs";

const second = (page) => page.clock.fastForward(1100);
const leaveText = async (page) => {
  await page.getByRole("region", { name: "Dialog text" }).click();
  await second(page);
};

test("U goes to the next dialog that needs the human, and Ctrl . stops the agent", () => withWindow(async ({ page, mock }) => {
  const one = mock.addDialog("lighthouse", "one"), two = mock.addDialog("lighthouse", "two");
  mock.ask(one);
  mock.ask(two);
  const d = await draft(page, mock);
  await sees(page.getByRole("link", { name: "2 need you" }));
  const asked = [];
  for (let n = 0; n < 2; n++) {
    await leaveText(page);
    await page.keyboard.press("u");
    await sees(page.getByTestId("approval"));
    await until(() => !asked.includes(page.url()));
    asked.push(page.url());
  }
  assert.deepEqual(asked.map((u) => u.split("/").at(-1)).sort(), [one.id, two.id].sort());
  await page.goto(`${mock.url}#/project/lighthouse/dialogs/${d.id}`);
  mock.hold();
  await say(page, "hello");
  await sees(page.getByRole("button", { name: "Stop", disabled: false }));
  await page.getByRole("textbox", { name: "Message" }).press("Control+."); // also while one writes
  await until(() => d.status === "waiting");
  assert.deepEqual(mock.puts.at(-1), { dialogId: d.id, status: "waiting" });
}, { clock: true }));

test("the list of keys is made of the keymap, and single letters can be switched off in it", () => withWindow(async ({ page, mock }) => {
  const d = await draft(page, mock);
  const here = page.url();
  await leaveText(page);
  await page.keyboard.press("Shift+Slash"); // as a hand makes "?"
  const list = page.getByRole("dialog", { name: "Keys" });
  await sees(list.getByText("To the next dialog that needs you"));
  await page.clock.runFor(600);
  await list.getByRole("checkbox", { name: "Single letters act" }).uncheck();
  await page.keyboard.press("Escape");
  await gone(list);
  await page.reload();
  mock.ask(d);
  await sees(page.getByTestId("approval"));
  await leaveText(page);
  await page.keyboard.press("n");
  assert.equal(page.url(), here);
  await page.keyboard.press("Control+j");
  await second(page);
  await page.keyboard.press("a");
  await page.clock.runFor(100);
  assert.equal(d.pending.length, 1);
  assert.deepEqual(mock.puts, []);
}, { clock: true }));

test("letters that go on act at once, one after the other; only what decides wants a second of silence", () => withWindow(async ({ page, mock }) => {
  const d = mock.addDialog("lighthouse", "talk");
  for (let i = 0; i < 6; i++) mock.append(d, i % 2 ? "Assistant" : "User", i % 2 ? "output/markdown" : "input/markdown", `Message ${i}. ${"It goes on. ".repeat(120)}`);
  await page.goto(`${mock.url}#/project/lighthouse/dialogs/${d.id}`);
  await sees(page.getByText("Message 5."));
  await page.getByRole("region", { name: "Dialog text" }).click({ position: { x: 5, y: 5 } });
  const top = () => page.locator(".log").evaluate((e) => e.scrollTop);
  const tops = [await top()];
  for (let i = 0; i < 3; i++) {
    await page.keyboard.press("k");
    await until(async () => (await top()) < tops.at(-1), "each K goes one message up");
    tops.push(await top());
  }
  await page.keyboard.press("g");
  await sees(page.getByRole("heading", { name: "lighthouse", level: 1 }));
}));

test("letters act once a pointer was used, and are switched in the menu; ? shows the keys before that", () => withWindow(async ({ page, mock, context }) => {
  const here = `${mock.url}#/project/lighthouse/dialogs`;
  await context.addInitScript(() => localStorage.removeItem("vibey.pointed"));
  await page.goto(here);
  await page.reload();
  await sees(page.getByRole("link", { name: "New dialog" }));
  await page.keyboard.press("n"); // as one who reads with a screen reader
  await page.keyboard.down("Shift");
  await page.keyboard.press("?");
  await page.keyboard.up("Shift");
  const list = page.getByRole("dialog", { name: "Keys" });
  await sees(list);
  assert.equal(page.url(), here);
  assert.equal(await list.getByRole("checkbox", { name: "Single letters act" }).isChecked(), false);
  await page.keyboard.press("Escape");
  await gone(list);
  const menu = page.getByRole("button", { name: "Project lighthouse" });
  await menu.focus();
  await page.keyboard.press("Enter");
  await page.getByRole("switch", { name: "Single letters act", checked: false }).focus();
  await page.keyboard.press("Enter");
  await page.keyboard.press("Tab");
  await page.keyboard.press("n");
  await sees(page.getByRole("heading", { name: "New dialog" }));
}));

test("the first Tab stop leads past the bar and the list to what is open", () => withWindow(async ({ page, mock }) => {
  await page.goto(`${mock.url}#/project/lighthouse/docs/doc-main.md`);
  await sees(page.getByRole("textbox", { name: /^Text of / }));
  const skip = page.getByRole("link", { name: "Skip to what is open" });
  await skip.focus();
  assert.ok((await skip.boundingBox()).width > 60, "it is seen once it has the focus");
  assert.equal(await page.evaluate(() => document.querySelector("a[href], button, input, [tabindex]").className), "skip");
  const here = page.url();
  await page.keyboard.press("Enter");
  assert.equal(await page.evaluate(() => document.activeElement.tagName), "MAIN");
  assert.equal(page.url(), here);
  assert.ok((await skip.boundingBox()).width <= 2, "and not seen without it");
}));

test("on a Mac all keys are shown with its Command key", () => withWindow(async ({ page, mock, context }) => {
  await context.addInitScript(() => Object.defineProperty(Navigator.prototype, "platform", { get: () => "MacIntel" }));
  const d = await draft(page, mock);
  mock.ask(d, "run_shell", { command: "cat vibey.md" });
  await page.reload();
  await sees(page.getByTestId("approval"));
  const shown = () => page.evaluate(() => [document.body.innerText, ...[...document.querySelectorAll("[title], [aria-keyshortcuts]")].flatMap((e) => [e.title, e.ariaKeyShortcuts ?? ""])].join("\n"));
  assert.match(await shown(), /⌘ J/);
  assert.doesNotMatch(await shown(), /Ctrl|Control\+/);
  await page.goto(`${mock.url}#/project/lighthouse/docs/doc-main.md`);
  await sees(page.getByRole("textbox", { name: /^Text of / }));
  assert.match(await shown(), /⌘ S/);
  await page.getByRole("button", { name: "Keys", exact: true }).click();
  await sees(page.getByText("⌘ Shift E"));
  assert.doesNotMatch(await shown(), /Ctrl|Control\+/);
  await page.keyboard.press("Escape");
  await page.goto(`${mock.url}#/project/lighthouse/dialogs/${d.id}`);
  await page.getByRole("button", { name: "More", exact: true }).click();
  await page.getByRole("menuitem", { name: "Keys…" }).click();
  await sees(page.getByRole("dialog", { name: "Keys" }));
  assert.doesNotMatch(await shown(), /Ctrl|Control\+/);
}));

test("the button at a link says what it does", () => withWindow(async ({ page, mock }) => {
  await page.goto(`${mock.url}#/project/lighthouse/docs/doc-main.md`);
  await page.getByRole("textbox", { name: /^Text of / }).click();
  await page.keyboard.press("Control+End");
  await page.keyboard.insertText("\n\n[the pier](https://example.org/pier)");
  for (let i = 0; i < 5; i++) await page.keyboard.press("ArrowLeft");
  await sees(page.getByRole("button", { name: "Open the link to https://example.org/pier" }));
}));
