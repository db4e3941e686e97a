// A writer asks about a passage of a doc, and answers there what the agent wants changed.
import { test } from "node:test";
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { decides, agrees, card, gone, project, sees, shot, until, withWorld } from "./real.mjs";

const NIGHT = "# Night\n\nIt was a dark night, and äöü 👍🏽 slept.\n\nNobody came.\n";
const script = {
  replies: [
    { text: "I would make it **brighter**.", chunk: 5, delay_ms: 30, calls: [
      { id: "e1", name: "edit_file", args: { path: "doc-night.md", old_string: "a dark night", new_string: "a bright night" } },
      { id: "e2", name: "edit_file", args: { path: "doc-night.md", old_string: "Nobody came.", new_string: "Everybody came." } },
    ] },
    { text: "Both stand there now." },
  ],
};
const sha = (t) => createHash("sha256").update(t).digest("hex");
const box = (page) => page.getByRole("textbox", { name: /^Text of / });

test("a passage is asked about, the answer stands below it, and what it wants is allowed in the text", () => withWorld(script, async ({ world, page, open }) => {
  await project(page, "p");
  world.write(NIGHT, "p", "doc-night.md");
  await page.getByRole("link", { name: "Night" }).click();
  await sees(box(page));
  await box(page).locator(".cm-line").nth(2).click();
  await page.keyboard.press("End");
  await page.keyboard.type(" Long.");
  await page.keyboard.press("Shift+Home");
  await page.keyboard.press("Control+i");
  await page.keyboard.type("Brighter?");
  await shot(page, "ask-1-field");
  await page.keyboard.press("Enter");
  const saved = NIGHT.replace("slept.", "slept. Long.");
  const passage = "It was a dark night, and äöü 👍🏽 slept. Long.";
  await sees(page.getByRole("region", { name: /^Answer of/ }).getByText("brighter"));
  await until(() => world.read("p", "doc-night.md") === saved);
  const name = await until(() => world.names("p").find((f) => f.startsWith("dialog-")));
  assert.match(name, /-night-/);
  await until(() => world.names("p").some((f) => f.endsWith("-waiting.md")));
  const file = world.read("p", world.names("p").find((f) => f.startsWith("dialog-")));
  const from = Buffer.byteLength("# Night\n\n");
  assert.ok(file.includes(`\n> On: doc-night.md sha256:${sha(saved)} ${from}-${from + Buffer.byteLength(passage)}\n> Lines: 3\n\nəəəpassage/text\n${passage}\nəəə\n\nəəəinput/markdown\nBrighter?\nəəə\n`), file);
  const [first] = await world.bodies();
  const messages = JSON.parse(first.text).messages;
  assert.equal(messages.at(-1).content.at(-1).text, `On doc-night.md, line 3:\n> ${passage}\n\nBrighter?`);

  // Drawn in the text of this tab and of another one.
  const other = await open(page.url());
  for (const p of [page, other]) await agrees(() => box(p).locator("del[data-suggested]").allTextContents(), ["dark", "Nobody"]);
  assert.deepEqual(await box(page).locator("ins[data-suggested]").allTextContents(), ["bright", "Everybody"]);
  await shot(page, "ask-2-suggestions");
  await until(async () => (await page.locator("[data-settling]").count()) === 0);
  await card(page).first().getByRole("button", { name: "Allow once" }).click();
  await until(() => world.read("p", "doc-night.md").includes("a bright night"));
  for (const p of [page, other]) await agrees(() => box(p).locator("del[data-suggested]").allTextContents(), ["Nobody"]);
  await until(async () => (await other.locator("[data-settling]").count()) === 0);
  const allow = card(other).getByRole("button", { name: "Allow once" });
  await allow.scrollIntoViewIfNeeded();
  await until(async () => !(await allow.isDisabled()));
  await allow.click();
  await until(() => world.read("p", "doc-night.md") === saved.replace("dark", "bright").replace("Nobody", "Everybody"));
  for (const p of [page, other]) await gone(p.getByRole("group", { name: "Suggestions" }));
  await sees(page.getByRole("region", { name: /^Answer of/ }).getByText("Both stand there now."));
  await agrees(() => box(page).locator(".cm-line").nth(2).evaluate((e) => e.textContent), passage.replace("dark", "bright"));
}));

const edits = (...all) => ({ text: "Here.", calls: all.map(([id, old_string, new_string]) => ({ id, name: "edit_file", args: { path: "doc-night.md", old_string, new_string } })) });

test("a question after words of one’s own is answered by an edit that is made; one for the text before is not, and both the card and the doc say so", () => withWorld({
  replies: [edits(["e1", "dark night", "bright night"]), { text: "Made." }, edits(["e2", "Nobody", "Everybody"], ["e3", "# Night", "# Day"]), { text: "Then not." }],
}, async ({ world, page }) => {
  await project(page, "p");
  world.write(NIGHT, "p", "doc-night.md");
  await page.getByRole("link", { name: "Night" }).click();
  await sees(box(page));
  const has = (words) => until(() => world.read("p", "doc-night.md").includes(words));
  const ask = async (line, words) => {
    await box(page).locator(".cm-line", { hasText: line }).click();
    await page.keyboard.press("End");
    await page.keyboard.press("Shift+Home");
    await page.keyboard.press("Control+i");
    await page.keyboard.type(words);
    await page.keyboard.press("Enter");
  };
  const write = async (words) => {
    await box(page).locator(".cm-line", { hasText: "came." }).click();
    await page.keyboard.press("End");
    await page.keyboard.type(words);
    await page.keyboard.press("Control+s");
    await has(words);
  };
  const allow = async (nth) => {
    const button = card(page).nth(nth).getByRole("button", { name: "Allow once" });
    await button.scrollIntoViewIfNeeded();
    await until(async () => (await page.locator("[data-settling]").count()) === 0 && !(await button.isDisabled()));
    await decides(page, () => button.click());
  };
  const warns = page.getByText("The file has changed since this agent last saw it.");
  await ask("dark", "Brighter?");
  await sees(card(page));
  await allow(0);
  await has("bright night");
  await sees(page.getByText("Made."));
  await write(" And a human’s.");
  await ask("Nobody", "And now?");
  await agrees(() => box(page).locator(".cm-line del").allTextContents(), ["Night", "Nobody"]);
  await gone(warns);
  await allow(1);
  await has("Everybody came. And a human’s.");
  // What waits beside it was made for the text as it stood before what is written now.
  await agrees(() => card(page).count(), 1);
  await write(" More.");
  await sees(warns);
  assert.match(await card(page).getByRole("button", { name: "Allow once" }).getAttribute("class"), /\bvain\b/);
  await allow(0);
  await sees(page.getByText("The change was not made. Nothing was changed: doc-night.md has changed since the agent last saw it."));
  assert.match(world.read("p", "doc-night.md"), /^# Night\n/);
}));
