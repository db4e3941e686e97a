// What the governor does, as it is seen in a dialog, and decided on there and in Docs.
import { test } from "node:test";
import assert from "node:assert/strict";
import { agrees, counts, draft, gone, say, sees, until, withWindow } from "./browser.mjs";
import { accessible } from "./axe.mjs";
import { governed, ruled, summedUp } from "../governed.mjs";

const text = (page) => page.getByRole("region", { name: "Dialog text" });
const strip = (page) => page.getByRole("group", { name: "Where it stands" });
const cont = (page) => page.getByRole("region", { name: "Stopped: it used all its steps" }).getByRole("button", { name: "Continue", disabled: false });

test("what was done stands in the dialog, and after a reload as before", () => withWindow(async ({ page, mock }) => {
  const d = governed(mock);
  await page.goto(`${mock.url}#/project/lighthouse/dialogs/${d.id}`);
  for (const again of [false, true]) {
    if (again) await page.reload();
    await agrees(async () => (await strip(page).getByRole("listitem").allInnerTexts()).map((t) => t.replace(/\W+/g, " ")), ["Look done", "Propose done", "Make", "Check", "Report"]);
    await sees(strip(page).locator("[aria-current=step]", { hasText: "Make" }));
    await sees(strip(page).getByText("40 of 40 steps"));
    await sees(strip(page).getByText("Stopped: it used all its steps"));
    await sees(strip(page).getByText("Not checked"));
    await strip(page).getByText("Files read 2 · changed 2").click();
    const files = page.getByRole("region", { name: "Files of this dialog" });
    await sees(files.getByText("deed/style.css"));
    await sees(files.getByText("abababab"));
    await sees(files.getByText("deleted"));

    // For the agent small, and each once; for the human clear.
    const told = text(page).getByText("Reminded the agent to say what it does");
    await counts(told, 1);
    assert.equal(await text(page).getByText("[STATUS NUDGE]").isVisible(), false);
    await told.click();
    await sees(text(page).getByText("[STATUS NUDGE]"));
    const checkpoint = text(page).getByRole("region", { name: "Checkpoint" });
    await sees(checkpoint.getByText("Let the lamp turn."));
    await sees(text(page).getByText("Making the change"));
    await sees(text(page).getByText("Committed abc123f"));
    await sees(text(page).getByRole("article").filter({ hasText: "I changed style.css" }).getByText("No result shows this: style.css was changed"));
    await counts(text(page).getByText("No result shows this"), 1);
    await counts(text(page).getByText("Not checked"), 1);
    await sees(text(page).getByText("Proposal made"));
    await counts(text(page).getByText("Reporting"), 0);
    await sees(cont(page));
    await counts(page.getByRole("button", { name: "Continue" }), 1);
  }
}));

test("a stop is continued from its card, and then stands no more", () => withWindow(async ({ page, mock }) => {
  const d = governed(mock);
  await page.goto(`${mock.url}#/project/lighthouse/dialogs/${d.id}`);
  await sees(cont(page));
  mock.onContinue = () => {
    mock.append(d, "Note", "note/markdown", "The human lets the turn go on.", { meta: { Kind: "budget", To: "human", By: "human" } });
    d.governor = { ...d.governor, budget: { used: 0, limit: 40 }, stopped: undefined, unverified: undefined };
  };
  const release = mock.hold();
  await cont(page).click();
  await until(() => mock.puts.length === 1);
  assert.deepEqual(mock.puts[0], { dialogId: d.id, continue: true });
  mock.emit(d, { type: "budget", used: 3, limit: 40 });
  mock.emit(d, { type: "phase", phase: "verify", label: "Checking the change" });
  await sees(strip(page).getByText("3 of 40 steps"));
  await sees(strip(page).locator("[aria-current=step]", { hasText: "Check" }));
  release();
  await sees(text(page).getByText("I go on where I stopped."));
  await gone(strip(page).getByText("Stopped: it used all its steps"));
  await gone(cont(page));
  const past = text(page).getByRole("region", { name: "Stopped: it used all its steps" });
  await sees(past.getByText("All 40 steps that this message may take (feature_build) are used."));
  await counts(past.getByText("Press Continue"), 0);
}));

test("what is not checked names the check, and asks for it as a message", () => withWindow(async ({ page, mock }) => {
  mock.projects.get("lighthouse").rules = ruled;
  const d = governed(mock);
  await page.goto(`${mock.url}#/project/lighthouse/dialogs/${d.id}`);
  const mark = text(page).getByRole("note", { name: "Note" }).filter({ hasText: "Not checked" });
  await sees(mark.getByText("Files were changed, and the check did not succeed after that."));
  await sees(mark.getByText("npm test", { exact: true }));
  await mark.getByRole("button", { name: "Ask it to check", disabled: false }).click();
  await until(() => mock.puts.length === 1);
  assert.equal(mock.puts[0].prompt, "Please run the check now: `npm test`, and mend what it shows.");
  await gone(mark.getByRole("button"));
}));

test("a summary folds what it stands for, and is undone by its button", () => withWindow(async ({ page, mock }) => {
  const d = mock.addDialog("lighthouse", "long-talk");
  const first = mock.append(d, "User", "input/markdown", "The first question.");
  mock.append(d, "Assistant", "output/markdown", "The first answer.");
  mock.append(d, "User", "input/markdown", "The second question.");
  const last = mock.append(d, "Assistant", "output/markdown", "The second answer.");
  mock.append(d, "User", "input/markdown", "The third question.");
  const by = mock.append(d, "Summary", "summary/markdown", "In short: two questions.");
  d.governor = { ...d.governor, covers: [{ from: first.id, to: last.id, by: by.id }] };
  await page.goto(`${mock.url}#/project/lighthouse/dialogs/${d.id}`);
  const card = page.getByRole("region", { name: "The agent now reads a short version of turns 1–2" });
  await sees(card);
  await counts(text(page).getByText("In short: two questions."), 1);
  assert.equal(await text(page).getByText("The first answer.").isVisible(), false);
  await card.getByText("Turns 1–2 as they were").click();
  await sees(card.getByText("The first answer."));
  await card.getByText("What the agent reads in their place").click();
  await sees(card.getByText("In short: two questions."));
  await card.getByRole("button", { name: "Undo", disabled: false }).click();
  await gone(card);
  await sees(text(page).getByText("The first answer."));
  await sees(text(page).getByText("A summary was undone: the agent reads those turns again"));
}));

test("earlier turns are summed up from the menu, which says why nothing was", () => withWindow(async ({ page, mock }) => {
  const d = await draft(page, mock);
  await say(page, "hello");
  await sees(text(page).getByText("You said: hello"));
  await page.getByRole("button", { name: "More", disabled: false }).click();
  await page.getByRole("menuitem", { name: "Sum up earlier turns", disabled: false }).click();
  await sees(page.getByText("There is nothing to sum up. Nothing was done."));
  assert.deepEqual(mock.puts.at(-1), { dialogId: d.id, compact: true });
}, { expect: /409/ }));

const MAIN = "#/project/lighthouse/docs/doc-main.md";

test("the card of the rules says in its line that it asks, opens over the text at a click, and confirms the wish that it shows", () => withWindow(async ({ page, mock }) => {
  const p = mock.projects.get("lighthouse");
  p.rules = { ...ruled, problems: [], wish: undefined };
  await page.goto(mock.url + MAIN);
  await page.reload();
  const rules = page.getByRole("region", { name: "Rules of this project" });
  await sees(page.getByText("What agents may do here"));
  assert.equal(await rules.isVisible(), false);
  await page.getByText("What agents may do here").click();
  await sees(rules);
  p.rules = { ...ruled, problems: [] };
  await page.reload();
  const text = page.getByRole("textbox", { name: /^Text of / });
  const top = () => text.evaluate((e) => e.getBoundingClientRect().top);
  await sees(page.getByText("waits for you to confirm it"));
  await sees(text);
  const before = await top();
  await page.getByText("What agents may do here").click();
  await sees(rules);
  assert.equal(await top(), before, "the text stays where it is");
  await sees(rules.getByText("They also read docs unasked."));
  await sees(rules.getByText("npm test", { exact: true }));
  await sees(rules.getByRole("region", { name: "Usual settings" }).getByText("A command may run for 30 seconds."));
  await counts(rules.getByRole("region", { name: "Usual settings" }).getByRole("listitem"), 1);
  const confirm = rules.getByRole("button", { name: "Confirm" });
  const ready = rules.getByRole("button", { name: "Confirm", disabled: false });
  // What is being written is not what would be confirmed.
  await text.focus();
  await page.keyboard.insertText("x");
  await sees(rules.getByText("Save the text first, then confirm what it says."));
  assert.equal(await confirm.isDisabled(), true);
  await page.getByRole("button", { name: "Discard" }).click();
  await ready.click();
  await sees(rules.getByText("You confirmed this: it holds in each new dialog"));
  await gone(confirm);
  assert.deepEqual(mock.confirmed, [{ etag: '"read"' }]);
}));

test("a wish that changed meanwhile is not confirmed but shown", () => withWindow(async ({ page, mock }) => {
  const p = mock.projects.get("lighthouse");
  p.rules = { ...ruled, problems: [] };
  await page.goto(mock.url + MAIN);
  await page.reload();
  const confirm = page.getByRole("button", { name: "Confirm" });
  const ready = page.getByRole("button", { name: "Confirm", disabled: false });
  await page.getByText("What agents may do here").click();
  await sees(ready);
  p.rules = { ...ruled, wish: { ...ruled.wish, etag: '"newer"', lines: [{ line: "allow run_command", text: "Agents may run commands without asking.", known: true }] } };
  await ready.click();
  await sees(page.getByText(/so nothing was confirmed/));
  await sees(page.getByText("Agents may run commands without asking."));
  await sees(confirm);
}, { expect: /409/ }));

test("a save with a line without effect shows it at once", () => withWindow(async ({ page, mock }) => {
  const p = mock.projects.get("lighthouse");
  const box = page.getByRole("textbox", { name: /^Text of / });
  mock.writeFile("lighthouse", "doc-main.md", "# Lamp\n\nwords\n\n\n\n\nəəəproject/v1\nphasen on\nəəə\n");
  await page.reload();
  await sees(box.getByText("words"));
  await box.focus();
  p.rules = ruled;
  await page.keyboard.insertText("y");
  await page.keyboard.press("Control+s");
  await sees(page.getByText("1 line has no effect"));
  await page.getByText("What agents may do here").click();
  const problems = page.getByRole("status", { name: "Lines without effect" });
  await sees(problems.getByText("there is no rule"));
  await sees(problems.getByText("phasen on", { exact: true }));
  await problems.getByRole("button", { name: "line 9" }).click();
  await page.keyboard.insertText("# ");
  await sees(box.getByText("# phasen on"));
}, { path: MAIN }));

test("a tentative item of the plan is confirmed where it stands", () => withWindow(async ({ page, mock }) => {
  const plan = "# Plan\n\n## Decisions\n- **Tone**: warm {confidence=auto source=extracted}\n\nwords\n- **Ink**: blue {confidence=auto source=explicit}\n";
  mock.writeFile("lighthouse", "doc-plan.md", plan);
  await page.goto(mock.url + "#/project/lighthouse/docs/doc-plan.md");
  const card = page.getByRole("region", { name: "Tentative items" });
  await sees(card.getByText("2 items of a model wait for your word"));
  await card.getByRole("button", { name: "Confirm Tone", disabled: false }).click();
  await sees(card.getByText("1 item of a model waits for your word"));
  const file = () => mock.projects.get("lighthouse").files.get("doc-plan.md").content;
  assert.equal(file(), plan.replace("warm {confidence=auto", "warm {confidence=user"));
  await sees(page.getByText(/^Saved/));
  assert.equal(await page.getByText("Not saved").count(), 0);
  // The other one was reworded meanwhile: nothing of that is overwritten.
  const newer = file().replace("blue", "black");
  mock.projects.get("lighthouse").files.get("doc-plan.md").content = newer;
  await card.getByRole("button", { name: "Confirm Ink", disabled: false }).click();
  await sees(page.getByText(/The plan changed since you looked/));
  await sees(card.getByText(/black/));
  assert.equal(file(), newer);
}, { expect: /409/ }));

test("the lines of the plan that count for nothing are named, and led to", () => withWindow(async ({ page, mock }) => {
  mock.writeFile("lighthouse", "doc-plan.md", "# Plan\n\n## Tasks\n- [ ] buy milk\n- **Bread**: now\n- [x] paint the door\n");
  await page.goto(mock.url + "#/project/lighthouse/docs/doc-plan.md");
  const line = page.getByText("2 lines have no effect");
  await line.click();
  const card = page.getByRole("region", { name: "2 lines have no effect" });
  await sees(card.getByText("- [ ] buy milk"));
  await counts(card.getByText("this is no item of the plan; write - **Title**: what is chosen (why: the reason)"), 2);
  await accessible(page, "the problems of the plan");
  await card.getByRole("button", { name: "line 6" }).click();
  await gone(card);
  await agrees(() => page.evaluate(() => getSelection().focusNode?.parentElement.closest(".cm-line").textContent.includes("paint the door")), true);
}));

test("a stop that a Summary stands for still has its Continue", () => withWindow(async ({ page, mock }) => {
  const d = governed(mock);
  summedUp(mock, d);
  await page.goto(`${mock.url}#/project/lighthouse/dialogs/${d.id}`);
  const go = page.getByRole("group", { name: "This dialog" }).getByRole("button", { name: "Continue", disabled: false });
  await go.click();
  await until(() => mock.puts.length === 1);
  assert.deepEqual(mock.puts[0], { dialogId: d.id, continue: true });
}));

test("how much work a message may be is chosen before it is sent, once", () => withWindow(async ({ page, mock }) => {
  mock.projects.get("lighthouse").rules = { rules: [{ name: "budget small_fix", value: "12", about: "spend", text: "A small fix may take 12 steps of work." }], problems: [] };
  const d = await draft(page, mock);
  const menu = page.getByRole("combobox", { name: "How much work" });
  await menu.selectOption({ label: "Small fix · up to 12 steps" });
  await say(page, "mend the lamp");
  await until(() => d.status === "waiting" && mock.puts.length === 1);
  assert.deepEqual(mock.puts[0].intent, "small_fix");
  assert.equal(await menu.inputValue(), "");
  await say(page, "and on");
  await until(() => mock.puts.length === 2);
  assert.equal(mock.puts[1].intent, undefined);
}));

test("what follows from the words of a message is shown before it is sent, and the human's choice goes before it", () => withWindow(async ({ page, mock }) => {
  mock.projects.get("lighthouse").rules = { rules: [{ name: "budget small_fix", value: "12", about: "spend", text: "" }, { name: "budget autonomous", value: "150", about: "spend", text: "" }], problems: [] };
  await draft(page, mock);
  const menu = page.getByRole("combobox", { name: "How much work" });
  const shown = (words) => agrees(() => menu.evaluate((e) => e.selectedOptions[0].text), words);
  const box = page.getByRole("textbox", { name: "Message" });
  await shown("As much as it needs");
  await box.fill("Fix all the typos");
  await shown("Small fix · up to 12 steps (from your message)");
  await box.fill("Build it by yourself");
  await shown("Work alone · up to 150 steps (from your message)");
  await page.setViewportSize({ width: 390, height: 844 });
  const cut = await page.locator(".composer .under select").evaluateAll((all) => all.slice(1).filter((e, i) => e.getBoundingClientRect().left < all[i].getBoundingClientRect().right - 1).length);
  assert.equal(cut, 0, "no choice stands over another one");
  await page.setViewportSize({ width: 1280, height: 860 });
  await menu.selectOption({ label: "Small fix · up to 12 steps" });
  await box.fill("Build it by yourself, please");
  await shown("Small fix · up to 12 steps");
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await until(() => mock.puts.length === 1);
  assert.equal(mock.puts[0].intent, "small_fix");
  await shown("As much as it needs");
}));
