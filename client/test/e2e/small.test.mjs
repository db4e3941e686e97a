// The small promises, held against the real program.
import { test } from "node:test";
import assert from "node:assert/strict";
import { renameSync } from "node:fs";
import { allow, card, dialog, gone, holds, project, read, say, sees, shot, text, until, withWorld } from "./real.mjs";

test("the first run without a key ends with an applied diff", () => withWorld({ replies: [] }, async ({ world, page }) => {
  // The printed address leads there, and back to the list of projects.
  await sees(page.getByText("No model was called").first());
  await page.goBack();
  await page.getByRole("link", { name: "Welcome", exact: true }).click();
  await page.getByRole("link", { name: "Dialogs" }).click();
  await page.getByRole("link", { name: /First light/ }).click();
  await sees(page.getByText("No model was called").first());
  await shot(page, "welcome-1-question");
  const before = world.read("welcome", "deed", "index.html");
  await allow(page);
  await sees(page.getByRole("region", { name: /^Changed deed\/index.html/ }));
  await gone(card(page));
  await sees(page.getByRole("textbox", { name: "Message", disabled: false }));
  await shot(page, "welcome-2-applied");
  assert.notEqual(world.read("welcome", "deed", "index.html"), before);
  assert.equal((await world.bodies()).length, 0);
}, { keys: false }));

test("a key typed once connects a provider, here and after a restart", () => withWorld({ key: "sk-typed", replies: [{ text: "hello" }, { text: "hello again" }] }, async ({ world, page }) => {
  await page.goto(`http://${world.addr}/#/projects`);
  await project(page, "p");
  await page.goto(`http://${world.addr}/#/project/p/dialogs/new`);
  await sees(page.getByText("No model is connected yet."));
  await shot(page, "welcome-3-no-key");
  await page.getByLabel("Key", { exact: true }).fill("sk-typed");
  await page.getByRole("button", { name: "Store key" }).click();
  await dialog(page, "keyed", "claude");
  await say(page, "hi");
  await sees(text(page).getByText("hello", { exact: true }));
  await world.vibey.stop();
  await world.serve();
  await page.reload();
  await say(page, "hi again");
  await sees(text(page).getByText("hello again", { exact: true }));
  const file = world.names("p").find((n) => n.startsWith("dialog-"));
  assert.ok(!world.read("p", file).includes("sk-typed"));
}, { keys: false, expect: /ERR_|Failed to load/ }));

test("a server that is stopped is told within seconds, and goes on by itself", () => withWorld({ replies: [{ text: "hello" }] }, async ({ world, page }) => {
  await project(page, "p");
  await dialog(page, "stalled", "claude");
  await new Promise((ok) => setTimeout(ok, 3500));
  assert.equal(await page.locator(".bar.lost").count(), 0);
  world.vibey.signal("SIGSTOP");
  try {
    await page.getByText(/What you see is \d+ s old/).waitFor({ timeout: 5000 });
  } finally {
    world.vibey.signal("SIGCONT");
  }
  await gone(page.getByText(/What you see is/));
  await say(page, "hi");
  await sees(text(page).getByText("hello", { exact: true }));
}));

test("while a first answer is written the list has its last words, not the prompt", () => withWorld({ replies: [{ text: "The lamp burns oil. It turns in the night, and nobody counts the turns of it any more.", chunk: 4, delay_ms: 250 }] }, async ({ page }) => {
  await project(page, "p");
  await dialog(page, "storm", "claude");
  const row = page.getByRole("complementary", { name: "Dialogs" }).getByRole("link", { name: /storm/ });
  await say(page, "Tell of the lamp.");
  await sees(row.getByText(/^It turns in the/));
  assert.equal(await row.getByText("Tell of the lamp.").count(), 0);
  await sees(row.getByText(/^writing/));
  await sees(row.getByText("The lamp burns oil. It turns in the night, and nobody counts the turns of it any more."));
}));

test("an answer keeps its model's name when another one goes on", () => withWorld({ models: ["one", "two"], replies: [{ text: "first" }, { text: "second" }] }, async ({ page }) => {
  await project(page, "p");
  await dialog(page, "pick", "claude");
  const names = () => text(page).getByRole("article").locator("header b").allInnerTexts();
  await say(page, "hello");
  await sees(text(page).getByText("first", { exact: true }));
  await page.getByRole("combobox", { name: "Model" }).selectOption("two");
  await say(page, "again");
  await sees(text(page).getByText("second", { exact: true }));
  await until(async () => (await names()).join() === "You,one,You,two");
  await page.reload();
  await until(async () => (await names()).join() === "You,one,You,two");
}));

test("a model can be changed after the draft", () => withWorld({ models: ["one", "two"], replies: [{ text: "first" }, { text: "second" }, { text: "third" }] }, async ({ world, page }) => {
  await project(page, "p");
  await dialog(page, "pick", "claude");
  await page.getByRole("combobox", { name: "Model" }).selectOption("two");
  await say(page, "hello");
  await sees(text(page).getByText("first", { exact: true }));
  assert.equal(JSON.parse((await world.bodies())[0].text).model, "two");
  await page.getByRole("combobox", { name: "Provider" }).selectOption("openai");
  await page.getByRole("combobox", { name: "Model" }).selectOption("one");
  await say(page, "again");
  await sees(text(page).getByText("second", { exact: true }));
  await say(page, "once more");
  await sees(text(page).getByText("third", { exact: true }));
  // Each answer stands under the name of the model that gave it, then and later.
  const names = () => text(page).getByRole("article").locator("header b").allInnerTexts();
  await until(async () => (await names()).join() === "You,two,You,one,You,one");
  await page.reload();
  await until(async () => (await names()).join() === "You,two,You,one,You,one");
  const last = (await world.bodies()).at(-1);
  assert.equal(last.api, "responses");
  assert.equal(JSON.parse(last.text).model, "one");
  const file = world.names("p").find((n) => n.startsWith("dialog-"));
  assert.match(world.read("p", file), /> Provider: openai\n> Model: one\n/);
}));

const two = {
  replies: [
    { text: "Two things.", calls: [
      { id: "w1", name: "write_file", args: { path: "deed/one.txt", content: Array.from({ length: 80 }, (_, i) => `row ${i + 1}`).join("\n") } },
      { id: "c1", name: "run_command", args: { command: "echo ran >> deed/log" } },
    ] },
    { text: "Both are answered." },
  ],
};

test("a second tab shows the question; one answer shows in both; a stale one is refused", () => withWorld(two, async ({ world, page, open }) => {
  await project(page, "p");
  await dialog(page, "twice", "claude");
  await say(page, "go");
  await sees(card(page).getByRole("heading", { name: "2 questions at once" }));
  const other = await open(page.url());
  await sees(card(other).getByRole("heading", { name: "2 questions at once" }));
  const command = card(page).getByRole("group", { name: "Run this command?" });
  const yes = command.getByRole("radio", { name: "Allow once" });
  await read(command, yes);
  await yes.check();
  await card(page).getByRole("button", { name: "Send 1 of 2 answers" }).click();
  await until(() => world.there("p", "deed", "log"));
  await sees(card(other).getByRole("heading", { name: "Write deed/one.txt?" }));
  await shot(other, "tabs-1-one-left");
  const more = card(other).getByRole("button", { name: /more lines/ }).first();
  await more.click();
  await read(card(other), other.getByRole("button", { name: "Allow once" }));
  await allow(other);
  await sees(text(page).getByText("Both are answered."));
  await gone(card(page));
  await sees(text(other).getByText("Both are answered."));
  assert.equal(world.read("p", "deed", "log"), "ran\n");
}));

const twice = {
  replies: [
    { text: "One.", calls: [{ id: "w1", name: "write_file", args: { path: "deed/one.txt", content: "one" } }] },
    { text: "One is there." },
    { text: "Two.", calls: [{ id: "w2", name: "write_file", args: { path: "deed/two.txt", content: "two" } }] },
    { text: "Two is not." },
  ],
};

test("what is always allowed is shown, taken back, and asked again", () => withWorld(twice, async ({ world, page }) => {
  await project(page, "p");
  await dialog(page, "twice", "claude");
  await say(page, "go");
  await sees(page.getByRole("button", { name: "Allow once", disabled: false }));
  await card(page).getByRole("checkbox", { name: "Always allow writing files in this dialog" }).check();
  await allow(page);
  await sees(text(page).getByText("One is there."));
  const standing = page.getByRole("group", { name: "Allowed without asking" });
  await page.reload();
  await standing.getByRole("button", { name: "Take back writing files", disabled: false }).click();
  await gone(standing);
  await sees(text(page).getByText("You want to be asked about writing files again"));
  await say(page, "and on");
  await sees(card(page).getByRole("heading", { name: "Write deed/two.txt?" }));
  await page.getByRole("button", { name: "Don’t", disabled: false }).click();
  await sees(text(page).getByText("Two is not."));
  assert.equal(world.there("p", "deed", "two.txt"), false);
  const file = world.names("p").find((n) => n.startsWith("dialog-"));
  assert.match(world.read("p", file), /^ask write_file$/m);
}));

test("Stop keeps what came, Continue goes on", () => withWorld({ replies: [{ text: "word ".repeat(500), chunk: 5, delay_ms: 20 }, { text: "I went on." }] }, async ({ world, page }) => {
  await project(page, "p");
  await dialog(page, "long", "openai");
  await say(page, "write");
  await sees(page.locator(".open-text"));
  await until(async () => (await text(page).innerText()).includes("word word word"));
  assert.equal(await page.getByRole("textbox", { name: "Message" }).isEnabled(), true);
  await page.getByRole("button", { name: "Stop" }).click();
  await sees(page.getByRole("button", { name: "Continue" }));
  await shot(page, "stop-1");
  await page.getByRole("button", { name: "Continue" }).click();
  await sees(text(page).getByText("I went on."));
  const kept = world.read("p", world.names("p").find((n) => n.startsWith("dialog-")));
  assert.match(kept, /> Stop: interrupted\n/);
  await world.bodies();
}));

test("the server goes and comes back: nothing that was shown is lost", () => withWorld({ replies: [{ text: "word ".repeat(500), chunk: 5, delay_ms: 20 }, { text: "I went on." }] }, async ({ world, page }) => {
  await project(page, "p");
  await dialog(page, "killed", "claude");
  await say(page, "write");
  await until(async () => ((await text(page).innerText()).match(/word/g) ?? []).length > 10);
  await world.vibey.stop("SIGKILL");
  const shown = ((await text(page).innerText()).match(/word/g) ?? []).length;
  await sees(page.getByText(/Connection lost/));
  await shot(page, "killed-1-lost");
  await world.serve();
  await sees(page.getByRole("button", { name: "Continue" }));
  await gone(page.getByText(/Connection lost/));
  const kept = ((await text(page).innerText()).match(/word/g) ?? []).length;
  assert.ok(kept >= shown, `${shown} words were shown, ${kept} were kept`);
  await page.getByRole("button", { name: "Continue" }).click();
  await sees(text(page).getByText("I went on."));
}, { expect: /ERR_|Failed to load|network/ }));

for (const [name, options] of [["390 wide", { width: 390, height: 844 }], ["dark", { dark: true }]]) {
  test(`a question and its answer, ${name}`, () => withWorld(two, async ({ world, page }) => {
    await project(page, "p");
    await shot(page, `${name}-1-docs`);
    await page.goto(`http://${world.addr}/#/project/p/dialogs/new`);
    await page.getByLabel("Provider", { exact: true }).selectOption("openai");
    await shot(page, `${name}-2-new`);
    await say(page, "go");
    await sees(card(page));
    await shot(page, `${name}-3-question`);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true, "it stands out sideways");
    for (const group of ["Run this command?", "Write deed/one.txt?"]) {
      await card(page).getByRole("group", { name: group }).getByRole("radio", { name: "Don’t" }).check();
    }
    await card(page).getByRole("button", { name: /^Send/ }).click();
    await sees(text(page).getByText("Both are answered."));
    await shot(page, `${name}-4-denied`);
    assert.equal(world.there("p", "deed", "one.txt"), false);
  }, options));
}

test("a folder that is moved away and back is in view again, with what was written meanwhile", () => withWorld({ replies: [{ text: "first" }, { text: "second" }] }, async ({ world, page }) => {
  await project(page, "p");
  const away = () => renameSync(world.path("p"), world.path("..", "away"));
  const back = () => renameSync(world.path("..", "away"), world.path("p"));
  const lost = page.getByText("is not there any more");
  await page.goto(`http://${world.addr}/#/project/p/docs/doc-main.md`);
  const doc = page.getByRole("textbox", { name: /^Text of / });
  await doc.click();
  await page.keyboard.press("Control+End");
  await page.keyboard.type("Not saved yet.");
  away();
  await sees(lost);
  back();
  await sees(doc.getByText("Not saved yet."));
  await gone(lost);
  await page.keyboard.press("Control+s");
  await until(() => world.read("p", "doc-main.md").includes("Not saved yet."));

  await dialog(page, "talk", "claude");
  await say(page, "hello");
  await sees(text(page).getByText("first", { exact: true }));
  await page.getByRole("textbox", { name: "Message" }).fill("half a sen");
  away();
  await sees(lost);
  back();
  await holds(page.getByRole("textbox", { name: "Message" }), "half a sen");
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await sees(text(page).getByText("second", { exact: true }));
}, { expect: /404|503/ }));
