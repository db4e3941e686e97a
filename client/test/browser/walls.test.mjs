// What stands around commands, and how to have more of it, is read without a pointer.
import { test } from "node:test";
import assert from "node:assert/strict";
import { accessible } from "./axe.mjs";
import { agrees, gone, hasFocus, sees, withWindow } from "./browser.mjs";

const WHY = 'Commands could run behind stronger walls, those of bubblewrap. bwrap says: "setting up uid map: Permission denied". AppArmor refuses it a namespace (kernel.apparmor_restrict_unprivileged_userns is 1). Load the profile.';
const REMEDY = "sudo apt install apparmor-profiles\nsudo apparmor_parser -r /etc/apparmor.d/bwrap-userns-restrict";

/** weak starts the server again, with thin walls. */
async function weak(page, mock) {
  Object.assign(mock, { sandbox: "landlock", sandboxWhy: WHY, sandboxRemedy: REMEDY });
  await page.reload();
}
const box = (page) => page.getByRole("dialog", { name: "Commands run with fewer safeguards" });

test("the pill says why the walls are thin, by the keyboard, and gives the commands", () => withWindow(async ({ page, mock, context }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await weak(page, mock);
  const pill = page.getByRole("button", { name: "Commands run with fewer safeguards" });
  await pill.focus();
  await page.keyboard.press("Enter");
  await sees(box(page).getByText(WHY));
  await sees(box(page).getByText("It can tell which other programs run."));
  await accessible(page, "the walls");
  await box(page).getByRole("button", { name: "Copy the commands", disabled: false }).click();
  await sees(page.getByText("Copied."));
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), REMEDY);
  await page.keyboard.press("Escape");
  await gone(box(page));
  await hasFocus(pill);
}));

test("where nothing may be copied the commands are selected", () => withWindow(async ({ page, mock }) => {
  await page.addInitScript(() => Object.defineProperty(navigator, "clipboard", { value: undefined }));
  await weak(page, mock);
  await page.getByRole("button", { name: "Commands run with fewer safeguards" }).click();
  await box(page).getByRole("button", { name: "Copy the commands", disabled: false }).click();
  await sees(page.getByText("The text is selected: copy it by hand."));
  await agrees(() => page.evaluate(() => getSelection().toString()), REMEDY);
}));

test("on a phone it is in the menu of the project, and on the page of projects in the bar", () => withWindow(async ({ page, mock }) => {
  await weak(page, mock);
  await page.getByRole("button", { name: "Project lighthouse" }).click();
  await page.getByRole("navigation", { name: "Projects" }).getByRole("button", { name: "Commands run with fewer safeguards" }).click();
  await sees(box(page).getByText(WHY));
  assert.equal(await box(page).evaluate((e) => e.scrollWidth <= e.clientWidth), true, "no word is cut");
  await box(page).getByRole("button", { name: "Close", disabled: false }).click();
  await page.goto(mock.url + "#/projects");
  await page.getByRole("button", { name: "Commands run with fewer safeguards" }).click();
  await sees(box(page).getByText(WHY));
}, { width: 390, height: 844, path: "#/project/lighthouse/docs" }));

test("the strongest walls have no remedy", () => withWindow(async ({ page, mock }) => {
  mock.sandbox = "bwrap";
  await page.reload();
  await page.getByRole("button", { name: "Commands stay inside this project" }).click();
  const walls = page.getByRole("dialog", { name: "Commands stay inside this project" });
  await sees(walls.getByText("Stays inside this project: it can change only deed/"));
  assert.equal(await walls.getByRole("button", { name: /^Copy/ }).count(), 0);
}));

test("where no command can be tried, the walls say so", () => withWindow(async ({ page, mock }) => {
  const words = "Here a command can’t be tried first: you are asked before it runs, and Undo takes back only what an agent’s own edits changed.";
  for (const layers of [false, true]) {
    Object.assign(mock, { sandbox: "bwrap", layers });
    await page.reload();
    await page.getByRole("button", { name: "Commands stay inside this project" }).click();
    const walls = page.getByRole("dialog", { name: "Commands stay inside this project" });
    await sees(walls.getByText("Stays inside this project: it can change only deed/"));
    assert.equal(await walls.getByText(words).count(), layers ? 0 : 1);
  }
}));

test("a disk that may forget is told beside the walls, also where they are the strongest", () => withWindow(async ({ page, mock }) => {
  Object.assign(mock, { sandbox: "bwrap", durable: false });
  await page.reload();
  const words = "Commands stay inside this project; a power cut may lose work";
  await sees(page.getByRole("button", { name: words }).locator(".icon"));
  await page.getByRole("button", { name: words }).click();
  await sees(page.getByRole("dialog", { name: words }).getByText(/^A disk here does not keep the names of files/));
  await accessible(page, "a disk that may forget");
  await page.keyboard.press("Escape");
  mock.durable = undefined;
  await page.reload();
  await sees(page.getByRole("button", { name: "Commands stay inside this project", exact: true }));
}, { width: 390, height: 844, path: "#/projects" }));
