// What the card shows is what is allowed, and nothing that was not seen.
import { test } from "node:test";
import assert from "node:assert/strict";
import { result } from "../agent.mjs";
import { sha } from "../mockserver.mjs";
import { agrees, draft, gone, hasFocus, holds, rests, say, sees, until, withWindow } from "./browser.mjs";

const card = (page) => page.getByTestId("approval");
const settled = rests;
const ready = (page) => sees(page.getByRole("button", { name: "Allow once", disabled: false }));

test("hidden characters are drawn, in the question and in the input", () => withWindow(async ({ page, mock }) => {
  await draft(page, mock);
  await say(page, "something hidden");
  await sees(card(page).getByText("3 hidden characters, drawn where they stand."));
  const chips = await card(page).locator("figure").first().locator(".hidden-char").allInnerTexts();
  assert.deepEqual(chips, ["U+202E", "U+200B", "U+E0041"]);
  await sees(card(page).getByRole("img", { name: "hidden character tag A U+E0041" }).first());
}));

test("what is cut off must be opened before it can be allowed", () => withWindow(async ({ page, mock }) => {
  const d = await draft(page, mock);
  await say(page, "a long one");
  await sees(card(page).getByText("Open the 212 more lines first: you allow all of it."));
  const allow = page.getByRole("button", { name: "Allow once" });
  await rests(page);
  assert.equal(await allow.isDisabled(), true);
  await page.keyboard.press("Control+j");
  await page.clock.fastForward(1100);
  await page.keyboard.press("a");
  assert.equal(d.pending.length, 1);
  await card(page).getByRole("button", { name: /212 more lines/ }).click();
  await sees(card(page).getByText("line 236").first());
  await page.clock.runFor(50); // the page looks at what came into view a frame after it has come
  for (let n = 0; n < 100 && (await allow.isDisabled()); n++) {
    // One step at a time: what passes between two frames was not in view.
    await card(page).evaluate((c) => new Promise((ok) => {
      const view = c.closest(".scroll"), at = view.scrollTop;
      view.addEventListener("scroll", ok, { once: true });
      view.scrollTop += 300;
      if (view.scrollTop === at) ok();
    }));
    await page.clock.runFor(50);
  }
  await allow.click();
  await sees(page.getByRole("region", { name: "Wrote deed/long.txt" }));
}, { clock: true }));

test("no is no, by key, and a no with words goes along as the next message", () => withWindow(async ({ page, mock }) => {
  await draft(page, mock);
  await say(page, "Please read vibey.md");
  await ready(page);
  await page.keyboard.press("Control+j");
  await page.clock.fastForward(1100);
  await page.keyboard.press("d");
  await sees(page.getByRole("region", { name: "Did not run cat vibey.md" }).getByText("you said no"));
  await say(page, "Please read vibey.md again");
  await ready(page);
  await page.getByRole("button", { name: "Tell it why…" }).click();
  await page.getByRole("textbox", { name: "Why not" }).fill("Ask me for it instead.");
  // Letters of a text that is written decide nothing.
  assert.equal(mock.puts.length, 3);
  await page.getByRole("button", { name: "Don’t, and say" }).click();
  await sees(page.getByText("You said: Ask me for it instead."));
  const put = mock.puts.at(-1);
  assert.match(put.control, /^əəəcontrol\/v1\ncall_\d+ deny\nəəə$/);
  assert.equal(put.prompt, "Ask me for it instead.");
}, { clock: true }));

test("always is for this dialog and this tool; commands and main always ask", () => withWindow(async ({ page, mock }) => {
  const d = await draft(page, mock);
  await say(page, "a console.log please");
  await card(page).getByRole("checkbox", { name: "Always allow changes to files in this dialog" }).check();
  await page.getByRole("button", { name: "Allow once" }).click();
  await sees(page.getByText("You always allow changes to files in this dialog"));
  await until(() => /\nallow edit_file\nəəə$/.test(mock.puts.at(-1)?.control));
  assert.ok(d.grants.has("edit_file"));
  await say(page, "one more console.log");
  await sees(page.getByText("Done, as you always allow it."));
  await sees(page.getByRole("region", { name: "Changed deed/vibey-server.js" }).nth(1).getByText("always allowed here"));
  await say(page, "Please read vibey.md");
  await sees(card(page).getByText("Commands always ask here: there is no sandbox."));
  await page.getByRole("button", { name: "Don’t" }).click();
  d.grants.clear();
  await sees(page.getByText("Done: the result above says so.").nth(1));
  await say(page, "now change main.md");
  await sees(card(page).getByText("Changes to main always ask."));
  assert.equal(await card(page).getByRole("checkbox").count(), 0);
}));

test("what stands allowed is shown, and taken back", () => withWindow(async ({ page, mock }) => {
  const d = await draft(page, mock);
  const standing = page.getByRole("group", { name: "Allowed without asking" });
  await say(page, "a console.log please");
  await ready(page);
  assert.equal(await standing.count(), 0);
  await card(page).getByRole("checkbox", { name: "Always allow changes to files in this dialog" }).check();
  await page.getByRole("button", { name: "Allow once" }).click();
  await sees(standing.getByText("changes to files"));
  await until(() => d.status === "waiting");
  mock.append(d, "Authorization", "control/v1", "allow network", { meta: { By: "human", Scope: "dialog" } });
  await sees(standing.getByText("the network for commands"));
  // It outlives a reload, for it is read from the file.
  await page.reload();
  await sees(standing.getByText("changes to files"));
  await standing.getByRole("button", { name: "Take back changes to files", disabled: false }).click();
  await gone(standing.getByText("changes to files"));
  assert.equal(mock.puts.at(-1).control, "əəəcontrol/v1\nask edit_file\nəəə");
  assert.equal(mock.puts.at(-1).seen, d.sections.at(-2).id);
  await sees(page.getByText("You want to be asked about changes to files again"));
  await standing.getByRole("button", { name: "Take back the network for commands", disabled: false }).click();
  await gone(standing);
  assert.equal(mock.puts.at(-1).control, "əəəcontrol/v1\nask network\nəəə");
  await say(page, "one more console.log");
  await sees(card(page).getByRole("heading", { name: "Change deed/vibey-server.js?" }));
  assert.deepEqual([...d.grants], []);
}));

test("while the agent works, nothing is taken back, and it says so", () => withWindow(async ({ page, mock }) => {
  const d = await draft(page, mock);
  mock.append(d, "Authorization", "control/v1", "allow edit_file", { meta: { By: "human", Scope: "dialog" } });
  const release = mock.hold();
  await say(page, "hello");
  const standing = page.getByRole("group", { name: "Allowed without asking" });
  await sees(standing.getByText("Stop the agent to take it back."));
  await until(() => standing.getByRole("button").evaluate((e) => e.disabled));
  release();
  await until(async () => !(await standing.getByRole("button").evaluate((e) => e.disabled)));
}));

test("several questions are one card, one Send, one request", () => withWindow(async ({ page, mock }) => {
  await draft(page, mock);
  await say(page, "do both");
  await sees(card(page).getByRole("heading", { name: "2 questions at once" }));
  const first = card(page).getByRole("group", { name: "Run this command?" });
  const second = card(page).getByRole("group", { name: "Write deed/a.txt?" });
  assert.equal(await card(page).getByRole("button", { name: /^Send/ }).isDisabled(), true);
  await second.getByRole("radio", { name: "Allow once" }).check();
  await sees(card(page).getByRole("button", { name: "Send 1 of 2 answers" }));
  await first.getByRole("radio", { name: "Don’t" }).check();
  const before = mock.puts.length;
  await card(page).getByRole("button", { name: "Send answers" }).click();
  await sees(page.getByText("Done: the result above says so."));
  assert.equal(mock.puts.length, before + 1);
  const lines = mock.puts.at(-1).control.split("\n");
  assert.match(lines[1], / deny$/);
  assert.match(lines[2], / approve sha256:[0-9a-f]{64} target:none path:deed\/\S+$/);
}));

const GEOMETRY = (c) => {
  const top = c.getBoundingClientRect().top; // the test scrolls to what it clicks on
  return [c, ...c.querySelectorAll("fieldset, .answers, label, button")].map((e) => {
    const r = e.getBoundingClientRect();
    return `${e.tagName} ${r.x} ${r.y - top} ${r.width} ${r.height}`;
  });
};

for (const [name, size] of [["wide", {}], ["820 wide", { width: 820 }], ["390 wide, dark", { width: 390, height: 800, dark: true }]]) {
  test(`an answer moves nothing of its card, and the next one counts at once: ${name}`, () => withWindow(async ({ page, mock }) => {
    const d = await draft(page, mock);
    for (const n of ["a", "b", "c"]) mock.ask(d, "write_file", { path: `deed/${n}.txt`, content: "one\ntwo\n" });
    await sees(card(page).getByRole("heading", { name: "3 questions at once" }));
    const radio = (n, name) => card(page).getByRole("group", { name: `Write deed/${n}.txt?` }).getByRole("radio", { name });
    // Each question is read, so that all can be allowed.
    for (const n of ["a", "b", "c"]) await card(page).getByRole("group", { name: `Write deed/${n}.txt?` }).getByText("two").first().scrollIntoViewIfNeeded();
    await sees(radio("c", "Allow once"));
    await until(async () => (await radio("c", "Allow once").isEnabled()) && (await radio("b", "Allow once").isEnabled()));
    const before = await card(page).evaluate(GEOMETRY);
    // Four answers within a tenth of a second, by the script that a quick hand is.
    const chosen = await card(page).evaluate(async (c) => {
      const all = [...c.querySelectorAll("input[type=radio]")];
      const out = [];
      for (const i of [0, 2, 4, 3]) {
        all[i].click();
        await new Promise((ok) => setTimeout(ok, 30));
        out.push(all[i].checked);
      }
      return out;
    });
    assert.deepEqual(chosen, [true, true, true, true]);
    assert.deepEqual(await card(page).evaluate(GEOMETRY), before);
    const edge = (label) => label.evaluate((e) => getComputedStyle(e.closest("label")).borderColor);
    assert.equal(await edge(radio("b", "Don’t")), await page.evaluate(() => getComputedStyle(document.body).color), "Don’t is in ink");
    assert.notEqual(await edge(radio("a", "Allow once")), await edge(radio("b", "Don’t")));
    if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/chosen-${name.slice(0, 3)}.png` });
    await card(page).getByRole("button", { name: "Send answers" }).click();
    await until(() => mock.puts.length === 1);
    assert.match(mock.puts[0].control, / approve .*\n.* deny\n.* approve /);
  }, size));
}

for (const size of [{ width: 1280 }, { width: 390, height: 800 }]) {
  test(`twenty questions have one answer to all: no at once, yes once each was in view, at ${size.width} px`, () => withWindow(async ({ page, mock }) => {
    const d = await draft(page, mock);
    const ask = async () => {
      for (let i = 0; i < 20; i++) mock.ask(d, "write_file", { path: `deed/${i}.txt`, content: "one\ntwo\n" });
      await sees(card(page).getByRole("heading", { name: "20 questions at once" }));
      await rests(page);
    };
    await ask();
    const allow = card(page).getByRole("button", { name: "Allow all 20" });
    assert.equal(await allow.isDisabled(), true);
    await card(page).getByRole("button", { name: "Don’t allow any" }).click();
    await until(() => mock.puts.length === 1);
    assert.equal(mock.puts[0].control.match(/ deny$/gm).length, 20);
    await until(() => d.pending.length === 0);
    await ask();
    const before = await card(page).evaluate((c) => c.querySelector(":scope > .answers").offsetHeight);
    const readOn = card(page).locator(":scope > .answers").getByRole("button", { name: "Read on" });
    for (let n = 0; n < 20 && (await allow.isDisabled()); n++) {
      const at = () => card(page).evaluate((c) => c.closest(".scroll").scrollTop), was = await at();
      await readOn.click();
      await until(async () => (await at()) !== was || !(await allow.isDisabled()));
    }
    assert.equal(await card(page).evaluate((c) => c.querySelector(":scope > .answers").offsetHeight), before, "nothing of it moves");
    await allow.click();
    await until(() => mock.puts.length === 2);
    assert.equal(mock.puts[1].control.match(/ approve /g).length, 20);
  }, size));
}

test("one answer of two leaves the other question standing", () => withWindow(async ({ page, mock }) => {
  await draft(page, mock);
  await say(page, "do both");
  await card(page).getByRole("group", { name: "Write deed/a.txt?" }).getByRole("radio", { name: "Allow once" }).check();
  await card(page).getByRole("button", { name: "Send 1 of 2 answers" }).click();
  await sees(page.getByRole("region", { name: "Wrote deed/a.txt" }));
  await sees(card(page).getByRole("heading", { name: "Run this command?" }));
  await page.getByRole("button", { name: "Allow once" }).click();
  await sees(page.getByText("Done: the result above says so."));
}));

test("why not, said with an answer that can't be sent yet, is kept", () => withWindow(async ({ page, mock }) => {
  const d = await draft(page, mock);
  mock.ask(d);
  mock.ask(d, "write_file", { path: "deed/long.txt", content: Array.from({ length: 60 }, (_, i) => `line ${i}\n`).join("") });
  const long = card(page).getByRole("group", { name: "Write deed/long.txt?" });
  await long.getByRole("button", { name: /more lines/ }).click();
  await long.getByRole("radio", { name: "Allow once", disabled: false }).check();
  await long.getByRole("button", { name: "Show less" }).click();
  await page.getByRole("button", { name: "Tell it why…" }).click();
  const why = page.getByRole("textbox", { name: "Why not" });
  await why.fill("Ask me for it instead.");
  await page.getByRole("button", { name: "Send, and don’t do the other one" }).click();
  await sees(page.getByRole("status").getByText(/Open the .* first: you allow all of it/));
  assert.equal(await why.inputValue(), "Ask me for it instead.");
  assert.equal(mock.puts.length, 0);
  await long.getByRole("radio", { name: "Don’t" }).check();
  assert.equal(await card(page).getByRole("button", { name: "Send 1 of 2 answers" }).isDisabled(), true, "it would send without the reason");
  await page.getByRole("button", { name: "Send, and don’t do the other one" }).click();
  await sees(page.getByText("You said: Ask me for it instead."));
}, { height: 3000 }));

test("a word why not says of how many open questions it says no to, and Escape sends none of it", () => withWindow(async ({ page, mock }) => {
  const d = await draft(page, mock);
  const [a, b, c] = ["a", "b", "c"].map((n) => mock.ask(d, "write_file", { path: `deed/${n}.txt`, content: "one\n" }));
  const radio = (n, name) => card(page).getByRole("group", { name: `Write deed/${n}.txt?` }).getByRole("radio", { name, disabled: false });
  const tell = page.getByRole("button", { name: "Tell it why…" }), why = page.getByRole("textbox", { name: "Why not" });
  await tell.click();
  await hasFocus(why);
  await page.keyboard.type("Only the first one.");
  await sees(card(page).getByText("This also says Don’t to the 3 questions that are still open.", { exact: true }));
  await sees(card(page).getByRole("button", { name: "Don’t do any of the 3, and say" }));
  await radio("a", "Allow once").check();
  await sees(card(page).getByText("This also says Don’t to the 2 questions that are still open.", { exact: true }));
  await sees(card(page).getByRole("button", { name: "Send, and don’t do the other 2" }));
  // Within the card: to check what is out of view scrolls the page.
  const place = (name) => card(page).getByRole("button", { name }).evaluate((b) => {
    const at = b.getBoundingClientRect(), from = b.closest("[data-testid=approval]").getBoundingClientRect();
    return [at.x - from.x, at.y - from.y];
  });
  const below = await place("Send, and don’t do the other 2");
  await radio("b", "Don’t").check();
  await sees(card(page).getByText("This also says Don’t to the 1 question that is still open.", { exact: true }));
  await sees(card(page).getByRole("button", { name: "Send, and don’t do the other one" }));
  await radio("c", "Don’t").check();
  assert.deepEqual(await place("Send answers, and say"), below, "nothing moves");
  await why.focus();
  await page.keyboard.press("Escape");
  await gone(why);
  await hasFocus(tell);
  assert.equal(mock.puts.length, 0);
  await page.keyboard.press("Enter");
  await hasFocus(why);
  await holds(why, "Only the first one.");
  await page.reload();
  await radio("a", "Allow once").check();
  assert.match(await why.ariaSnapshot(), /Why not/);
  assert.equal(await why.evaluate((e) => document.getElementById(e.getAttribute("aria-describedby")).textContent), "This also says Don’t to the 2 questions that are still open.");
  await card(page).getByRole("button", { name: "Send, and don’t do the other 2" }).click();
  await until(() => mock.puts.length === 1);
  assert.deepEqual(mock.puts[0].control.split("\n").slice(1, -1).map((l) => l.split(" ").slice(0, 2).join(" ")), [`${a} approve`, `${b} deny`, `${c} deny`]);
  assert.equal(mock.puts[0].prompt, "Only the first one.");
}));

test("another tab's answer to one of several questions leaves what is chosen for the others", () => withWindow(async ({ page, mock }) => {
  const d = await draft(page, mock);
  for (const n of ["a", "b", "c"]) mock.ask(d, "write_file", { path: `deed/${n}.txt`, content: "one\n" });
  const radio = (n, name) => card(page).getByRole("group", { name: `Write deed/${n}.txt?` }).getByRole("radio", { name });
  await radio("a", "Don’t").check();
  await card(page).getByRole("group", { name: "Write deed/c.txt?" }).getByRole("radio", { name: "Allow once", disabled: false }).check();
  result(mock, d, d.pending.splice(1, 1)[0], "denied");
  mock.rest(d, "waiting", "approval", mock.ending(d));
  await sees(card(page).getByRole("heading", { name: "2 questions at once" }));
  assert.deepEqual([await radio("a", "Don’t").isChecked(), await radio("c", "Allow once").isChecked(), await radio("a", "Allow once").isChecked()], [true, true, false]);
}));

test("the button that sends all answers sends the reason with them", () => withWindow(async ({ page, mock }) => {
  const d = await draft(page, mock);
  for (const n of ["a", "b"]) mock.ask(d, "write_file", { path: `deed/${n}.txt`, content: "one\n" });
  await card(page).getByRole("group", { name: "Write deed/a.txt?" }).getByRole("radio", { name: "Allow once", disabled: false }).check();
  await card(page).getByRole("group", { name: "Write deed/b.txt?" }).getByRole("radio", { name: "Don’t" }).check();
  await page.getByRole("button", { name: "Tell it why…" }).click();
  await page.getByRole("textbox", { name: "Why not" }).fill("Not there.");
  await sees(card(page).getByRole("button", { name: "Send answers, and say" }));
  assert.equal(await card(page).getByText("This also says Don’t").isVisible(), false);
  await card(page).getByRole("button", { name: "Send answers", exact: true }).click();
  await until(() => mock.puts.length === 1);
  assert.equal(mock.puts[0].prompt, "Not there.");
  assert.match(mock.puts[0].control, / approve .*\n.* deny/);
  await agrees(() => page.getByRole("textbox", { name: "Message", exact: true }).inputValue(), "");
}));

test("what came after the card was drawn is not said to be seen", () => withWindow(async ({ page, mock }) => {
  const d = await draft(page, mock);
  const call = mock.ask(d);
  await ready(page);
  mock.append(d, "Note", "note/markdown", "It came later.", { id: "later", meta: { Kind: "nudge" } });
  await sees(page.getByText("It came later.").first());
  await page.getByRole("button", { name: "Don’t" }).click();
  await until(() => mock.puts.length === 1);
  assert.equal(mock.puts[0].seen, call);
}));

test("a file that is another for a moment is read again", () => withWindow(async ({ page, mock, context }) => {
  const d = await draft(page, mock);
  mock.make("lighthouse", "deed/a.txt", "one\n");
  let other = true;
  await context.route("**/target/*", async (r) => {
    if (!other) return r.continue();
    other = false;
    return r.fulfill({ json: { path: "deed/a.txt", exists: true, sha256: "ab".repeat(32), content: "other\n" } });
  });
  mock.ask(d, "write_file", { path: "deed/a.txt", content: "two\n" });
  await sees(card(page).getByText("Replaces all of deed/a.txt: 1 line goes, 1 comes."));
  await ready(page);
}));

test("what changed since it was shown is not decided: it is shown anew", () => withWindow(async ({ page, mock }) => {
  const d = await draft(page, mock);
  await say(page, "Please read vibey.md");
  await ready(page);
  const text = '{"command":"cat other.md"}';
  // It changes when the answer is on its way: what the page still reads of the dialog before is what it shows.
  await page.route("**/project/lighthouse/dialog", (r) => {
    Object.assign(d.pending[0], { input: JSON.parse(text), inputText: text, sha256: "cd".repeat(32) });
    return r.continue();
  }, { times: 1 });
  await page.getByRole("button", { name: "Allow once" }).click();
  await sees(page.getByText("Something changed since you looked, so nothing was done."));
  await sees(card(page).getByText("cat other.md", { exact: true }));
  assert.equal(d.pending.length, 1);
}, { expect: /409/ }));

test("a file that changed since it was shown is shown anew, and the decision is for that", () => withWindow(async ({ page, mock }) => {
  const d = await draft(page, mock);
  await say(page, "do both");
  await sees(card(page).getByText("It makes a new file of 2 lines (8 bytes)."));
  await settled(page); // what was still being read of the dialog has come by then
  mock.make(d.project, "deed/a.txt", "one\nhalf\ntwo\n");
  await card(page).getByRole("group", { name: "Write deed/a.txt?" }).getByRole("radio", { name: "Allow once" }).check();
  await card(page).getByRole("button", { name: "Send 1 of 2 answers" }).click();
  await sees(page.getByText("The file changed since you looked, so nothing was done."));
  await sees(card(page).getByText("Takes lines out of deed/a.txt: 1 line goes, 2 stay."));
  assert.equal(d.pending.length, 2);
  await card(page).getByRole("group", { name: "Write over deed/a.txt?" }).getByRole("radio", { name: "Allow once" }).check();
  await card(page).getByRole("button", { name: "Send 1 of 2 answers" }).click();
  await sees(page.getByRole("region", { name: "Wrote deed/a.txt" }));
  assert.match(mock.puts.at(-1).control, new RegExp(` approve sha256:[0-9a-f]{64} target:${sha("one\nhalf\ntwo\n")} path:deed/a.txt\\n`));
}, { expect: /409/ }));

test("a folder is allowed in words, shown where it stands, and taken back", () => withWindow(async ({ page, mock }) => {
  await draft(page, mock);
  const standing = page.getByRole("group", { name: "Allowed without asking" });
  await say(page, "a console.log please");
  const folder = card(page).getByRole("checkbox", { name: "Always allow changes in deed/ in this dialog" });
  const all = card(page).getByRole("checkbox", { name: "Always allow changes to files in this dialog" });
  await all.check();
  await folder.check();
  assert.equal(await all.isChecked(), false); // one or the other
  assert.equal(await card(page).getByTitle("In the file: allow edit_file deed/").count(), 1);
  await page.getByRole("button", { name: "Allow once" }).click();
  await sees(standing.getByText("changes in deed/"));
  await until(() => /\nallow edit_file deed\/\nəəə$/.test(mock.puts.at(-1)?.control));
  await say(page, "one more console.log");
  await sees(page.getByText("Done, as you always allow it."));
  await standing.getByRole("button", { name: "Take back changes in deed/", disabled: false }).click();
  await gone(standing);
  assert.equal(mock.puts.at(-1).control, "əəəcontrol/v1\nask edit_file deed/\nəəə");
}));

test("to finish a dialog that asks, the questions are named, and it asks", () => withWindow(async ({ page, mock }) => {
  const d = await draft(page, mock);
  mock.ask(d);
  const finish = page.getByRole("button", { name: "Finish", exact: true, disabled: false });
  const modal = page.getByRole("dialog", { name: "Finish please-start?" });
  await finish.click();
  await sees(modal.getByText("Run rm -rf deed/*"));
  await sees(modal.getByText("It waits for your answer to one question. This says no to it:"));
  await hasFocus(modal.getByRole("button", { name: "Keep it open" }));
  await modal.getByRole("button", { name: "Keep it open", disabled: false }).click();
  await gone(modal);
  assert.deepEqual([d.pending.length, mock.puts.length], [1, 0]);
  // What was asked since is named before it is denied.
  await finish.click();
  await sees(modal);
  mock.ask(d, "write_file", { path: "deed/b.txt", content: "b" });
  await modal.getByRole("button", { name: "Finish, and say no", disabled: false }).click();
  await sees(modal.getByText("What it asks has changed since you looked, so nothing was done."));
  await sees(modal.getByText("Write deed/b.txt"));
  assert.equal(mock.puts.length, 0);
  await modal.getByRole("button", { name: "Finish, and say no", disabled: false }).click();
  await until(() => d.status === "done");
  // Nothing asks now: it is finished without a word.
  await page.getByRole("button", { name: "Reopen", disabled: false }).click();
  await finish.click();
  await until(() => d.status === "done");
  assert.equal(await page.getByRole("dialog").count(), 0);
}));

const OLD = ["<main>", "  <h1>Game</h1>", ...Array.from({ length: 20 }, (_, i) => `  <p>line ${i}</p>`), "  <p>the old end</p>", "</main>", ""].join("\n");

test("a file that is written over is shown against what it holds now", () => withWindow(async ({ page, mock }) => {
  const d = await draft(page, mock);
  mock.make("lighthouse", "deed/index.html", OLD);
  const ask = (content) => mock.ask(d, "write_file", { path: "deed/index.html", content });
  ask(OLD.replace("Game", "The Lighthouse").replace("  <p>the old end</p>\n", ""));
  await sees(card(page).getByRole("heading", { name: "Write over deed/index.html?" }));
  await sees(card(page).getByText("Changes deed/index.html: 2 lines go, 1 comes, 22 stay."));
  await sees(card(page).locator(".row.add mark").getByText("The Lighthouse"));
  assert.deepEqual(await card(page).locator(".row.del code").allInnerTexts(), ["  <h1>Game</h1>", "  <p>the old end</p>"]);
  await page.getByRole("button", { name: "Allow once", disabled: false }).click();
  await sees(page.getByRole("region", { name: "Wrote deed/index.html" }));
  assert.match(mock.puts.at(-1).control, new RegExp(` target:${sha(OLD)} path:deed/index.html\n`));

  await until(() => d.status === "waiting");
  ask("one\u200b\n");
  await sees(card(page).getByText("Replaces all of deed/index.html: 23 lines go, 1 comes."));
  await sees(card(page).getByText("1 hidden character, drawn where it stands."));
  assert.equal(await card(page).locator(".loses").count(), 1);
  await page.getByRole("button", { name: "Don’t" }).click();

  await until(() => d.status === "waiting" && d.pending.length === 0);
  mock.make("lighthouse", "deed/index.html", "\0\0");
  ask("text");
  await sees(card(page).getByText("What stands there now is no text, or over 5 MiB, so it is not shown: 2 bytes go, 4 bytes come."));
}));

test("what goes must have been in view, what stays folded need not", () => withWindow(async ({ page, mock }) => {
  const d = await draft(page, mock);
  const many = Array.from({ length: 120 }, (_, i) => `line ${i}`).join("\n") + "\n";
  mock.make("lighthouse", "deed/a.txt", many);
  mock.ask(d, "write_file", { path: "deed/a.txt", content: many.replace("line 60\n", "sixty\n") });
  await page.getByRole("button", { name: "Allow once", disabled: false }).click();
  await until(() => d.status === "waiting" && mock.puts.length === 1);
  mock.make("lighthouse", "deed/a.txt", many);
  mock.ask(d, "write_file", { path: "deed/a.txt", content: "" });
  await sees(card(page).getByText("Empties deed/a.txt: 120 lines go, and nothing comes."));
  await sees(card(page).getByText("Open the 96 more lines first: you allow all of it."));
  assert.equal(await page.getByRole("button", { name: "Allow once" }).isDisabled(), true);
}));

test("a decision in one window shows in the other", () => withWindow(async ({ page, mock, open }) => {
  await draft(page, mock);
  await say(page, "Please read vibey.md");
  await ready(page);
  const other = await open(new URL(page.url()).hash);
  await ready(other);
  await other.getByRole("button", { name: "Allow once" }).click();
  await sees(page.getByText("Done: the result above says so."));
  await gone(card(page));
}));

test("a launched agent is one click away", () => withWindow(async ({ page, mock }) => {
  await draft(page, mock);
  await say(page, "launch someone");
  await sees(card(page).getByRole("heading", { name: "Start another agent?" }));
  await sees(card(page).getByText("Draw the map.", { exact: true }));
  await page.getByRole("button", { name: "Allow once" }).click();
  await page.getByRole("link", { name: "Open draw-the-map" }).click();
  await sees(page.getByRole("heading", { name: "draw-the-map", level: 1 }));
}));
