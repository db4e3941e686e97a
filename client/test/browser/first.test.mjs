// The first flow of the specification, from the printed address to an applied diff.
import { test } from "node:test";
import assert from "node:assert/strict";
import { agrees, counts, gone, hasFocus, holds, say, sees, until, withWindow } from "./browser.mjs";

test("from the projects to an applied diff", () => withWindow(async ({ page, mock, open }) => {
  // The code is taken out of the address and traded for the token.
  await sees(page.getByRole("heading", { name: "Projects" }));
  assert.ok(!page.url().includes("one-time"));

  await page.getByRole("button", { name: "New project" }).click();
  await page.getByLabel("Project title").fill("My game");
  await page.getByRole("button", { name: "Create project" }).click();
  await sees(page.getByRole("link", { name: "Docs" }).and(page.locator("[aria-current=page]")));
  assert.deepEqual([...mock.projects.keys()], ["my-game"]);

  await page.getByRole("link", { name: "Dialogs" }).click();
  await sees(page.getByText("Nothing here yet."));
  await page.getByRole("link", { name: "New dialog" }).click();
  const long = "read vibey and then tell me in a very long name what you make of all of it";
  await hasFocus(page.getByRole("textbox", { name: "Message" }));
  await page.getByLabel("Provider", { exact: true }).selectOption("openai");
  const release = mock.hold();
  await say(page, `# ${long}\n\nPlease read vibey.md`);

  // The whole name is there, wrapped; the status is a shape with a word.
  const row = page.getByRole("complementary", { name: "Dialogs" }).getByRole("link", { name: new RegExp(long) });
  await sees(row);
  const name = row.locator(".name");
  assert.equal(await name.evaluate((e) => e.scrollWidth <= e.clientWidth), true);
  await agrees(() => row.locator(".status").innerText(), "writing");
  const picked = page.getByRole("combobox", { name: "Model" });
  await holds(picked, "gpt-test");

  // Shown at once, before the agent says a word; the box stays open.
  await sees(page.getByRole("article", { name: /^You/ }).getByText("Please read vibey.md"));
  assert.equal(await page.getByRole("textbox", { name: "Message" }).isEnabled(), true);
  release();

  const card = page.getByRole("region", { name: "Permission needed" });
  await sees(card.getByRole("heading", { name: "Run this command?" }));
  await sees(card.getByText("cat vibey.md", { exact: true }));
  assert.equal(await page.getByRole("textbox", { name: "Message" }).isEnabled(), true);
  await sees(page.getByRole("link", { name: "1 needs you" }));
  await agrees(async () => (await page.title()).slice(0, 4), "(1) ");
  await card.getByRole("button", { name: "Allow once" }).click();

  await sees(page.getByText("Done: the result above says so."));
  await gone(page.getByRole("region", { name: "Permission needed" }));
  assert.match(mock.puts.at(-1).control, /^əəəcontrol\/v1\ncall_\d+ approve sha256:[0-9a-f]{64}\nəəə$/);
  assert.equal(mock.puts.at(-1).seen, [...mock.projects.get("my-game").dialogs.values()][0].sections[2].id);
  await counts(page.getByText("1,204 read · 310 written · 4.1 s"), 2);
  await page.getByText("1,204 read · 310 written · 4.1 s").first().click();
  await sees(page.getByText("Read 1,204 pieces of words; wrote 310.").first());
  await page.getByText("1,204 read · 310 written · 4.1 s").first().click();

  // The file that was sent is compact: opened, still cut; expanded; contracted again.
  const ran = page.getByRole("region", { name: "Ran cat vibey.md" });
  await sees(ran.getByText("you allowed it once · 0.8 s · 60 lines"));
  await ran.getByRole("button", { name: /Ran cat vibey.md/ }).click();
  assert.equal(await ran.getByText("# text 60").count(), 0);
  const more = ran.getByRole("button", { name: /48 more lines/ });
  await until(async () => { // the end of the stream may draw the card anew
    if (await more.count() > 0) await more.click();
    return (await ran.getByText("# text 60").count()) > 0;
  });
  await ran.getByRole("button", { name: "Show less" }).click();
  await gone(ran.getByText("# text 60"));

  await say(page, "please add a console.log at the top of vibey-server.js");
  await sees(page.getByRole("heading", { name: "Change deed/vibey-server.js?" }));
  await sees(page.getByRole("button", { name: "Allow once", disabled: false }));
  await page.getByRole("button", { name: "Allow once" }).click();

  const changed = page.getByRole("region", { name: "Changed deed/vibey-server.js" });
  await sees(changed.getByText("+1 −1"));
  const green = await changed.evaluate((e) => getComputedStyle(e).backgroundColor.match(/[\d.]+/g).map(Number));
  assert.ok(green[1] > green[0] && green[1] > green[2], `not green: ${green}`);
  await counts(changed.locator(".row.same"), 6); // three lines of context on each side
  await changed.getByRole("button", { name: "Show full diff" }).click();
  await counts(changed.locator(".row.same"), 18);
  await changed.getByRole("button", { name: "Show changes only" }).click();
  await counts(changed.locator(".row.same"), 6);
  assert.deepEqual(await changed.locator("mark").allInnerTexts(), ["old", "new"]);

  // A reload and a second tab show the same.
  await sees(page.getByText("Done: the result above says so.").nth(1));
  const text = () => page.locator(".log > .column").innerText();
  await ran.getByRole("button", { name: /Ran cat vibey.md/ }).click();
  const before = await text();
  await page.reload();
  await sees(page.getByText("Done: the result above says so.").nth(1));
  await agrees(text, before);
  const second = await open(new URL(page.url()).hash);
  await sees(second.getByText("Done: the result above says so.").nth(1));
}, { login: false, project: "", path: "#code=one-time" }));

test("a used code asks for a fresh one, and a typed one opens", () => withWindow(async ({ page, mock }) => {
  await sees(page.getByText("used already"));
  mock.codes.add("fresh");
  await page.getByLabel("Code").fill(" fresh ");
  await page.getByRole("button", { name: "Open" }).click();
  await sees(page.getByRole("heading", { name: "Projects" }));
}, { login: false, path: "#code=stale", expect: /401/ }));

test("a first visit where nothing was begun leads to the recorded dialog, and back to the projects", () => withWindow(async ({ page, mock, open }) => {
  const d = mock.addDialog("welcome", "first-light", "replay", "welcome/x.md", { title: "First light" });
  mock.ask(d);
  mock.welcome = { project: "welcome", dialogId: d.id };
  mock.codes.add("printed").add("typed");
  await page.goto(mock.url + "#code=printed");
  const heading = page.getByRole("heading", { name: "First light", level: 1 });
  await sees(heading);
  assert.equal(new URL(page.url()).hash, `#/project/welcome/dialogs/${d.id}`);
  await page.goBack();
  await sees(page.getByRole("link", { name: "welcome", exact: true }));
  // It has been left, also for a reload, and for another code.
  await page.reload();
  await sees(page.getByRole("link", { name: "welcome", exact: true }));
  mock.codes.add("later");
  await page.goto(mock.url + "#code=later");
  await sees(page.getByRole("link", { name: "welcome", exact: true }));
  await until(() => !mock.codes.has("later"));
  await gone(heading);
  // The code may be typed.
  await page.evaluate(() => localStorage.clear());
  const other = await open("");
  await other.getByLabel("Code").fill("typed");
  await other.getByRole("button", { name: "Open" }).click();
  await sees(other.getByRole("heading", { name: "First light", level: 1 }));
  await other.goBack();
  await sees(other.getByRole("heading", { name: "Projects" }));
  // An address leads where it says, and so does an installation in which something was begun.
  mock.welcome = undefined;
  mock.codes.add("third");
  await other.evaluate(() => localStorage.clear());
  await other.goto(mock.url + "#code=third");
  await sees(other.getByRole("link", { name: "welcome", exact: true }));
  await gone(other.getByRole("heading", { name: "First light", level: 1 }));
}, { login: false, project: "welcome" }));

test("a token that is not taken any more leads to the code", () => withWindow(async ({ page }) => {
  await page.evaluate(() => localStorage.setItem("vibey.token", "wrong"));
  await page.reload();
  await sees(page.getByText("The server wants the code again."));
  assert.equal(await page.evaluate(() => localStorage.getItem("vibey.token")), null);
}, { login: false, expect: /401/ }));

test("deleting a project says what goes, stops its agents and goes back", () => withWindow(async ({ page, mock }) => {
  const d = mock.addDialog("lighthouse", "at-work");
  d.status = "active";
  await page.reload();
  await page.getByRole("button", { name: "Delete project lighthouse" }).click();
  const ask = page.getByRole("dialog", { name: "Delete lighthouse?" });
  await sees(ask.getByText("1 doc and 1 dialog. 1 agent working there is stopped first"));
  await ask.getByRole("button", { name: "Keep it" }).click();
  assert.equal(mock.projects.size, 1);
  await page.getByRole("button", { name: "Delete project lighthouse" }).click();
  await ask.getByRole("button", { name: "Delete project" }).click();
  await gone(page.getByRole("link", { name: "lighthouse" }));
  assert.equal(mock.projects.size, 0);
  assert.equal(d.stop, true);
}));
