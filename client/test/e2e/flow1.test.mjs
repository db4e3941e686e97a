// Flow #1: from the first page to an applied diff, with each of the two providers.
import { test } from "node:test";
import assert from "node:assert/strict";
import { agrees, allow, card, counts, dialog, gone, holds, project, say, sees, shot, text, until, withWorld } from "./real.mjs";

const vibey = Array.from({ length: 60 }, (_, i) => `Line ${i + 1} of the page.`).join("\n") + "\n";
const source = Array.from({ length: 12 }, (_, i) => `const a${i + 1} = ${i + 1};`);
const old = source.join("\n");
const fresh = ["const a1 = 1;", ...source.slice(1, 6), "console.log('hello');", ...source.slice(6)].join("\n");

const script = {
  models: ["gpt5.3", "gpt5.3-mini"],
  replies: [
    { text: "I will **read** it first.", calls: [{ id: "read_1", name: "run_command", args: { command: "cat vibey.md", description: "Read the specification" } }] },
    { text: "It has sixty lines.", usage: { in: 1204, out: 310 } },
    { text: "I add the line.", calls: [{ id: "edit_1", name: "edit_file", args: { path: "deed/vibey-server.js", old_string: old, new_string: fresh } }] },
    { text: "Added: the result above names the new hash." },
  ],
};

for (const provider of ["claude", "openai"]) {
  test(`flow 1 with ${provider}`, () => withWorld(script, async ({ world, page, open }) => {
    assert.ok(!page.url().includes("code="), "the one-time code stays in the address");
    await shot(page, `${provider}-1-projects`);
    await project(page, "vibey");
    world.write(vibey, "vibey", "vibey.md");
    world.write(old + "\n", "vibey", "deed", "vibey-server.js");
    await sees(page.getByRole("link", { name: "vibey.md", exact: true }));
    await shot(page, `${provider}-2-docs`);

    const name = "read the specification of vibey and then say in your own words what it is about";
    await dialog(page, name, provider);
    const file = world.names("vibey").find((n) => n.startsWith("dialog-"));
    assert.match(file, /^dialog-\d{8}-\d{6}-read-the-specification-[a-z-]+-waiting\.md$/);
    const row = page.getByRole("complementary", { name: "Dialogs" }).getByRole("link", { name: new RegExp(name) });
    await sees(row);
    assert.equal(await row.locator(".name").evaluate((e) => e.scrollWidth <= e.clientWidth), true, "the name is cut");
    await holds(page.getByRole("combobox", { name: "Model" }), "gpt5.3");
    await shot(page, `${provider}-3-draft`);

    await say(page, "Please read vibey.md");
    await sees(text(page).getByText("Please read vibey.md"));
    await sees(card(page).getByRole("heading", { name: "Run this command?" }));
    await sees(card(page).getByText("cat vibey.md", { exact: true }));
    assert.equal(await page.getByRole("textbox", { name: "Message" }).isEnabled(), true);
    await sees(page.getByRole("link", { name: "1 needs you" }));
    await agrees(async () => (await page.title()).slice(0, 4), "(1) ");
    await shot(page, `${provider}-4-question`);
    await allow(page);

    await sees(text(page).getByText("It has sixty lines."));
    await gone(card(page));
    await sees(text(page).getByText(/1,204 read · 310 written · [\d.]+ m?s/).first());
    const ran = page.getByRole("region", { name: "Ran cat vibey.md" });
    await sees(ran.getByText(/you allowed it once/));
    assert.equal(await ran.getByText("Line 60 of the page.").count(), 0, "a large file is shown whole");
    await ran.getByRole("button", { name: /Ran cat vibey.md/ }).click();
    await ran.getByRole("button", { name: /more lines/ }).click();
    await sees(ran.getByText("Line 60 of the page."));
    await shot(page, `${provider}-5-expanded`);
    await ran.getByRole("button", { name: "Show less" }).click();
    await gone(ran.getByText("Line 60 of the page."));

    await say(page, "please add a console.log at the top of vibey-server.js");
    await sees(card(page).getByRole("heading", { name: "Change deed/vibey-server.js?" }));
    await shot(page, `${provider}-6-diff-question`);
    assert.equal(world.read("vibey", "deed", "vibey-server.js"), old + "\n", "it was changed before anybody allowed it");
    await allow(page);
    const changed = page.getByRole("region", { name: "Changed deed/vibey-server.js" });
    await sees(changed);
    await sees(text(page).getByText("Added: the result above names the new hash."));
    assert.equal(world.read("vibey", "deed", "vibey-server.js"), fresh + "\n");
    await counts(changed.locator(".row.same"), 6); // three lines of context on each side
    const green = await changed.evaluate((e) => getComputedStyle(e).backgroundColor.match(/[\d.]+/g).map(Number));
    assert.ok(green[1] > green[0] && green[1] > green[2], `not green: ${green}`);
    await changed.getByRole("button", { name: "Show full diff" }).click();
    await counts(changed.locator(".row.same"), 12);
    await shot(page, `${provider}-7-applied`);

    // A reload, a second tab and another process show the same.
    const shown = async (p) => {
      await sees(text(p).getByText("gpt5.3").first());
      return (await text(p).innerText()).replace(/Show changes only|Show full diff/g, "");
    };
    await page.reload();
    await sees(text(page).getByText("Added: the result above names the new hash."));
    const before = await shown(page);
    await world.vibey.stop("SIGKILL");
    await world.serve();
    const second = await open(page.url());
    await sees(text(second).getByText("Added: the result above names the new hash."));
    await agrees(() => shown(second), before);
    await sees(page.getByRole("textbox", { name: "Message", disabled: false }));

    const bodies = await world.bodies();
    assert.equal(bodies.length, 4);
    assert.equal(bodies[0].api, provider === "claude" ? "messages" : "responses");
    await until(() => world.names("vibey").some((n) => n.endsWith("-waiting.md")));
  }, { expect: /ERR_CONNECTION|ERR_INCOMPLETE|Failed to load/ }));
}
