// What goes on in all projects, and the page of projects.
import { test } from "node:test";
import assert from "node:assert/strict";
import { agrees, gone, sees, until, withWindow } from "./browser.mjs";

test("what waits in another project is counted in the title, and one is led there", () => withWindow(async ({ page, mock }) => {
  mock.addProject("book");
  const far = mock.addDialog("book", "soup", "claude", "claude-test", { title: "The soup" });
  const near = mock.addDialog("lighthouse", "door", "claude", "claude-test", { title: "Paint the door" });
  await page.goto(`${mock.url}#/project/lighthouse/dialogs/${near.id}`);
  await sees(page.getByRole("heading", { name: "Paint the door", level: 1 }));
  mock.ask(far);
  await agrees(() => page.title(), "(1) Paint the door · Vibey");
  await sees(page.getByRole("link", { name: "1 needs you in book" }));
  mock.ask(near);
  await sees(page.getByRole("link", { name: "2 need you · next in book" }));
  await agrees(() => page.title(), "(2) Paint the door · Vibey");
  assert.match(await page.locator("link[rel=icon]").getAttribute("href"), /^data:/);
  await page.getByRole("link", { name: "2 need you · next in book" }).click();
  await sees(page.getByRole("heading", { name: "The soup", level: 1 }));
  await sees(page.getByRole("link", { name: "2 need you · next in lighthouse" }));
  await page.getByRole("button", { name: "Project book" }).click();
  await sees(page.getByRole("navigation", { name: "Projects" }).getByRole("link", { name: "lighthouse 1 needs you" }));
  await page.goto(`${mock.url}#/projects`);
  await agrees(() => page.title(), "(2) Vibey");
  await sees(page.getByRole("link", { name: "2 need you in 2 projects" }));
}));

test("the projects page says what it is, and what goes on in each", () => withWindow(async ({ page, mock }) => {
  await sees(page.getByText("A project is a folder of your pages"));
  const row = page.getByRole("listitem").filter({ hasText: "lighthouse" });
  await sees(row.getByText("changed Feb 16"));
  const d = mock.addDialog("lighthouse", "door");
  mock.ask(d);
  mock.work(mock.addDialog("lighthouse", "other"));
  await sees(row.getByRole("link", { name: "1 needs you" }));
  await sees(row.getByText("1 writing"));
  mock.addProject("later");
  mock.writeFile("later", "doc-a.md", "");
  await sees(page.getByRole("link", { name: "later" }));
}));

test("a project is downloaded as a copy, in three scopes, and restored from one", () => withWindow(async ({ page, mock }) => {
  await page.getByRole("button", { name: "Menu of project lighthouse" }).click();
  const coming = page.waitForEvent("download");
  await page.getByRole("menuitem", { name: "Docs and dialogs" }).click();
  const copy = await coming;
  assert.equal(copy.suggestedFilename(), "lighthouse-dialogs-20260216-201100.zip");
  await page.getByRole("button", { name: "Restore from a copy" }).click();
  await page.getByLabel("The zip that was downloaded").setInputFiles({ name: copy.suggestedFilename(), mimeType: "application/zip", buffer: Buffer.from("zip of lighthouse") });
  await page.getByLabel("Project name").fill("Lighthouse, again");
  await sees(page.getByText("It will be called Lighthouse-again."));
  await page.getByRole("button", { name: "Restore project" }).click();
  await sees(page.getByText("Restored. 1 setting of git that would have run a program was taken out."));
  await until(() => mock.projects.has("Lighthouse-again"));
  assert.deepEqual(mock.zips, ["zip of lighthouse"]);
}));

test("a copy that is too large for a window is told where it can go", () => withWindow(async ({ page, mock }) => {
  await page.goto(`${mock.url}#/projects`);
  await page.getByRole("button", { name: "Restore from a copy" }).click();
  await page.getByLabel("The zip that was downloaded").setInputFiles({ name: "large-all-20260101-000000.zip", mimeType: "application/zip", buffer: Buffer.alloc(2 ** 24 + 1) });
  await page.getByRole("button", { name: "Restore project" }).click();
  await sees(page.getByText("This copy has 17 MiB, and a window can hand over 16 at most. On the computer where Vibey runs, this takes it: vibey import FILE NAME."));
  assert.deepEqual(mock.zips, []);
}));

test("without a model the way to one is on the page of projects too", () => withWindow(async ({ page, mock }) => {
  mock.providers = [];
  await page.reload();
  await sees(page.getByText("No model is connected yet. Connect one."));
  await page.getByRole("button", { name: "Look again" }).click();
  await sees(page.getByText("Nothing was found. Start Ollama, then look again."));
  mock.providers = [{ provider: "ollama", api: "chat", models: [{ id: "llama" }] }];
  await page.getByRole("button", { name: "Look again" }).click();
  await gone(page.getByText("No model is connected yet. Connect one."));
}));
