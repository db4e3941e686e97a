// A small story with two agents, made through the page alone, from the first page to the copy
// that is taken away. What each step must show is asserted; `look` is told of each step.
import assert from "node:assert/strict";
import { agrees, allow, card, gone, project, read, say, sees, text, until } from "../e2e/real.mjs";
import { html, LAST, MAIN, PEOPLE, PROJECT, SEA, STORY, TITLE } from "./words.mjs";

const tab = (page, name) => page.getByRole("banner").getByRole("link", { name, exact: true });
const box = (page) => page.getByRole("textbox", { name: /^Text of / });
const allowButton = (page) => card(page).getByRole("button", { name: "Allow once" });
const dialogs = (page) => page.getByRole("complementary", { name: "Dialogs" });
const asked = (page, question) => sees(card(page).getByRole("heading", { name: question }));

/** writes types a whole doc and saves it. */
async function writes(page, doc, words) {
  await box(page, doc).click();
  await page.keyboard.press("Control+a");
  await page.keyboard.insertText(words);
  await page.keyboard.press("Control+s");
  await sees(page.getByText(/^Saved/));
}

/** reads brings all of the question into view, until it can be allowed. */
async function reads(page) {
  await read(card(page), allowButton(page));
  await sees(page.getByRole("button", { name: "Allow once", disabled: false }));
}

async function allows(page) {
  await reads(page);
  await allow(page);
}

/**
 * clicks clicks until something is seen: while the log draws what is above, what is clicked on may move from
 * under the pointer.
 */
const clicks = (button, seen) => until(async () => {
  if (await seen.isVisible()) return true;
  await button.click({ timeout: 2000 }).catch(() => undefined);
  return seen.waitFor({ timeout: 2000 }).then(() => true, () => false);
}, `${seen} after a click`);

/** tell makes the story. */
export async function tell({ world, page, open }, look) {
  await look("projects-empty", page);
  await project(page, PROJECT);
  await page.getByRole("link", { name: /\bmain$/i }).first().click();
  await sees(box(page));
  await look("main-as-it-comes", page);
  await writes(page, "main", MAIN);
  await page.keyboard.press("Control+Home");
  await box(page).getByText("Ada has kept the lamp").click();
  await agrees(() => page.locator(".strip .words").textContent(), "121 words");
  await look("main-written", page);
  await tab(page, "Docs").click();
  await page.getByRole("button", { name: "New doc" }).click();
  await page.getByLabel("Title", { exact: true }).fill("people");
  await page.getByRole("button", { name: "Create doc" }).click();
  await sees(page.locator("h1").and(page.getByRole("heading", { name: "people", level: 1 })));
  await writes(page, "people", PEOPLE);
  await look("people-written", page);

  // The writer.
  await tab(page, "Dialogs").click();
  await sees(page.getByText("Nothing here yet."));
  await look("dialogs-empty", page);
  await page.getByRole("link", { name: "New dialog" }).click();
  await sees(page.getByRole("combobox", { name: "Model" }));
  await look("dialog-new", page);
  await say(page, "Write the last light\n\nPlease start.");
  await sees(page.getByRole("heading", { name: "Write the last light", level: 1 }));
  await sees(page.locator(".open-text").getByText(/Midnight/));
  await look("writing", page);
  await asked(page, "Write deed/story.md?");
  await sees(card(page).getByText(/It makes a new file of 19 lines/));
  await sees(page.getByRole("link", { name: "1 needs you" }));
  await reads(page);
  assert.equal(world.there(PROJECT, "deed", "story.md"), false);
  await look("question", page);
  const offered = await card(page).locator("pre, .diff .row code").allInnerTexts();
  assert.ok(STORY.trimEnd().split("\n").every((l) => offered.join("\n").includes(l)), "all that Allow writes is on the card");
  await allow(page);
  await asked(page, "Start another agent?");
  assert.equal(world.read(PROJECT, "deed", "story.md"), STORY);
  await reads(page);
  await look("question-agent", page);
  await allow(page);
  await sees(text(page).getByText("The illustrator is at work."));
  await look("writer-rests", page);
  const writer = page.url();

  // The illustrator: answered from the board, then in its dialog.
  await tab(page, "Board").click();
  const tile = page.locator("li.tile").filter({ has: page.getByRole("heading", { name: /You are the illustrator/ }) });
  await tile.getByRole("button", { name: /^Answer here: / }).click();
  await asked(page, "Write deed/pictures/lamp.svg?");
  await reads(page);
  await look("board", page);
  await card(page).locator("details.always-list").evaluate((e) => { e.open = true; });
  await card(page).getByRole("checkbox", { name: "Always allow writing files in deed/pictures/ in this dialog" }).check();
  await allows(page);
  await until(() => world.there(PROJECT, "deed", "pictures", "sea.svg"));
  assert.equal(world.read(PROJECT, "deed", "pictures", "sea.svg"), SEA);
  await tab(page, "Dialogs").click();
  await dialogs(page).getByRole("link", { name: /^needs you You are the illustrator/ }).first().click();
  await asked(page, "Write deed/index.html?");
  await sees(page.getByRole("group", { name: "Allowed without asking" }));
  await card(page).getByRole("button", { name: "Tell it why…" }).click();
  await card(page).getByRole("textbox", { name: "Why not" }).fill("No frame around it: quiet paper, nothing else.");
  await look("tell-why", page);
  await card(page).getByRole("button", { name: "Don’t, and say" }).click();
  await sees(text(page).getByText("Without the frame, then."));
  await asked(page, "Write deed/index.html?");
  assert.equal(world.there(PROJECT, "deed", "index.html"), false);
  await allows(page);
  await sees(text(page).getByText("The page is set:"));
  assert.equal(world.read(PROJECT, "deed", "index.html"), html(false));
  await look("illustrator-done", page);

  // What was made.
  await tab(page, "Made").click();
  const made = page.getByRole("complementary", { name: "Made" });
  await sees(made.getByRole("link", { name: "lamp.svg" }));
  await look("made", page);
  await made.getByRole("link", { name: "index.html" }).click();
  await sees(page.frameLocator('iframe:not(.coming)[title="index.html, as it looks"]').getByRole("heading", { name: "The last light" }));
  await look("made-page", page);
  await tab(page, "Made").click();
  await made.getByRole("link", { name: "lamp.svg" }).click();
  await sees(page.frameLocator('iframe:not(.coming)[title="pictures/lamp.svg, as it looks"]').locator("svg"));
  await look("made-picture", page);

  // A change, its undo, and its redo.
  await tab(page, "Dialogs").click();
  await dialogs(page).getByRole("link", { name: /^your turn Write the last light/ }).first().click();
  await sees(page.getByRole("heading", { name: "Write the last light", level: 1 }));
  await say(page, "The last sentence says too much. Please end on the number.");
  await asked(page, "Change deed/story.md?");
  await reads(page);
  await look("question-change", page);
  await allow(page);
  await asked(page, "Change doc-people.md?");
  assert.equal(world.read(PROJECT, "deed", "story.md"), STORY.replace(LAST, ""));

  // A doc is written while the agent changes it.
  const other = await open(writer);
  await tab(other, "Docs").click();
  await other.getByRole("link", { name: "People", exact: true }).click();
  await sees(box(other, "people"));
  await box(other, "people").getByText("He talks about the weather.").click();
  for (const key of ["Control+End", "ArrowLeft", "ArrowLeft"]) await other.keyboard.press(key);
  await other.keyboard.insertText(", and Ada listens");
  await sees(other.getByText("Not saved"));
  await allows(page);
  await sees(other.getByRole("group", { name: /^An agent, in “.+”, added/ }));
  await sees(box(other, "people").getByText("Nobody explains it."));
  await look("doc-news", other);
  await asked(page, "Change doc-people.md?");
  await until(async () => (await card(page).innerText()).includes("always the same"));
  await allows(page);
  await sees(other.getByText("You and another writer changed the same lines."));
  await other.getByRole("button", { name: "Show both" }).click();
  await sees(other.getByRole("region", { name: "Both versions" }));
  await look("doc-both", other);
  await other.getByRole("button", { name: "Keep both" }).click();
  await other.keyboard.press("Control+s");
  await sees(other.getByText(/^Saved/));
  const people = world.read(PROJECT, "doc-people.md");
  assert.ok(people.includes("the weather, and Ada listens.") && people.includes("He says little") && people.includes("Nobody explains it."), people);
  await other.close();

  await sees(text(page).getByText("Now it ends on the number."));
  const changed = text(page).getByRole("region", { name: "Changed deed/story.md" });
  const line = page.getByRole("complementary", { name: "Undo" });
  await clicks(changed.getByRole("button", { name: /^Undo/ }), line.getByText("You took back what was changed in deed/story.md."));
  await agrees(() => world.read(PROJECT, "deed", "story.md"), STORY);
  await look("undone", page);
  await clicks(line.getByRole("button", { name: /^Redo/ }), line.getByText("You brought back what was changed in deed/story.md."));
  await agrees(() => world.read(PROJECT, "deed", "story.md"), STORY.replace(LAST, ""));

  // A narrow window has it behind the dots.
  const act = page.getByRole("button", { name: "Finish", disabled: false }).or(page.getByRole("menuitem", { name: "Finish" })).filter({ visible: true });
  if (await act.count() === 0) await page.getByRole("button", { name: "More", exact: true }).click();
  await act.click();
  await sees(page.locator(".strip").getByText("finished"));
  await look("finished", page);
  await tab(page, "Board").click();
  await gone(page.getByRole("region", { name: "Needs you" }));
  await look("board-at-rest", page);

  // Find, and take a copy away.
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: "Find or do" }).fill("the number");
  await sees(page.getByRole("group", { name: "In dialogs" }).getByRole("option").first());
  await look("find", page);
  await page.getByRole("group", { name: "In docs" }).getByRole("option", { name: /People/ }).first().click();
  await sees(box(page, "people"));
  await agrees(() => page.evaluate(() => location.hash), `#/project/${PROJECT}/docs/doc-people.md`);
  await page.getByRole("banner").getByRole("button", { name: `Project ${TITLE}` }).click();
  await page.getByRole("link", { name: "All projects" }).click();
  await page.getByRole("button", { name: `Menu of project ${TITLE}` }).click();
  await look("copy", page);
  const copy = page.waitForEvent("download");
  await page.getByRole("menuitem", { name: "Everything, with what was made" }).click();
  assert.match((await copy).suggestedFilename(), /^last-light-all-\d{8}-\d{6}\.zip$/);
  await world.bodies();
}
