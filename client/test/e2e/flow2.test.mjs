// Flow #2: writing docs: saved, warned, stayed, discarded; and what happens to
// them from outside.
import { test } from "node:test";
import assert from "node:assert/strict";
import { gone, project, sees, shot, until, withWorld } from "./real.mjs";

const box = (page) => page.getByRole("textbox", { name: /^Text of / });
const main = (page) => page.getByRole("link", { name: /\bmain$/i }).first();

async function type(page, text) {
  await box(page).click();
  await page.keyboard.press("Control+End");
  await page.keyboard.insertText(text);
  await sees(page.getByText("Not saved"));
}

test("flow 2: main is written, saved, stayed with, and changes are dropped", () => withWorld({ replies: [] }, async ({ world, page }) => {
  await project(page, "game");
  world.write("# Game\n\nA light.\n", "game", "doc-main.md"); // short, so that all of it is in view
  await main(page).click();
  await sees(box(page));
  await shot(page, "flow2-1-main");
  await type(page, "\nA tictactoe, grün.\n");
  await page.keyboard.press("Control+s");
  await sees(page.getByText(/^Saved · \d\d:\d\d$/));
  assert.ok(world.read("game", "doc-main.md").endsWith("\nA tictactoe, grün.\n"));

  await type(page, "Two agents.\n");
  await page.getByRole("link", { name: "Dialogs" }).click();
  const ask = page.getByRole("dialog", { name: /is not saved\.$/ });
  await sees(ask);
  await shot(page, "flow2-2-warned");
  await ask.getByRole("button", { name: "Stay" }).click();
  await gone(ask);
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await sees(page.getByText(/^Saved/));
  assert.ok(world.read("game", "doc-main.md").endsWith("Two agents.\n"));

  await type(page, "No, three.\n");
  await page.getByRole("link", { name: "Dialogs" }).click();
  await ask.getByRole("button", { name: "Discard" }).click();
  await sees(page.getByText("Nothing here yet."));
  await page.getByRole("link", { name: "Docs" }).click();
  await main(page).click();
  await sees(box(page).getByText("Two agents."));
  assert.equal(await box(page).getByText("No, three.").count(), 0);
  assert.ok(world.read("game", "doc-main.md").endsWith("Two agents.\n"));

  await type(page, "Four.\n");
  await page.getByRole("link", { name: "Dialogs" }).click();
  await ask.getByRole("button", { name: "Save and leave" }).click();
  await until(() => world.read("game", "doc-main.md").endsWith("Four.\n"));
}));

test("a doc that somebody else changes, wins, or takes away", () => withWorld({ replies: [] }, async ({ world, page }) => {
  await project(page, "game");
  world.write("# Game\n\nA light.\n", "game", "doc-main.md"); // short, so that all of it is in view
  await main(page).click();
  await sees(box(page).getByText("A light."));
  world.write(world.read("game", "doc-main.md") + "\nAn editor added this.\n", "game", "doc-main.md");
  await sees(box(page).getByText("An editor added this."));
  await sees(page.getByText("7 words"));

  await box(page).getByText("A light.").click();
  await page.keyboard.press("End");
  await page.keyboard.insertText(" Mine.");
  world.write("Theirs.\n", "game", "doc-main.md");
  await sees(page.getByText("You and another writer changed the same lines."));
  await page.keyboard.press("Control+s");
  const both = page.getByRole("region", { name: "Both versions" });
  await sees(both.getByText("Theirs."));
  await shot(page, "flow2-3-both");
  assert.equal(world.read("game", "doc-main.md"), "Theirs.\n");
  await page.getByRole("button", { name: "Take theirs" }).click();
  await sees(box(page).getByText("Theirs."));

  // A file that no longer exists deselects quietly.
  world.write("# Notes\n", "game", "doc-notes.md");
  await page.getByRole("link", { name: "Notes", exact: true }).click();
  await sees(page.locator("h1").and(page.getByRole("heading", { name: "notes", level: 1 })));
  await world.ask("DELETE", "/project/game/file/doc-notes.md");
  await gone(page.locator("h1").and(page.getByRole("heading", { name: "notes", level: 1 })));
  assert.equal(await page.getByRole("alert").count(), 0);
  await page.goto(`http://${world.addr}/#/project/game/docs/doc-never.md`);
  await until(() => new URL(page.url()).hash === "#/project/game/docs", "the window lets go of a file that is not there");
}, { expect: /409|404/ }));
