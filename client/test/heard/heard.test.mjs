// The main flow with eyes shut: what Orca says of it, in Firefox and in Chromium, with keys alone.
import { test } from "node:test";
import assert from "node:assert/strict";
import { copyFileSync, existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as chromium from "../engines/chromium.mjs";
import * as firefox from "../engines/firefox.mjs";
import { Page } from "../engines/page.mjs";
import { until, World } from "../e2e/world.mjs";
import { Display } from "./display.mjs";

const ANSWER = "Two things are needed. The wick is cut from cotton, and the oil is pressed from rapeseed.";
const script = {
  models: ["gpt5.3"],
  replies: [
    { text: ANSWER, chunk: 6, delay_ms: 120, calls: [{ id: "call_wick1", name: "write_file", args: { path: "deed/wick.txt", content: "cotton\n" } }, { id: "call_oil22", name: "write_file", args: { path: "deed/oil.txt", content: "rapeseed\n" } }] },
    { text: "Olive oil, then. The lamp is ready." },
  ],
};

// So long, in ms, a test goes on at most.
const LONG = 300_000;

const engines = [
  ["Firefox", firefox.open, [process.env.FIREFOX, "/usr/bin/firefox-esr", "/usr/bin/firefox"]],
  ["Chromium", chromium.open, [process.env.CHROMIUM, "/usr/bin/chromium", "/usr/bin/google-chrome"]],
];

for (const [name, open, executables] of engines) {
  test(`what is heard of the main flow in ${name}`, { timeout: LONG + 60_000 }, async (t) => {
    const executable = executables.find((at) => at !== undefined && existsSync(at));
    assert.ok(executable, `no ${name} found`);
    const ends = [];
    t.after(async () => { for (const end of ends.reverse()) await end(); }); // also where the test takes too long
    const display = await Display.open();
    ends.push(() => display.close());
    let engine;
    const flow = async () => {
      engine = await open(executable, { display: display.env });
      ends.push(() => within(10_000, "the browser's end", engine.end()).catch(() => undefined)); // the display's end ends it, too
      const page = new Page(display.paced(engine));
      const inWorld = async (part, ...options) => {
        const world = await World.open(...options);
        ends.push(() => world.close());
        await part(world, page, display);
      };
      await inWorld(welcome, { replies: [] }, { keys: false });
      await inWorld(lamps, script);
      news(display.heard());
    };
    try {
      await within(LONG, "the flow", flow());
    } catch (e) {
      e.message += `\nheard was:\n${display.story.join("\n")}`;
      if (engine && process.env.VIBEY_SHOTS) await within(10_000, "a picture", engine.shot()).then((shot) => writeFileSync(join(process.env.VIBEY_SHOTS, `failed-heard-${name}.png`), shot), () => undefined);
      throw e;
    } finally {
      if (process.env.VIBEY_SHOTS) keep(display, `heard-${name.toLowerCase()}`);
    }
  });
}

/** keep writes down what was heard, and Orca's log. */
function keep(display, name) {
  writeFileSync(join(process.env.VIBEY_SHOTS, name + ".txt"), display.story.join("\n") + "\n");
  copyFileSync(display.log, join(process.env.VIBEY_SHOTS, name + ".log"));
}

/** within fails where something takes longer than so many ms: a browser that stands still answers nothing. */
function within(ms, what, done) {
  let timer;
  const late = new Promise((_, no) => { timer = setTimeout(() => no(new Error(`${what} took more than ${ms / 1000} s`)), ms); });
  return Promise.race([done, late]).finally(() => clearTimeout(timer));
}

// A key that decides counts a second after any other, and once what it decides stands still.
const QUIET = 1200;
const rests = () => new Promise((ok) => setTimeout(ok, QUIET));

/** The name of what has the focus. */
const focus = () => {
  const e = document.activeElement;
  return (e.ariaLabel ?? e.labels?.[0]?.textContent ?? e.textContent).replace(/\s+/g, " ").trim();
};

/** focused waits until the focus is there: what is pressed before is for something else. */
const focused = (page, name) => until(async () => (await page.script(focus)).startsWith(name), `the focus is at ${name}`);

/** reach goes with Tab, from where one is, to what has that name, and hears it. */
async function reach(page, hear, name, key = "Tab") {
  for (let i = 0; i < 60; i++) {
    // What Orca in Firefox says of a focus that comes as something else goes is not certain.
    if ((await page.script(focus)).startsWith(name)) return i === 0 || hear.hears(new RegExp(`^(?:.* )?${name}`, "m"));
    await page.press(key);
  }
  assert.fail(`${key} does not lead to ${name}`);
}

async function welcome(world, page, hear) {
  hear.did("the printed address is opened");
  await page.goto(world.url);
  await hear.hears(/^Permission needed: Change deed\/index.html\? region\.\nReplaces 2 lines\. Nothing else in the file changes\.$/m);
  hear.did("Tab to “Allow once”, Space");
  await reach(page, hear, "Allow once");
  await rests();
  await page.press("Space");
  await hear.hears(/^Allowed\./m);
  await hear.hears(/Changed deed\/index\.html\./);
  assert.match(world.read("welcome", "deed", "index.html"), /lamp|lit|on/);
}

async function lamps(world, page, hear) {
  hear.did("another start, with a key for a model: a project");
  await page.goto(world.url);
  await page.sees("heading", "Projects");
  await reach(page, hear, "New project");
  await page.press("Enter");
  await reach(page, hear, "Project title");
  await page.type("Lamps");
  await page.press("Enter");
  await hear.hears(/^Text of Lamps entry\.$/m);
  hear.did("a page");
  await page.press("Escape");
  await reach(page, hear, "New doc", "Shift+Tab");
  await page.press("Enter");
  await reach(page, hear, "Title");
  await page.type("Plan");
  await page.press("Enter");
  await hear.hears(/Plan was created\./);
  await focused(page, "Text of Plan");
  hear.did("One lamp for the sea., Ctrl S");
  await page.type("One lamp for the sea.");
  await page.press("Control+s");
  await page.sees("text", /^Saved/);
  await hear.hears(/^Saved/m);
  hear.did("a word more; another program changes the same line");
  for (let i = 0; i < 4; i++) await page.press("Backspace");
  await page.type("lake.");
  await page.sees("text", "Not saved");
  world.write("# Plan\n\nOne lamp for the hill.", "lamps", "doc-plan.md");
  await hear.hears(/^You and another writer changed the same lines\./m);
  hear.did("Ctrl S");
  await page.press("Control+s");
  await hear.hears(/^Not saved yet\. Choose first: Keep mine, Take theirs or Keep both\.$/m);
  hear.did("Escape, Tab to “Keep mine”, Enter; Ctrl S");
  await page.press("Escape");
  await reach(page, hear, "Keep mine");
  await rests();
  await page.press("Enter");
  await focused(page, "Text of Plan");
  await page.press("Control+s");
  await hear.hears(/^Saved/m);
  await until(() => world.read("lamps", "doc-plan.md") === "# Plan\n\nOne lamp for the lake.", "mine is kept");

  hear.did("Ctrl K, “New dialog”, Enter");
  await page.press("Control+k");
  await page.sees("textbox", "Find or do");
  await page.type("New dialog");
  await hear.hears(/New dialog/);
  await page.press("Enter");
  await focused(page, "Message");
  hear.did("a message, Ctrl Enter; the answer is written");
  await page.type("Make the lamp, please");
  await page.press("Control+Enter");
  await hear.hears(/Make the lamp, please was created\./);
  await hear.hears(/needs you/);
  assert.doesNotMatch(hear.part().join(" "), /wick|cotton|rapeseed/);
  hear.did("Ctrl J, to the two questions");
  await page.press("Control+j");
  await hear.hears(/^2 permissions needed: Write deed\/wick\.txt\?/m);
  hear.did("the first: Allow once");
  await reach(page, hear, "Allow once");
  await rests();
  await page.press("Space");
  await until(() => page.script(() => document.activeElement.checked), "it is chosen"); // Orca tells it of keys that come from the screen alone
  hear.did("Tell it why");
  await reach(page, hear, "Tell it why");
  await page.press("Enter");
  await hear.hears(/^Why not entry/m);
  await page.type("Olive oil");
  await reach(page, hear, "Send");
  await rests();
  await page.press("Enter");
  await hear.hears(/^Allowed: 1\. Not allowed: 1\./m);
  await hear.hears(/Wrote deed\/wick\.txt\./);
  await hear.hears(/Did not write deed\/oil\.txt\./);
  await hear.hears(/Your turn in Make the lamp, please/);
  assert.ok(JSON.stringify((await world.bodies())[1]).includes("Olive oil"), "the reason did not reach the model");

  hear.did("Ctrl K, “for the lake”");
  await page.press("Control+k");
  await page.sees("textbox", "Find or do");
  await page.type("for the lake");
  await page.sees("option", /Plan/);
  hear.did("Enter");
  await page.press("Enter");
  await hear.hears(/Plan.*One lamp for the lake\./);
}

/** news fails where the same news is heard twice in a row, or what no human should hear. */
function news(all) {
  for (const [i, said] of all.entries()) {
    assert.doesNotMatch(said, /əəə|call_|\d{8}-\d{6}/);
    if (i > 0 && said.length > 30) assert.notEqual(said, all[i - 1], "heard twice");
  }
}
