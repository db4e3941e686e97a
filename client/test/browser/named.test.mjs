// What a screen reader makes of lists, questions, menus and diffs: their names and roles.
import { test } from "node:test";
import assert from "node:assert/strict";
import { draft, hasFocus, sees, withWindow } from "./browser.mjs";

// The names of all nodes of a role, and what describes each, as the browser tells them.
async function tree(page, role) {
  const session = await page.context().newCDPSession(page);
  const { nodes } = await session.send("Accessibility.getFullAXTree");
  await session.detach();
  return nodes.filter((n) => !n.ignored && n.role?.value === role).map((n) => ({ name: n.name?.value ?? "", about: n.description?.value ?? "" }));
}

test("a list says a dialog's name and never its file's, and its menu is a menu", () => withWindow(async ({ page, mock }) => {
  mock.addDialog("lighthouse", "door", "claude", "claude-test", { title: "Paint the door" });
  await page.goto(`${mock.url}#/project/lighthouse/dialogs`);
  const side = page.getByRole("complementary", { name: "Dialogs" });
  await sees(side.getByRole("link", { name: /Paint the door/ }));
  assert.equal(await side.locator("[title*='.md']").count(), 0);
  assert.deepEqual((await tree(page, "link")).filter((l) => /\.md/.test(l.name + l.about)), []);
  await side.getByRole("button", { name: "Menu of Paint the door" }).click();
  const item = side.getByRole("menu", { name: "Menu of Paint the door" }).getByRole("menuitem", { name: "Delete…" });
  await hasFocus(item);
  await page.keyboard.press("Enter");
  // What is deleted is said by the question, which is named once.
  await sees(page.getByRole("dialog", { name: "Delete Paint the door?" }));
  const [asked] = await tree(page, "dialog");
  assert.equal(asked.about, "Its text is removed from the disk: all that was said and done in it. The docs and files that it made stay. This can’t be undone.");
  assert.deepEqual((await tree(page, "group")).filter((g) => /^Delete/.test(g.name)), []);
}));

test("no progress bar speaks with each round: its words are there", () => withWindow(async ({ page, mock }) => {
  await draft(page, mock);
  const d = [...mock.projects.get("lighthouse").dialogs.values()].at(-1);
  d.governor = { ...d.governor, budget: { used: 14, limit: 40 } };
  mock.append(d, "User", "input/markdown", "go");
  await page.reload();
  await sees(page.getByText("14 of 40 steps"));
  assert.deepEqual(await tree(page, "progressbar"), []);
}));

test("each of several questions is asked once, in one group", () => withWindow(async ({ page, mock }) => {
  const d = await draft(page, mock);
  mock.ask(d, "edit_file", { path: "deed/a.txt", old_string: "one\n", new_string: "two\n" });
  mock.ask(d, "write_file", { path: "deed/b.txt", content: "one" });
  const asks = page.getByRole("group", { name: "Change deed/a.txt?" });
  await sees(asks.getByRole("radio", { name: "Allow once" }));
  assert.equal(await asks.getByText("Change deed/a.txt?").count(), 1);
  // Within it no other group has a name but what can be scrolled.
  assert.deepEqual(await asks.locator("[role=group][aria-label], figure[aria-label]").evaluateAll((all) => all.map((e) => e.getAttribute("aria-label"))), ["change"]);
}));
