// The main flow in the engines beside Chromium: a project, a doc written and saved, a
// dialog, a question denied with a reason and one allowed, what the disk then holds, a
// change by another program, a reload, and a way back by Find.
import { test } from "node:test";
import assert from "node:assert/strict";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as firefox from "./firefox.mjs";
import { Page } from "./page.mjs";
import * as webkit from "./webkit.mjs";
import { until, World } from "../e2e/world.mjs";

const script = {
  models: ["gpt5.3"],
  replies: [
    { text: "I will make the lamp.", calls: [{ id: "write_1", name: "write_file", args: { path: "deed/lamp.txt", content: "a red lamp\n" } }] },
    { text: "Then in green.", calls: [{ id: "write_2", name: "write_file", args: { path: "deed/lamp.txt", content: "a green lamp\n" } }] },
    { text: "The green lamp stands." },
  ],
};

const engines = [
  ["Firefox", firefox.open, [process.env.FIREFOX, "/usr/bin/firefox-esr", "/usr/bin/firefox"]],
  ["WebKitGTK", webkit.open, [process.env.MINIBROWSER, "/usr/lib/x86_64-linux-gnu/webkit2gtk-4.1/MiniBrowser", "/usr/lib/aarch64-linux-gnu/webkit2gtk-4.1/MiniBrowser"]],
];

for (const [name, open, executables] of engines) {
  test(`the main flow in ${name}`, { timeout: 240_000 }, async () => {
    const executable = executables.find((at) => at !== undefined && existsSync(at));
    assert.ok(executable, `no ${name} found`);
    const world = await World.open(script);
    let engine;
    try {
      engine = await open(executable, { width: 1280, height: 860 });
      await flow(world, new Page(engine));
    } catch (e) {
      if (engine && process.env.VIBEY_SHOTS) writeFileSync(join(process.env.VIBEY_SHOTS, `failed-${name}.png`), await engine.shot());
      throw e;
    } finally {
      await engine?.end();
      await world.close();
    }
  });
}

async function flow(world, page) {
  await page.goto(world.url);
  await page.sees("heading", "Projects");
  await page.click("button", "New project");
  await page.click("textbox", "Project title");
  await page.type("Lamps");
  await page.click("button", "Create project");

  await page.click("button", "New doc");
  await page.click("textbox", "Title");
  await page.type("Plan");
  await page.click("button", "Create doc");
  await page.click("textbox", "Text of Plan");
  await page.type("One **lamp** for the 海.");
  await page.press("Control+s");
  await page.sees("text", /^Saved/);
  assert.equal(world.read("lamps", "doc-plan.md"), "# Plan\n\nOne **lamp** for the 海.");

  await page.click("link", "Dialogs");
  await page.click("link", "New dialog");
  await page.click("textbox", "Message");
  await page.type("Make a lamp, please");
  await page.click("button", "Send");
  await page.sees("text", "I will make the lamp.");
  await page.click("button", /^Tell it why/);
  await page.click("textbox", "Why not");
  await page.type("Green, not red");
  await page.click("button", "Don’t, and say");
  await page.sees("text", "Then in green.");
  assert.equal(world.there("lamps", "deed", "lamp.txt"), false, "what was denied was done");
  await page.click("button", "Allow once");
  await page.sees("text", "The green lamp stands.");
  assert.equal(world.read("lamps", "deed", "lamp.txt"), "a green lamp\n");
  assert.ok(JSON.stringify((await world.bodies())[1]).includes("Green, not red"), "the reason did not reach the model");
  await page.reload();
  await page.sees("text", "The green lamp stands.");

  await page.press("Control+k");
  await page.type("for the 海");
  await page.sees("option", /Plan/);
  await page.press("Enter");
  await page.sees("textbox", "Text of Plan");
  await until(async () => (await page.script(() => getSelection().toString())) === "for the 海", "the words that were found are chosen");
  world.write("# Plan\n\nOne **lamp** for the 海.\n\nAnd a second one.\n", "lamps", "doc-plan.md");
  await page.sees("text", "And a second one.");
  await page.sees("text", /added .* line|lines? (?:was|were) added|changed this/i);
  await page.clean();
}
