// A dialog is forked from a message, the fork opens, and leads back to where it came from.
import { test } from "node:test";
import assert from "node:assert/strict";
import { accessible } from "./axe.mjs";
import { counts, draft, gone, hasFocus, say, sees, until, withWindow } from "./browser.mjs";

/** told is a dialog of two turns. */
async function told(page, mock) {
  const d = await draft(page, mock, "my-poem");
  mock.append(d, "User", "input/markdown", "Write a poem.", { meta: { By: "human" } });
  mock.append(d, "Assistant", "output/markdown", "Roses are red.");
  mock.append(d, "User", "input/markdown", "Another one.", { meta: { By: "human" } });
  mock.append(d, "Assistant", "output/markdown", "Violets are blue.");
  await sees(page.getByText("Violets are blue."));
  return d;
}

const menus = (page) => page.getByRole("button", { name: "Menu of this message" });

test("a message is forked from its menu, by keys alone; the fork opens, and leads back to the place", () => withWindow(async ({ page, mock }) => {
  const d = await told(page, mock);
  await counts(menus(page), 4);
  const answer = page.getByRole("article").filter({ hasText: "Roses are red." });
  await answer.focus();
  await answer.getByRole("button", { name: "Menu of this message" }).focus();
  await page.keyboard.press("Enter");
  await hasFocus(page.getByRole("menuitem", { name: "Fork from here" }));
  await page.keyboard.press("Escape");
  await gone(page.getByRole("menuitem"));
  await hasFocus(answer.getByRole("button", { name: "Menu of this message" }));
  await page.keyboard.press("Enter");
  await hasFocus(page.getByRole("menuitem", { name: "Fork from here" }));
  await page.keyboard.press("Enter");
  const title = "Write a poem. (from message 1)";
  await sees(page.getByRole("heading", { name: title, level: 1 }));
  const fork = [...mock.projects.get("lighthouse").dialogs.values()].at(-1);
  assert.deepEqual(fork.fork, { dialogId: d.id, at: d.sections[1].id });
  await until(() => page.url().endsWith(fork.id));
  await sees(page.getByText("Roses are red."));
  assert.equal(await page.getByText("Another one.").count(), 0);
  const kin = page.getByRole("navigation", { name: "Dialogs that belong together" });
  await sees(kin.getByText("Forked from"));
  await accessible(page, "a fork");
  // It goes on by itself, and the other stays as it was.
  await say(page, "hello");
  await until(() => fork.sections.some((s) => s.role === "User" && s.payloads[0].text === "hello"));
  assert.equal(d.sections.length, 4);
  await kin.getByRole("link", { name: /my-poem|Write a poem/ }).click();
  await until(() => page.url().endsWith(d.id));
  await sees(page.getByText("Violets are blue."));
  await hasFocus(page.getByRole("article").filter({ hasText: "Roses are red." }));
}));

test("the fork's head is there after a reload, also where the dialog that it came from is gone", () => withWindow(async ({ page, mock }) => {
  const d = await told(page, mock);
  const own = page.getByRole("article").filter({ hasText: "Another one." });
  await own.hover();
  await own.getByRole("button", { name: "Menu of this message" }).click();
  await page.getByRole("menuitem", { name: "Fork from here" }).click();
  await sees(page.getByText("Forked from"));
  await page.reload();
  const kin = page.getByRole("navigation", { name: "Dialogs that belong together" });
  await sees(kin.getByRole("link"));
  mock.deleteDialog(d);
  await sees(kin.getByText("a dialog that is not there any more"));
}));

test("why a fork was not made is told, and nothing else happens", () => withWindow(async ({ page, mock }) => {
  const d = await told(page, mock);
  const own = page.getByRole("article").filter({ hasText: "Another one." });
  d.sections[2] = { ...d.sections[2], id: "edited" }; // by hand, behind the window's back
  await own.hover();
  await own.getByRole("button", { name: "Menu of this message" }).click();
  await page.getByRole("menuitem", { name: "Fork from here" }).click();
  await sees(page.getByText("There is no such section. Nothing was made."));
  assert.ok(page.url().endsWith(d.id));
}, { expect: /404/ }));

test("the menu is whole in view at a phone's width", () => withWindow(async ({ page, mock }) => {
  await told(page, mock);
  const last = menus(page).last();
  await page.getByRole("article").last().focus();
  await last.click();
  const item = page.getByRole("menuitem", { name: "Fork from here" });
  await sees(item);
  await item.scrollIntoViewIfNeeded();
  const box = await item.boundingBox();
  assert.ok(box.x >= 0 && box.x + box.width <= 390, JSON.stringify(box));
  assert.equal(await item.evaluate((e) => { const b = e.getBoundingClientRect(); return e.contains(document.elementFromPoint(b.x + b.width / 2, b.y + b.height / 2)); }), true);
}, { width: 390, height: 740 }));
