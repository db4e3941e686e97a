// What a change looks like: of a doc words in their paragraph, of code lines with the numbers of their file.
import { test } from "node:test";
import assert from "node:assert/strict";
import { agrees, draft, rests, sees, until, withWindow } from "./browser.mjs";

const card = (page) => page.getByTestId("approval");
const SHOTS = process.env.VIBEY_SHOTS;
const shot = (page, name) => SHOTS && page.screenshot({ path: `${SHOTS}/${name}.png` });
const PROSE = "# The lamp\n\nEvery evening the keeper climbs the stairs.\n\nHe turn the lamp by hand, and he is tired.\n\nBelow him the sea goes on.\n\nNobody sails there.\n";
const CODE = Array.from({ length: 10_000 }, (_, i) => `const line${i + 1} = ${i};`).join("\n") + "\n";

/** rows reads a diff's rows: the number that is drawn beside one, its sign, its text. */
const rows = (page) => card(page).locator(".diff .row").evaluateAll((all) => all.map((r) => [getComputedStyle(r.querySelector(".at") ?? r, "::before").content.split(" /")[0].replace(/"/g, ""), r.querySelector(".sign")?.textContent ?? "", r.querySelector("code")?.textContent ?? r.textContent].join("|")));

/** copied selects an element whole and returns what a copy of it would be. */
const copied = (locator) => locator.evaluate((el) => {
  getSelection().selectAllChildren(el);
  return getSelection().toString();
});

test("an edit of code waits with three lines around it, and the numbers of its file", () => withWindow(async ({ page, mock }) => {
  mock.make("lighthouse", "deed/lamp.js", CODE);
  const d = await draft(page, mock);
  mock.ask(d, "edit_file", { path: "deed/lamp.js", old_string: "line5000 = 4999", new_string: "line5000 = 1" });
  await sees(card(page));
  await agrees(() => rows(page), [
    "none||4,996 lines unchanged", "4997| |const line4997 = 4996;", "4998| |const line4998 = 4997;", "4999| |const line4999 = 4998;",
    "5000|−|const line5000 = 4999;", "5000|+|const line5000 = 1;",
    "5001| |const line5001 = 5000;", "5002| |const line5002 = 5001;", "5003| |const line5003 = 5002;", "none||4,997 lines unchanged",
  ]);
  assert.deepEqual(await card(page).locator("mark").allTextContents(), ["4999", "1"], "whole words are marked");
  const text = await copied(card(page).locator(".rows"));
  assert.ok(text.includes("const line5000 = 1;") && !/^\s*5000\s*$/m.test(text) && !text.includes("5000\tconst"), "a copy has no line numbers");
  await rests(page);
  await shot(page, "diff-code");
  await page.getByRole("button", { name: "Allow once" }).click();
  await until(() => d.pending.length === 0);
}));

test("an edit of a doc is words struck and set in, one paragraph around", () => withWindow(async ({ page, mock }) => {
  mock.writeFile("lighthouse", "doc-lamp.md", PROSE);
  const d = await draft(page, mock);
  mock.ask(d, "edit_file", { path: "doc-lamp.md", old_string: "turn the lamp by hand, and he is tired", new_string: "turns the lamp by hand" });
  await sees(card(page).locator("ins"));
  assert.deepEqual(await card(page).locator(".row").allTextContents(), ["2 paragraphs unchanged".replace("2 paragraphs", "1 paragraph"), "Every evening the keeper climbs the stairs.", "He turnturns the lamp by hand, and he is tired.", "Below him the sea goes on.", "1 paragraph unchanged"]);
  assert.deepEqual(await card(page).locator("del").allTextContents(), ["turn", ", and he is tired"]);
  assert.deepEqual(await card(page).locator("ins").allTextContents(), ["turns"]);
  assert.equal(await card(page).locator("del").first().evaluate((e) => getComputedStyle(e).textDecorationLine), "line-through");
  const heard = await page.locator(".rows").ariaSnapshot();
  assert.match(heard, /removed: “ ?turn/);
  assert.match(heard, /added: “ ?turns/);
  await rests(page);
  await shot(page, "diff-prose");
  await page.emulateMedia({ colorScheme: "dark" });
  await shot(page, "diff-prose-dark");
  await page.getByRole("button", { name: "Show full diff" }).click();
  await sees(card(page).getByText("Nobody sails there."));
}));

test("what a card shows of a file is there when the card is, and nothing of it moves", () => withWindow(async ({ page, mock }) => {
  mock.make("lighthouse", "deed/lamp.js", CODE);
  mock.slowTarget = 150;
  const d = await draft(page, mock);
  await page.evaluate(() => {
    window.seen = [];
    const look = () => {
      const el = document.querySelector(".approval");
      if (el && getComputedStyle(el).opacity === "1") window.seen.push([...el.querySelectorAll(":scope, .diff, .answers, button")].map((e) => { const r = e.getBoundingClientRect(); return [r.x, r.y, r.width, r.height].map(Math.round).join(); }).join(" "));
      requestAnimationFrame(look);
    };
    look();
  });
  mock.ask(d, "edit_file", { path: "deed/lamp.js", old_string: "line5000 = 4999", new_string: "line5000 = 1" });
  await rests(page);
  await page.getByRole("button", { name: "Allow once" }).hover();
  const seen = await page.evaluate(() => window.seen);
  assert.ok(seen.length > 5);
  assert.deepEqual([...new Set(seen)].length, 1, [...new Set(seen)].join("\n"));
}));

test("where the file can't be had, the diff says so and is drawn as it was", () => withWindow(async ({ page, mock }) => {
  const d = await draft(page, mock);
  const edit = (path) => mock.ask(d, "edit_file", { path, old_string: "old\n", new_string: "new\n" });
  const id = edit("deed/nowhere.js");
  await sees(card(page).getByText("The server does not tell which file this is. What stands around the change, and on which line, is not known."));
  await agrees(() => rows(page), ["none|−|old", "none|+|new"]);
  const next = (path, content) => {
    d.pending = [];
    mock.make("lighthouse", path, content);
    edit(path);
  };
  next("deed/data.bin", "old\n\0");
  await sees(card(page).getByText("The file is no text, or too large to be shown."));
  await agrees(() => rows(page), ["none|−|old", "none|+|new"]);
  next("deed/twice.js", "old\nold\n");
  await sees(card(page).getByText("The words to be replaced do not stand in the file exactly once now. If you allow this, nothing happens but that the agent is told so."));
  await agrees(() => rows(page), ["none|−|old", "none|+|new"]);
  assert.ok(id);
  // What would be refused does not look like a good yes.
  await rests(page);
  const colour = (name) => card(page).getByRole("button", { name }).evaluate((b) => getComputedStyle(b).color);
  assert.equal(await colour(/^Allow once/), await colour(/^Don’t/));
}));

test("all of a change must have been in view, also its paragraphs", () => withWindow(async ({ page, mock }) => {
  const many = Array.from({ length: 60 }, (_, i) => `Paragraph ${i} of a doc that is long.\n`).join("\n");
  mock.writeFile("lighthouse", "doc-long.md", many);
  const d = await draft(page, mock);
  mock.ask(d, "edit_file", { path: "doc-long.md", old_string: many.slice(40), new_string: many.slice(40).replaceAll("long", "short") });
  await sees(card(page).getByText(/Open the .* more lines first: you allow all of it\./));
  assert.ok(await page.getByRole("button", { name: "Allow once" }).evaluate((e) => e.disabled));
  await card(page).getByRole("button", { name: /more lines$/ }).click();
  await sees(card(page).getByText("Read to the end to allow it."));
  assert.ok(await page.getByRole("button", { name: "Allow once" }).evaluate((e) => e.disabled));
}));

test("a doc's change has room at 390 px", () => withWindow(async ({ page, mock }) => {
  mock.writeFile("lighthouse", "doc-lamp.md", PROSE);
  mock.make("lighthouse", "deed/lamp.js", CODE);
  const d = await draft(page, mock);
  mock.ask(d, "edit_file", { path: "doc-lamp.md", old_string: "turn the lamp", new_string: "turns the great old lamp of the house" });
  mock.ask(d, "edit_file", { path: "deed/lamp.js", old_string: "line5000 = 4999", new_string: "line5000 = 1", });
  await sees(card(page).locator("ins").first());
  await shot(page, "diff-390");
  assert.deepEqual(await card(page).locator(".diff, .diff *").evaluateAll((all) => all.filter((e) => e.getBoundingClientRect().right > innerWidth + 1 && getComputedStyle(e).position !== "absolute").length), 0);
}, { width: 390, height: 844 }));

/** made writes an edit that was made into a dialog, and tells what it made of its file: the hunks. */
function made(mock, d, path, [old_string, new_string], hunks) {
  const id = `call_${d.sections.length}`, edit = (role, type, value, Status) => mock.append(d, role, type, JSON.stringify(value), { id, meta: { Tool: "edit_file", Status } });
  edit("Tool Request", "tool/input/json", { path, old_string, new_string }, "pending");
  edit("Tool Result", "tool/result/json", { success: true, path, sha256: "b".repeat(64), replaced: "a".repeat(64) }, "approved");
  const told = mock.onChanges;
  mock.onChanges = (of) => {
    mock.asked = [...(mock.asked ?? []), of];
    return of === id ? [{ call: id, path, sha256: "b".repeat(64), replaced: "a".repeat(64), now: "", hunks }] : told(of);
  };
  return id;
}

test("an edit that was made has the lines of its file around it, and their numbers", () => withWindow(async ({ page, mock }) => {
  const lines = CODE.split("\n"), around = (from, to) => lines.slice(from - 1, to);
  const d = await draft(page, mock);
  const old = around(5000, 5012).join("\n"), now = old.replace("= 4999", "= 1").replace(/const line5010 .*\n/, "");
  const code = made(mock, d, "deed/lamp.js", [old, now], [
    { from: 5000, to: 5000, was: 5000, old: around(5000, 5000), new: ["const line5000 = 1;"], above: around(4997, 4999), below: around(5001, 5003), byte: 0 },
    { from: 5010, to: 5009, was: 5010, old: around(5010, 5010), new: [], above: around(5007, 5009), below: around(5011, 5013), byte: 0 },
  ]);
  const changed = page.getByRole("region", { name: "Changed deed/lamp.js" }), diffs = changed.locator(".diff");
  const shown = () => diffs.locator(".row").evaluateAll((all) => all.map((r) => [getComputedStyle(r.querySelector(".at") ?? r, "::before").content.split(" /")[0].replace(/"/g, ""), r.querySelector(".sign")?.textContent ?? "", (r.querySelector("code") ?? r).textContent.replace(/const | = \d+;/g, "")].join("|")));
  await agrees(shown, [
    "4997| |line4997", "4998| |line4998", "4999| |line4999", "5000|−|line5000", "5000|+|line5000", "5001| |line5001", "5002| |line5002", "5003| |line5003",
    "none||3 lines unchanged", "5007| |line5007", "5008| |line5008", "5009| |line5009", "5010|−|line5010", "5010| |line5011", "5011| |line5012", "5012| |line5013",
  ]);
  await changed.getByRole("button", { name: "Show full diff" }).click();
  await agrees(async () => (await shown()).slice(8, 11), ["5004| |line5004", "5005| |line5005", "5006| |line5006"]);
  made(mock, d, "doc-lamp.md", ["turn", "turns"], [{ from: 5, to: 5, was: 5, old: ["He turn the lamp by hand."], new: ["He turns the lamp by hand."], above: ["", "Every evening.", ""], below: ["", "The sea."], byte: 0 }]);
  await agrees(() => page.getByRole("region", { name: "Changed doc-lamp.md" }).locator(".row").allTextContents(), ["Every evening.", "He turnturns the lamp by hand.", "The sea."]);
  assert.equal(mock.asked.filter((of) => of === code).length, 1, "it is read once");
  await shot(page, "diff-applied");
  // What is far from the view is read once it comes near.
  for (let i = 0; i < 40; i++) mock.append(d, "Assistant", "output/markdown", `${i}. Some words.\n\n`.repeat(8));
  await sees(page.getByText("39. Some words.").last());
  mock.asked = [];
  await page.reload();
  await sees(page.getByText("39. Some words.").last());
  assert.deepEqual(mock.asked, []);
  await page.locator(".log").evaluate((e) => { e.scrollTop = 0; });
  await sees(diffs.locator(".at").first());
}));
