// How it looks and reads for everyone.
import { test } from "node:test";
import assert from "node:assert/strict";
import { governed, ruled, summedUp } from "../governed.mjs";
import { accessible, WIDE } from "./axe.mjs";
import { draft, holds, say, sees, withWindow } from "./browser.mjs";

test("nothing that axe finds, in each width, light and dark", () => withWindow(async ({ page, mock }) => {
  await sees(page.getByRole("heading", { name: "Projects" }));
  await accessible(page, "projects");
  await page.goto(mock.url + "#/project/lighthouse/dialogs");
  await sees(page.getByText("Nothing here yet."));
  await accessible(page, "empty");
  await page.goto(mock.url + "#/project/lighthouse/dialogs/new");
  await sees(page.getByLabel("Provider", { exact: true }));
  await accessible(page, "new dialog");
  await page.goto(mock.url + "#/project/lighthouse/docs/doc-main.md");
  await sees(page.getByRole("textbox", { name: /^Text of / }));
  await accessible(page, "doc");
  await draft(page, mock);
  await say(page, "a console.log please");
  await sees(page.getByRole("button", { name: "Allow once", disabled: false }));
  await accessible(page, "question");
  await page.getByRole("button", { name: "Allow once" }).click();
  await sees(page.getByText("Done: the result above says so."));
  await accessible(page, "dialog");
  await say(page, "do both");
  await sees(page.getByRole("heading", { name: "2 questions at once" }));
  await accessible(page, "questions");
  await say(page, "and on");
  await sees(page.getByRole("list", { name: "Next messages" }));
  await accessible(page, "a message that waits");
  const judged = governed(mock);
  await page.goto(`${mock.url}#/project/lighthouse/dialogs/${judged.id}`);
  await page.getByText("Files read 2 · changed 2").click();
  await page.getByText("Reminded the agent to say what it does").click();
  await sees(page.getByRole("region", { name: "Stopped: it used all its steps" }));
  await accessible(page, "what the governor does");
  summedUp(mock, judged);
  await page.reload();
  await page.getByText("Turn 1 as it was").click();
  await page.getByRole("button", { name: "More", disabled: false }).click();
  await accessible(page, "a summary");
  mock.projects.get("lighthouse").rules = ruled;
  await page.goto(mock.url + "#/project/lighthouse/docs/doc-main.md");
  await page.getByText("What agents may do here").click();
  await sees(page.getByRole("region", { name: "Rules of this project" }));
  await accessible(page, "rules");
  mock.writeFile("lighthouse", "doc-plan.md", "## Ideas\n- **Fog**: a horn {confidence=auto}\n");
  await page.goto(mock.url + "#/project/lighthouse/docs/doc-plan.md");
  await sees(page.getByRole("region", { name: "Tentative items" }));
  await accessible(page, "plan");
  mock.look(await draft(page, mock, "looks"), "0123456789abcdef.png", await page.screenshot());
  await page.getByRole("button", { name: /^Picture of/ }).click();
  await accessible(page, "a picture of a page");
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: /Asked you about/ }).click();
  await accessible(page, "the call of a picture");
}, WIDE));

test("the page itself never scrolls, however long the list of dialogs", () => withWindow(async ({ page, mock }) => {
  for (let i = 0; i < 40; i++) mock.rest(mock.addDialog("lighthouse", `dialog-${i}`), "waiting", "reply");
  const still = async (where) => {
    await page.mouse.move(200, 20); // over the bar, which scrolls nothing
    await page.mouse.wheel(0, 4000);
    const { height, y } = await page.evaluate(() => {
      scrollTo(0, 5000);
      return { height: document.documentElement.scrollHeight - innerHeight, y: scrollY };
    });
    assert.deepEqual({ height, y }, { height: 0, y: 0 }, where);
  };
  await page.goto(mock.url + "#/project/lighthouse/dialogs");
  await sees(page.getByRole("link", { name: /dialog-39/ }));
  await still("the list");
  await draft(page, mock, "tall");
  await say(page, "a console.log please");
  await sees(page.getByTestId("approval"));
  await still("a question");
  await page.setViewportSize({ width: 390, height: 700 });
  await still("a question, 390 wide");
}));

test("a phone shows the list, then the dialog, and goes back", () => withWindow(async ({ page, mock }) => {
  const d = mock.addDialog("lighthouse", "please-start");
  await page.goto(mock.url + "#/project/lighthouse/dialogs");
  const row = page.getByRole("complementary", { name: "Dialogs" }).getByRole("link", { name: /please-start/ });
  await row.click();
  await say(page, "Please read vibey.md");
  assert.equal(await row.isVisible(), false);
  const allow = page.getByRole("button", { name: "Allow once" });
  await sees(allow);
  const at = await allow.boundingBox();
  assert.ok(at.y > 844 / 2 && at.y + at.height <= 844, "the answers stand in the lower half, in reach");
  await allow.click();
  await sees(page.getByText("Done: the result above says so."));
  await page.getByRole("link", { name: "Dialogs" }).last().click();
  await sees(row);
  assert.equal(d.pending.length, 0);
}, { width: 390, height: 844 }));

test("a note of several blocks is no single line, and a changed doc is folded", () => withWindow(async ({ page, mock }) => {
  const d = await draft(page, mock);
  const html = "<p>[DOC CHANGED] doc-main.md is now as follows.</p><h1>lighthouse</h1><p>A small game.</p><h2>What it must do</h2><p>Shine.</p>";
  mock.append(d, "Note", "note/markdown", "[DOC CHANGED] doc-main.md is now as follows.\n\n# lighthouse\n\nA small game.\n", { meta: { Kind: "doc-change" }, html });
  mock.append(d, "Note", "note/markdown", "Two things.\n\nThe first.", { meta: { Kind: "plan" }, html: "<p>Two things.</p><p>The first.</p><h3>The second</h3>" });
  const below = async (a, b) => {
    const [r, s] = [await a.boundingBox(), await b.boundingBox()];
    assert.ok(r.y + r.height <= s.y, "one stands below the other");
  };
  const log = page.getByRole("region", { name: "Dialog text" });
  await sees(log.getByText("Two things."));
  await below(log.getByText("Two things."), log.getByText("The first."));
  await below(log.getByText("The first."), log.getByRole("heading", { name: "The second" }));
  assert.equal(await log.getByRole("heading", { name: "lighthouse" }).isVisible(), false);
  await log.getByText("A doc changed").click();
  await below(log.getByRole("heading", { name: "lighthouse" }), log.getByText("A small game."));
  await below(log.getByText("A small game."), log.getByRole("heading", { name: "What it must do" }));
}, { width: 390, height: 844 }));

test("nothing covers the answers of a question that is partly in view", () => withWindow(async ({ page, mock }) => {
  mock.sandbox = "bwrap";
  const d = await draft(page, mock);
  for (let n = 0; n < 30; n++) mock.append(d, "User", "input/markdown", `line ${n}`);
  await sees(page.getByText("line 29", { exact: true }));
  mock.ask(d);
  await sees(page.getByRole("button", { name: "Allow once", disabled: false }));
  const log = page.getByRole("region", { name: "Dialog text" });
  const frame = () => page.evaluate(() => new Promise((ok) => requestAnimationFrame(() => requestAnimationFrame(ok))));
  const controls = page.getByTestId("approval").locator("button, input");
  for (let up = 0; up < 12; up++) {
    await log.evaluate((e) => { e.scrollTop -= 40; });
    await frame();
    const covered = await controls.evaluateAll((all) => {
      const log = document.querySelector(".log").getBoundingClientRect();
      return all.filter((e) => {
        const r = e.getBoundingClientRect(), [x, y] = [r.x + r.width / 2, r.y + r.height / 2];
        return y > log.top && y < log.bottom && !e.closest("label, button").contains(document.elementFromPoint(x, y));
      }).map((e) => e.textContent || e.type);
    });
    assert.deepEqual(covered, [], `${(up + 1) * 40} px up`);
  }
  // Out of view, a button leads back.
  await log.evaluate((e) => { e.scrollTop = 0; });
  await page.getByRole("button", { name: "To the question" }).click();
  await frame();
  assert.equal(await page.getByTestId("approval").evaluate((e) => e.getBoundingClientRect().bottom <= document.querySelector(".log").getBoundingClientRect().bottom), true);
}, { width: 390, height: 800 }));

test("all of it can be reached by keys alone", () => withWindow(async ({ page, mock }) => {
  await page.goto(mock.url + "#/project/lighthouse/dialogs");
  await sees(page.getByText("Nothing here yet."));
  await page.keyboard.press("n");
  await sees(page.locator("textarea:focus"));
  await sees(page.getByRole("combobox", { name: "Model" }));
  await page.keyboard.type("Please read vibey.md");
  await page.keyboard.press("Control+Enter");
  await sees(page.getByRole("heading", { name: "Please read vibey.md", level: 1 }));
  await sees(page.getByRole("button", { name: "Allow once", disabled: false }));
  await sees(page.getByText("Ctrl J to the question"));
  await page.keyboard.press("Control+j");
  await page.clock.fastForward(1100);
  await page.keyboard.press("a");
  await sees(page.getByText("Done: the result above says so."));
  await page.keyboard.type("and on");
  await holds(page.getByRole("textbox", { name: "Message" }), "and on");
}, { clock: true }));
