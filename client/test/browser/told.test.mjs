// What a screen reader is told of a card, and of what the human does.
import { test } from "node:test";
import assert from "node:assert/strict";
import { agrees, draft, gone, hasFocus, rests, say, sees, until, withWindow } from "./browser.mjs";

const card = (page) => page.getByTestId("approval");

/** heard notes all that is announced from now on. */
const heard = (page) => page.evaluate(() => {
  globalThis.told = [];
  const box = document.querySelector("[data-testid=heard]");
  new MutationObserver((all) => all.forEach((m) => m.addedNodes.forEach((n) => told.push(n.textContent)))).observe(box, { childList: true });
});
const told = (page) => page.evaluate(() => told);

/** nodeOf returns what the browser tells a screen reader of an element: its role, its name, its description and whether it is off. */
async function nodeOf(page, locator) {
  const cdp = await page.context().newCDPSession(page);
  await locator.evaluate((e) => { globalThis.asked = e; });
  const { result } = await cdp.send("Runtime.evaluate", { expression: "asked" });
  const { nodes } = await cdp.send("Accessibility.getPartialAXTree", { objectId: result.objectId, fetchRelatives: false });
  const [n] = nodes;
  return { role: n.role?.value, name: n.name?.value ?? "", about: n.description?.value ?? "", off: n.properties?.some((p) => p.name === "disabled" && p.value.value) ?? false };
}

test("the text that a card would write is read out, and no name stands in its place", () => withWindow(async ({ page, mock }) => {
  const d = await draft(page, mock);
  mock.ask(d, "write_file", { path: "deed/a.txt", content: "one\ntwo\n" });
  await rests(page);
  assert.equal((await nodeOf(page, card(page).locator("pre").first())).name, "");
  assert.equal(await card(page).locator("[data-read][aria-label]").count(), 0);
}));

test("Allow is never called off while it is on", () => withWindow(async ({ page, mock }) => {
  const d = await draft(page, mock);
  await page.evaluate(() => {
    globalThis.off = [];
    new MutationObserver(() => {
      const b = document.querySelector(".approval button.allow");
      if (b && !b.disabled && b.closest("[aria-disabled=true]")) off.push(b.textContent);
    }).observe(document.body, { subtree: true, childList: true, attributes: true });
  });
  mock.ask(d);
  await rests(page);
  assert.deepEqual(await page.evaluate(() => off), []);
  assert.equal((await nodeOf(page, card(page).getByRole("button", { name: "Allow once" }))).off, false);
}));

test("the card is named by its question and described by its effect, where the dialog opens and at Ctrl J", () => withWindow(async ({ page, mock }) => {
  const d = mock.addDialog("lighthouse", "map");
  mock.ask(d, "write_file", { path: "deed/map.svg", content: "<svg/>\n" });
  await page.goto(`${mock.url}#/project/lighthouse/dialogs/${d.id}`);
  await rests(page);
  await hasFocus(card(page));
  const { name, about } = await nodeOf(page, card(page));
  assert.equal(name, "Permission needed: Write deed/map.svg?");
  assert.equal(about, "It makes a new file of 1 line (7 bytes).");
  await page.getByRole("textbox", { name: "Message" }).focus();
  await page.keyboard.press("Control+j");
  await hasFocus(card(page));
}));

test("the end of a turn moves no focus, and neither does a question", () => withWindow(async ({ page, mock }) => {
  const d = await draft(page, mock);
  const release = mock.hold();
  await say(page, "hello");
  await sees(page.getByRole("button", { name: "Stop", exact: true }));
  await page.evaluate(() => document.activeElement.blur()); // as in a screen reader's browse mode
  release();
  await sees(page.getByText("You said: hello"));
  await sees(page.getByRole("button", { name: "Finish", exact: true }));
  const nowhere = () => page.evaluate(() => document.activeElement === document.body);
  assert.ok(await nowhere(), "at the end of the turn");
  mock.ask(d);
  await rests(page);
  assert.ok(await nowhere(), "at a question");
  d.pending = [];
  mock.rest(d, "waiting", "reply");
  await gone(card(page));
  assert.ok(await nowhere(), "where it was answered elsewhere");
}));

test("what was done is told: allowed and done, not allowed, sent, created", () => withWindow(async ({ page, mock }) => {
  const d = await draft(page, mock);
  await heard(page);
  await say(page, "hello");
  await until(async () => (await told(page)).includes("Sent."));
  await until(() => d.status === "waiting");
  const write = (n) => mock.ask(d, "write_file", { path: `deed/${n}.txt`, content: n });
  write("a");
  await page.getByRole("button", { name: "Allow once", disabled: false }).click();
  const said = async (words) => (await told(page)).join(" ").includes(words); // what comes at once is one entry
  await until(() => said("Wrote deed/a.txt."));
  assert.ok((await told(page)).join(" ").indexOf("Allowed.") < (await told(page)).join(" ").indexOf("Wrote deed/a.txt."));
  await until(() => d.status === "waiting" && d.pending.length === 0);
  write("b");
  await page.getByRole("button", { name: "Don’t" }).click();
  await until(() => said("Did not write deed/b.txt."));
  assert.ok(await said("Not allowed."));
  await page.goto(`${mock.url}#/project/lighthouse/dialogs/new`);
  await page.getByRole("link", { name: "New dialog" }).click();
  await say(page, "Paint the door");
  await until(() => said("Paint the door was created."));
}));

test("Ctrl J is never the browser's: it goes to Continue, or says that no question waits", () => withWindow(async ({ page, mock }) => {
  const d = await draft(page, mock);
  await page.keyboard.press("Control+j");
  await sees(page.getByRole("status").getByText("No question waits here."));
  mock.append(d, "User", "input/markdown", "go");
  mock.rest(d, "waiting", "continue");
  const on = page.getByRole("button", { name: "Continue" }).first();
  await sees(on);
  await page.evaluate(() => addEventListener("keydown", (e) => { globalThis.taken = e.defaultPrevented; }));
  await page.keyboard.press("Control+j");
  await agrees(() => on.evaluate((e) => e === document.activeElement), true);
  assert.equal(await page.evaluate(() => taken), true);
}));
