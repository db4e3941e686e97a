// Ask where the words stand: a passage of a doc is asked about, and the answer stands there.
import { test } from "node:test";
import assert from "node:assert/strict";
import { accessible } from "./axe.mjs";
import { agrees, gone, hasFocus, holds, pause, sees, until, withWindow } from "./browser.mjs";

const DOC = "#/project/lighthouse/docs/doc-night.md";
const box = (page) => page.getByRole("textbox", { name: /^Text of / });
const NIGHT = "# Night\n\nIt was a dark night.\n\nThe lamp stood still.\n\nNobody came.\n";
const menu = (page) => page.getByRole("group", { name: "The passage" });

/** withDoc runs a test on a doc of some lines. */
const withDoc = (run, more = {}) => withWindow(async (w) => {
  w.mock.writeFile("lighthouse", "doc-night.md", NIGHT);
  await w.page.goto(w.mock.url + DOC);
  await sees(box(w.page));
  await run(w);
}, more);

/** select selects a line of the open doc by its text. */
async function select(page, text) {
  await box(page).locator(".cm-line", { hasText: text }).click();
  await page.keyboard.press("Home");
  await page.keyboard.press("Shift+End");
}

test("a small button stands at what is selected, and goes with it", () => withDoc(async ({ page }) => {
  assert.equal(await menu(page).count(), 0);
  await select(page, "dark night");
  await sees(menu(page).getByRole("button", { name: "Ask", exact: true }));
  await page.keyboard.press("ArrowRight");
  await gone(menu(page));
}));

const field = (page) => page.getByRole("textbox", { name: "Ask about this passage" });
const goesTo = (page) => page.getByRole("combobox", { name: "Goes to" });
const file = (mock, name = "doc-night.md") => mock.projects.get("lighthouse").files.get(name).content;
/** words returns what a passage names in a file. */
const words = (mock, { file: name, from, to }) => Buffer.from(file(mock, name)).subarray(from, to).toString();
const selection = (page) => page.evaluate(() => getSelection().toString());

test("Ctrl I opens a field at the passage, which has the focus; Escape gives focus and selection back", () => withDoc(async ({ page }) => {
  await select(page, "dark night");
  const was = await selection(page);
  await page.keyboard.press("Control+i");
  await hasFocus(field(page));
  await gone(menu(page));
  await page.keyboard.type("Shorter");
  await page.keyboard.press("Escape");
  await gone(field(page));
  await hasFocus(box(page));
  assert.equal(await selection(page), was);
  // The words are kept, also by a reload.
  await page.keyboard.press("Control+i");
  await holds(field(page), "Shorter");
  await page.reload();
  await sees(box(page));
  await select(page, "Nobody came");
  await page.getByRole("button", { name: "Ask", exact: true }).click();
  await hasFocus(field(page));
  await holds(field(page), "Shorter");
}));

test("Ctrl I without a selection makes words italic, and with Shift what is selected", () => withDoc(async ({ page }) => {
  await box(page).locator(".cm-line", { hasText: "dark night" }).click();
  await page.keyboard.press("End");
  await page.keyboard.press("Control+i");
  await page.keyboard.type("far");
  await agrees(() => box(page).evaluate((e) => e.textContent.includes("*far*")), true);
  assert.equal(await field(page).count(), 0);
  await page.keyboard.press("Shift+Home");
  await page.keyboard.press("Control+Shift+I");
  await agrees(() => box(page).locator(".cm-line").nth(2).evaluate((e) => e.textContent), "*It was a dark night.*far**");
}));

test("a question goes to a new dialog that the doc names, unsaved words first; the next one to the same", () => withDoc(async ({ page, mock }) => {
  await box(page).click();
  await page.keyboard.press("Control+End");
  await page.keyboard.insertText("\nEin grünes Licht 🚨 däm.\r\n");
  await select(page, "grünes");
  await page.keyboard.press("Control+i");
  await agrees(() => goesTo(page).evaluate((e) => e.selectedOptions[0].textContent), "a new dialog, Night");
  await page.keyboard.type("Which colour?");
  await page.keyboard.press("Enter");
  await gone(field(page));
  await hasFocus(box(page));
  assert.equal(mock.starts.length, 1);
  const { on, ...start } = mock.starts[0];
  assert.deepEqual(start, { provider: "claude", model: "claude-test", title: "Night", prompt: "Which colour?" });
  assert.ok(file(mock).includes("grünes"), "unsaved words are saved first");
  assert.equal(words(mock, on[0]), "Ein grünes Licht 🚨 däm.");
  await sees(page.getByText(/^Saved/));
  await until(() => [...mock.projects.get("lighthouse").dialogs.values()].some((d) => d.needs === "reply" && d.sections.length > 1));
  const [d] = mock.projects.get("lighthouse").dialogs.values();
  const seen = d.sections.at(-1).id;

  await select(page, "lamp stood");
  await page.keyboard.press("Control+i");
  await agrees(() => goesTo(page).inputValue(), d.id);
  await page.keyboard.type("Why?");
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await until(() => mock.puts.length === 1);
  assert.equal(mock.puts[0].dialogId, d.id);
  assert.equal(words(mock, mock.puts[0].on[0]), "The lamp stood still.");
  assert.equal(mock.puts[0].seen, seen);
  await gone(field(page));

  // The small line changes it.
  await until(() => d.needs === "reply");
  await select(page, "dark night");
  await page.keyboard.press("Control+i");
  await goesTo(page).selectOption("");
  await field(page).fill("And this?");
  await field(page).press("Enter");
  await until(() => mock.starts.length === 2);
}));

test("where the file is another by now, the passage is looked for anew, or the words stay", () => withDoc(async ({ page, mock }) => {
  await select(page, "lamp stood");
  await page.keyboard.press("Control+i");
  await page.keyboard.type("Why?");
  // Behind the window's back, so that it learns of it by the refusal.
  const f = mock.projects.get("lighthouse").files.get("doc-night.md");
  f.content = NIGHT.replace("It was", "New words above.\n\nIt was");
  await page.keyboard.press("Enter");
  await until(() => mock.starts.length === 2);
  await gone(field(page));
  assert.equal(words(mock, mock.starts[1].on[0]), "The lamp stood still.");

  await until(() => [...mock.projects.get("lighthouse").dialogs.values()].every((d) => d.needs === "reply"));
  await select(page, "dark night");
  await page.keyboard.press("Control+i");
  await page.keyboard.type("Where?");
  f.content = f.content.replace("dark night", "bright day");
  await page.keyboard.press("Enter");
  await sees(page.getByText("These words do not stand in the doc any more"));
  await holds(field(page), "Where?");
  await hasFocus(field(page));
  assert.equal(mock.puts.filter((p) => p.prompt).length, 1);
}, { expect: /409/ }));

test("in the dialog the passage stands above the words, with a link to its place", () => withDoc(async ({ page, mock }) => {
  await select(page, "lamp stood");
  await page.keyboard.press("Control+i");
  await page.keyboard.type("Why *so*?");
  await page.keyboard.press("Enter");
  await until(() => mock.starts.length === 1);
  const [d] = mock.projects.get("lighthouse").dialogs.values();
  await page.goto(`${mock.url}#/project/lighthouse/dialogs/${d.id}`);
  const said = page.getByRole("article", { name: /^You/ });
  await sees(said.getByText("Why *so*?"));
  await sees(said.getByText("The lamp stood still."));
  await said.getByRole("link", { name: "On Night, line 5" }).click();
  await sees(box(page));
  await agrees(() => selection(page), "The lamp stood still.");
}));

const ask = async (page, line, words) => {
  await select(page, line);
  await page.keyboard.press("Control+i");
  await page.keyboard.type(words);
  await page.keyboard.press("Enter");
};
const dialogOf = (mock) => [...mock.projects.get("lighthouse").dialogs.values()][0];
const answer = (page) => page.getByRole("region", { name: "Answer of claude-test" });

test("the answer stands below the passage while it is written, and in the dialog", () => withDoc(async ({ page, mock }) => {
  const release = mock.hold();
  await ask(page, "lamp stood", "Why does it stand?");
  await sees(answer(page));
  release(2);
  await sees(answer(page).getByText("You said:"));
  assert.equal(await answer(page).getByText("stand?").count(), 0, "it is not there before it is written");
  // Below its passage, before the next line.
  const [above, here, below] = await Promise.all([page.locator(".cm-line", { hasText: "lamp stood" }), answer(page), page.locator(".cm-line", { hasText: "Nobody" })].map((l) => l.boundingBox()));
  assert.ok(above.y < here.y && here.y < below.y);
  // Writing goes on meanwhile, and the focus stays in the text.
  await hasFocus(box(page));
  await page.keyboard.type(" Why?");
  release();
  await sees(answer(page).getByText("You said: Why does it stand?"));
  await hasFocus(box(page));
  assert.ok((await box(page).textContent()).includes("The lamp stood still. Why?"));
  await page.keyboard.press("Control+s");
  await until(() => file(mock).includes("still. Why?"));
  const link = answer(page).getByRole("link", { name: "Open Night" });
  assert.equal(await link.getAttribute("href"), `#/project/lighthouse/dialogs/${dialogOf(mock).id}`);
  await answer(page).getByRole("button", { name: "Close" }).click();
  await gone(answer(page));
  await hasFocus(box(page));
}));

test("after a reload the answer stands below its passage again, where that is by now, until it is closed", () => withDoc(async ({ page, mock }) => {
  await ask(page, "lamp stood", "Why does it stand?");
  await sees(answer(page).getByText("You said: Why does it stand?"));
  await until(() => dialogOf(mock).needs === "reply");
  mock.writeFile("lighthouse", "doc-night.md", file(mock).replace("# Night\n", "# Night\n\nThe lamp stood still, and the wärter 🚨 too.\n"));
  await page.reload();
  await sees(answer(page).getByText("You said: Why does it stand?"));
  const [above, here, below] = await Promise.all([page.locator(".cm-line", { hasText: /^The lamp stood still\.$/ }), answer(page), page.locator(".cm-line", { hasText: "Nobody" })].map((l) => l.boundingBox()));
  assert.ok(above.y < here.y && here.y < below.y);
  await answer(page).getByRole("button", { name: "Close" }).click();
  await gone(answer(page));
  // What is asked next is another question.
  const reloaded = async () => {
    const read = page.waitForResponse((r) => r.url().includes(`/dialog/${dialogOf(mock).id}?`) && r.url().includes("from=-24"));
    await page.reload();
    await (await read).finished();
    await sees(box(page));
    await until(() => page.locator(".ask-to option").count().then((n) => n > 1), "the dialogs are known");
  };
  await reloaded();
  assert.equal(await answer(page).count(), 0);
  await ask(page, "Nobody", "And who?");
  await sees(answer(page).getByText("You said: And who?"));
  await until(() => dialogOf(mock).needs === "reply");
  await reloaded();
  await sees(answer(page).getByText("You said: And who?"));
  mock.writeFile("lighthouse", "doc-night.md", file(mock).replace("Nobody came", "All came"));
  await reloaded();
  await sees(box(page).getByText("All came"));
  assert.equal(await answer(page).count(), 0, "its passage is gone");
}));

const card = (page) => box(page).getByTestId("approval");
const bar = (page) => page.getByRole("group", { name: "Suggestions" });
const allow = (page) => page.getByRole("button", { name: "Allow once" });
const struck = (page) => box(page).locator("del[data-suggested]").allTextContents();
const setIn = (page) => box(page).locator("ins[data-suggested]").allTextContents();
/** rested waits until a card of the text counts what is clicked on it. */
const rested = (page, n = 1) => until(async () => (await card(page).count()) === n && (await page.locator("[data-settling]").count()) === 0, "the cards rest");

test("an edit that waits is drawn in the text, and is allowed there", () => withDoc(async ({ page, mock, open }) => {
  const d = mock.addDialog("lighthouse", "editor", "claude", "claude-test", { title: "Editing" });
  const other = await open(`#/project/lighthouse/dialogs/${d.id}`);
  mock.wants(d, "doc-night.md", [["a dark night", "a bright night indeed", { description: "Lighter" }]]);
  await agrees(() => struck(page), ["dark"]);
  assert.deepEqual(await setIn(page), ["bright", " indeed"]);
  // The line reads as it did, with the words set in.
  assert.equal(await box(page).locator(".cm-line").nth(2).evaluate((e) => e.textContent), "It was a darkbright night indeed.");
  await sees(card(page).getByRole("heading", { name: "Change doc-night.md?" }));
  await sees(card(page).getByText("“Lighter”"));
  for (const name of ["Allow once", "Don’t", "Tell it why…"]) await sees(card(page).getByRole("button", { name }));
  await sees(card(page).getByRole("link", { name: "Open Editing" }));
  await sees(other.getByTestId("approval")); // the same call
  assert.equal(await page.evaluate(() => document.activeElement.closest(".approval")), null, "nothing takes the focus");
  await rested(page);
  await allow(page).click();
  await until(() => mock.puts.length === 1);
  const call = mock.projects.get("lighthouse").dialogs.get(d.id).sections.find((s) => s.role === "Tool Request");
  const { createHash } = await import("node:crypto");
  const sha = (t) => createHash("sha256").update(t).digest("hex");
  assert.equal(mock.puts[0].control, `əəəcontrol/v1\n${call.id} approve sha256:${sha(call.payloads[0].text)} target:${sha(NIGHT)} path:doc-night.md\nəəə`);
  await gone(card(page));
  await agrees(() => box(page).locator(".cm-line").nth(2).evaluate((e) => e.textContent), "It was a bright night indeed.");
  await gone(other.getByTestId("approval")); // a decision in one place shows in all
  await gone(bar(page));
}));

test("cards below one paragraph stand in the order of its words, name them, and lead to them", () => withDoc(async ({ page, mock }) => {
  const d = mock.addDialog("lighthouse", "editor");
  mock.wants(d, "doc-night.md", [["night.", "evening."], ["It was", "It is"]]);
  await rested(page, 2);
  assert.deepEqual(await card(page).locator("del, ins").allTextContents(), ["was", "is", "night", "evening"]);
  assert.deepEqual(await struck(page), ["was", "night"]);
  const pointed = (words) => agrees(() => box(page).locator(".md-pointed").allTextContents(), words);
  await card(page).nth(1).hover();
  await pointed(["night", "evening"]);
  await card(page).nth(0).hover();
  await pointed(["was", "is"]);
  await page.mouse.move(5, 5);
  await pointed([]);
  await card(page).nth(1).getByRole("link").focus();
  await pointed(["night", "evening"]);
  await box(page).focus();
  await pointed([]);
}));

test("a decision elsewhere takes it out of the text, and Don’t and Tell it why answer there", () => withDoc(async ({ page, mock, open }) => {
  const d = mock.addDialog("lighthouse", "editor", "claude", "claude-test", { title: "Editing" });
  mock.wants(d, "doc-night.md", [["dark", "bright"]]);
  await sees(card(page));
  const other = await open(`#/project/lighthouse/dialogs/${d.id}`);
  await until(async () => (await other.getByTestId("approval").count()) === 1 && (await other.locator("[data-settling]").count()) === 0);
  await other.getByRole("button", { name: "Don’t", exact: true }).click();
  await gone(card(page));
  await agrees(() => struck(page), []);
  assert.equal(file(mock), NIGHT);

  await until(() => d.needs === "reply");
  mock.wants(d, "doc-night.md", [["Nobody", "Somebody"]]);
  await agrees(() => setIn(page), ["Somebody"]);
  await rested(page);
  await card(page).getByRole("button", { name: "Tell it why…" }).click();
  await page.getByRole("textbox", { name: "Why not" }).fill("Leave it empty.");
  await card(page).getByRole("button", { name: "Don’t, and say" }).click();
  await until(() => mock.puts.some((p) => p.prompt === "Leave it empty."));
  await gone(card(page));
  assert.equal(file(mock), NIGHT);
}));

test("a change whose drawing comes late is drawn where its words stand by then", () => withDoc(async ({ page, mock }) => {
  let go;
  const held = new Promise((ok) => { go = ok; });
  await page.route("**/assets/suggested-*", async (r) => { await held; await r.continue(); });
  const asked = page.waitForRequest("**/assets/suggested-*");
  const d = mock.addDialog("lighthouse", "editor");
  mock.wants(d, "doc-night.md", [["Nobody", "Somebody"]]);
  await asked;
  mock.writeFile("lighthouse", "doc-night.md", "Nobody came.\n"); // where the words stood there is no place any more
  await agrees(() => box(page).locator(".cm-line").allTextContents(), ["Nobody came.", ""]);
  go();
  await agrees(() => struck(page), ["Nobody"]);
}));

test("a click for what stood there follows no link of a card that has just come", () => withDoc(async ({ page, mock }) => {
  const d = mock.addDialog("lighthouse", "editor", "claude", "claude-test", { title: "Editing" });
  await pause(page, Date.now() + 60_000);
  mock.wants(d, "doc-night.md", [["dark", "bright"]]);
  const link = card(page).getByRole("link");
  const click = async () => {
    const { x, y } = await link.boundingBox();
    await page.mouse.click(x + 5, y + 5);
  };
  await until(async () => {
    await page.clock.runFor(20);
    return link.isVisible();
  }, "the card comes");
  await click();
  await sees(page.getByText("Not done yet: the page had just moved."));
  assert.ok(page.url().endsWith(DOC), page.url());
  await until(async () => {
    await page.clock.runFor(200);
    return (await page.locator("[data-settling]").count()) === 0;
  }, "the card rests");
  await click();
  await until(() => page.url().endsWith(`/dialogs/${d.id}`), "the link leads to the dialog");
}, { clock: true }));

// How far the words of a button stand out from its ground.
const contrast = (button) => button.evaluate((e) => {
  const [a, b] = ["color", "backgroundColor"].map((c) => {
    const [r, g, b] = getComputedStyle(e)[c].match(/[\d.]+/g).slice(0, 3).map((n) => (n / 255 <= 0.04045 ? n / 255 / 12.92 : ((n / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05;
  });
  return Math.max(a, b) / Math.min(a, b);
});

test("what another program changes moves no card that asks", () => withDoc(async ({ page, mock }) => {
  const d = mock.addDialog("lighthouse", "editor");
  mock.wants(d, "doc-night.md", [["dark night", "bright night"]]);
  await agrees(() => struck(page), ["dark"]);
  mock.writeFile("lighthouse", "doc-night.md", file(mock).replace("dark night", "black night")); // its words are others: it stands as a card
  const card = page.locator(".foot-in .approval");
  await sees(card);
  await page.getByRole("button", { name: "Dismiss" }).click();
  await gone(page.locator(".news-line"));
  const before = await card.boundingBox();
  mock.writeFile("lighthouse", "doc-night.md", `${file(mock)}\nMore.\n`);
  await sees(page.locator(".news-line"));
  assert.deepEqual(await card.boundingBox(), before);
}));

test("dialogs of one name are told apart by their time where a question goes", () => withDoc(async ({ page, mock }) => {
  for (const n of ["a", "b"]) mock.addDialog("lighthouse", n, "claude", "claude-test", { title: "Twin" });
  mock.addDialog("lighthouse", "c", "claude", "claude-test", { title: "Alone" });
  await select(page, "dark night");
  await page.keyboard.press("Control+i");
  await agrees(async () => (await goesTo(page).locator("option").allTextContents()).filter((t) => /Twin|Alone/.test(t)).map((t) => t.replace(/(\d+ \w+, |\w+ \d+, (\d{4}, )?)?\d\d:\d\d/, "AT")).sort(), ["Alone", "Twin · AT", "Twin · AT"]);
}));

test("what is not in view can’t be allowed", () => withDoc(async ({ page, mock }) => {
  const far = `${NIGHT}${"One more line of it.\n\n".repeat(120)}The end is dark.\n`;
  mock.writeFile("lighthouse", "doc-night.md", far);
  await until(async () => (await box(page).textContent()).includes("One more line"));
  const d = mock.addDialog("lighthouse", "editor");
  mock.wants(d, "doc-night.md", [["The end is dark.", "The end is bright."], ["dark night", "bright night"]]);
  await agrees(() => bar(page).getByRole("status").textContent(), "1 of 2");
  await rested(page);
  // The second one was never seen: neither it nor all can be allowed.
  const all = bar(page).getByRole("button", { name: "Allow all 2" });
  assert.equal(await all.isDisabled(), true);
  assert.deepEqual(mock.puts, []);
  await bar(page).getByRole("button", { name: "Next" }).click();
  await agrees(() => bar(page).getByRole("status").textContent(), "2 of 2");
  await agrees(() => page.evaluate(() => document.activeElement.textContent), "Next");
  await agrees(() => box(page).locator("del[data-suggested]").evaluateAll((all) => all.filter((e) => e.getBoundingClientRect().top > 0 && e.getBoundingClientRect().bottom < innerHeight).length), 1);
  await agrees(() => all.isDisabled(), false);
  await all.hover();
  assert.ok(await contrast(all) >= 4.5, "it can be read under the pointer");
  await page.waitForTimeout(600);
  await all.click();
  await until(() => mock.puts.length === 1);
  assert.match(mock.puts[0].control, /^əəəcontrol\/v1\nedit_\d+ approve sha256:\w+ target:\w+ path:doc-night.md\nedit_\d+ approve sha256:\w+ target:\w+ path:doc-night.md\nəəə$/);
  await until(() => file(mock).includes("a bright night") && file(mock).includes("The end is bright."));
  await gone(bar(page));
}));

test("a change whose words stand otherwise by now is a card below, and moves into the text where it applies again", () => withDoc(async ({ page, mock }) => {
  const d = mock.addDialog("lighthouse", "editor");
  mock.wants(d, "doc-night.md", [["dark night", "bright night"]]);
  await agrees(() => struck(page), ["dark"]);
  // Typing elsewhere leaves it where it is; the line that it is about does not.
  await box(page).locator(".cm-line", { hasText: "Nobody" }).click();
  await page.keyboard.press("End");
  await page.keyboard.type(" At all.");
  await agrees(() => struck(page), ["dark"]);
  await box(page).locator(".cm-line").nth(2).click();
  await page.keyboard.press("Home");
  await page.keyboard.press("Control+ArrowRight");
  await page.keyboard.press("Control+ArrowRight");
  await page.keyboard.press("Control+ArrowRight");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.type("very ");
  await agrees(() => struck(page), ["dark"]); // still there, a word later
  await page.keyboard.press("Control+ArrowRight");
  await page.keyboard.type("est");
  await agrees(() => struck(page), []);
  const apart = page.locator(".suggested-apart").getByTestId("approval");
  await sees(apart);
  await sees(page.getByText("This passage reads otherwise now"));
  await agrees(() => apart.locator("del").count(), 1);
  for (let i = 0; i < 3; i++) await page.keyboard.press("Backspace");
  await agrees(() => struck(page), ["dark"]);
  await gone(apart);
}));

test("what would not be seen whole in the text is a card", () => withDoc(async ({ page, mock }) => {
  mock.writeFile("lighthouse", "doc-night.md", `${NIGHT}\n| a | b |\n| --- | --- |\n| dark | light |\n\ntwice twice\n`);
  const d = mock.addDialog("lighthouse", "editor");
  const apart = page.locator(".suggested-apart").getByTestId("approval");
  for (const [old, now, more] of [["| dark |", "| dim |"], ["twice", "once"], ["lamp", "lamp\u202e"], ["lamp", "light", { other: "x" }], ["lamp ", "lamp  "]]) {
    const [id] = mock.wants(d, "doc-night.md", [[old, now, more]]);
    await sees(apart);
    assert.deepEqual(await struck(page), [], `${old} to ${now}`);
    const { result } = await import("../agent.mjs");
    result(mock, d, d.pending.pop(), "denied");
    mock.rest(d, "waiting", "reply");
    await gone(apart);
    assert.ok(id);
  }
  // The marks of what goes are shown: a link's address too.
  mock.writeFile("lighthouse", "doc-night.md", "# Night\n\nSee [the end](https://a.example/x) now.\n");
  mock.wants(d, "doc-night.md", [["[the end](https://a.example/x)", "[the end](https://b.example/x)"]]);
  await agrees(async () => (await struck(page)).join(""), "a");
  await sees(box(page).locator(".cm-line").getByText("https://", { exact: true }));
  await rested(page);
  await allow(page).click();
  await until(() => mock.puts.length === 1);
}));

test("Ctrl J leads to the question in the text, keys answer it, and the focus comes back", () => withDoc(async ({ page, mock }) => {
  const d = mock.addDialog("lighthouse", "editor");
  mock.wants(d, "doc-night.md", [["dark", "bright"]]);
  await sees(card(page));
  await rested(page);
  await page.keyboard.press("Control+j");
  await hasFocus(card(page));
  await page.waitForTimeout(1100);
  await page.keyboard.press("a");
  await until(() => mock.puts.length === 1);
  await gone(card(page));
  await hasFocus(box(page));
  await until(() => file(mock).includes("bright"));
}));

test("a change that scrolled by unseen is allowed only once its words were in view", () => withDoc(async ({ page, mock }) => {
  const long = `The lamp is dark. ${"It goes on and on, as a night does that has no end. ".repeat(60)}`;
  mock.writeFile("lighthouse", "doc-night.md", `${NIGHT}\n${"A line.\n\n".repeat(40)}${long}\n`);
  await until(async () => (await box(page).textContent()).includes("A line."));
  await box(page).click();
  await page.keyboard.press("Control+End"); // the end of the paragraph, and its card; not its beginning
  const d = mock.addDialog("lighthouse", "editor");
  mock.wants(d, "doc-night.md", [["lamp is dark", "lamp is bright"]]);
  await sees(card(page));
  await rested(page);
  await sees(card(page).getByText("Read to the end to allow it."));
  assert.equal(await allow(page).isDisabled(), true);
  await card(page).getByRole("button", { name: "Read on" }).click();
  await sees(box(page).locator("ins[data-suggested]"));
  // And what of the card itself was not.
  await until(async () => {
    if (!(await allow(page).isDisabled())) return true;
    await card(page).getByRole("button", { name: "Read on" }).click({ timeout: 2000 }).catch(() => undefined);
    return false;
  });
}, { height: 420 }));

test("a question to a dialog that works waits until it rests, and can go elsewhere", () => withDoc(async ({ page, mock }) => {
  await ask(page, "lamp stood", "Why?");
  await until(() => mock.starts.length === 1 && dialogOf(mock).needs === "reply");
  const d = dialogOf(mock);
  mock.work(d);
  await ask(page, "dark night", "How dark?");
  await sees(page.getByText("This dialog is at work, or asks you something."));
  await holds(field(page), "How dark?");
  assert.deepEqual(mock.puts, []);
  mock.rest(d, "waiting", "reply");
  await until(() => mock.puts.length === 1);
  assert.equal(mock.puts[0].prompt, "How dark?");
  assert.equal(words(mock, mock.puts[0].on[0]), "It was a dark night.");
  await gone(field(page));

  await until(() => d.needs === "reply");
  mock.ask(d); // a message would deny it
  await ask(page, "Nobody", "Who?");
  await sees(page.getByText("This dialog is at work, or asks you something."));
  await goesTo(page).selectOption("");
  await field(page).press("Enter");
  await until(() => mock.starts.length === 2);
  assert.equal(d.pending.length, 1);
  assert.equal(mock.puts.length, 1);
}, { expect: /409/ }));

test("a question that was called off, or whose passage was left for another, does not go out by itself", () => withDoc(async ({ page, mock }) => {
  await ask(page, "lamp stood", "Why?");
  await until(() => mock.starts.length === 1 && dialogOf(mock).needs === "reply");
  const d = dialogOf(mock);
  mock.work(d);
  await ask(page, "dark night", "How dark?");
  await sees(page.getByText("This dialog is at work, or asks you something."));
  await page.keyboard.press("Escape");
  await gone(field(page));
  await page.waitForTimeout(1200); // it looks again after a second
  mock.rest(d, "waiting", "reply");
  await page.waitForTimeout(300);
  assert.deepEqual(mock.puts, []);
  mock.work(d);
  await select(page, "dark night");
  await page.keyboard.press("Control+i");
  await holds(field(page), "How dark?");
  await page.keyboard.press("Enter");
  await sees(page.getByText("This dialog is at work, or asks you something."));
  await page.waitForTimeout(1200);
  await select(page, "Nobody");
  await page.keyboard.press("Control+i");
  await hasFocus(field(page));
  mock.rest(d, "waiting", "reply");
  await page.waitForTimeout(300);
  assert.deepEqual(mock.puts, []);
  await holds(field(page), "How dark?");
}));

test("what is written while a question goes out stays in the field", () => withDoc(async ({ page, mock }) => {
  let go;
  const held = new Promise((ok) => { go = ok; });
  await page.route("**/project/lighthouse/dialog", async (r) => { await held; await r.continue(); }, { times: 1 });
  await ask(page, "lamp stood", "Why?");
  await page.keyboard.type(" And for whom?");
  go();
  await until(() => mock.starts.length === 1);
  assert.equal(mock.starts[0].prompt, "Why?");
  await holds(field(page), "And for whom?");
  await hasFocus(field(page));
  await until(() => dialogOf(mock).needs === "reply");
  await page.keyboard.press("Enter");
  await until(() => mock.puts.length === 1);
  assert.equal(mock.puts[0].prompt, "And for whom?");
  assert.equal(words(mock, mock.puts[0].on[0]), "The lamp stood still.");
  await gone(field(page));
}));

test("the line says which dialog it goes to, also where many are newer", () => withDoc(async ({ page, mock }) => {
  await ask(page, "lamp stood", "Why?");
  await until(() => mock.starts.length === 1 && dialogOf(mock).needs === "reply");
  const d = dialogOf(mock);
  for (let i = 0; i < 40; i++) mock.rest(mock.addDialog("lighthouse", `later-${i}`, "claude", "claude-test", { title: `Later ${i}` }), "waiting", "reply");
  await page.reload();
  await sees(box(page));
  await until(() => page.locator(".ask-to option").count().then((n) => n > 30), "the dialogs are known");
  await select(page, "dark night");
  await page.keyboard.press("Control+i");
  await agrees(() => goesTo(page).evaluate((e) => [e.value, e.selectedOptions[0]?.textContent]), [d.id, "Night"]);
}));

test("a question that is begun before the dialogs are known goes to the last one all the same", () => withDoc(async ({ page, mock }) => {
  await ask(page, "lamp stood", "Why?");
  await until(() => mock.starts.length === 1 && dialogOf(mock).needs === "reply");
  let go;
  const held = new Promise((ok) => { go = ok; });
  await page.route("**/project/lighthouse/dialogs*", async (r) => { await held; await r.continue(); });
  await page.reload();
  await sees(box(page));
  await select(page, "dark night");
  await page.keyboard.press("Control+i");
  await hasFocus(field(page));
  go();
  await agrees(() => goesTo(page).inputValue(), dialogOf(mock).id);
}));

test("the reading view asks too", () => withDoc(async ({ page, mock }) => {
  await page.keyboard.press("Control+e");
  await select(page, "lamp stood");
  await page.keyboard.press("Control+i");
  await hasFocus(field(page));
  await page.keyboard.type("Why?");
  await page.keyboard.press("Enter");
  await until(() => mock.starts.length === 1);
  assert.equal(words(mock, mock.starts[0].on[0]), "The lamp stood still.");
  await sees(answer(page).getByText("You said: Why?"));
}));

test("changes that two dialogs want stand in one doc; one that is allowed leaves the others", () => withDoc(async ({ page, mock }) => {
  const [a, b] = ["one", "two"].map((n) => mock.addDialog("lighthouse", n, "claude", "claude-test", { title: n }));
  mock.wants(a, "doc-night.md", [["dark", "bright"], ["Nobody", "Somebody"]]);
  mock.wants(b, "doc-night.md", [["lamp", "light"]]);
  await agrees(() => bar(page).getByRole("status").textContent(), "1 of 3");
  await agrees(() => struck(page), ["dark", "lamp", "Nobody"]);
  await rested(page, 3);
  await box(page).getByTestId("approval").nth(1).getByRole("button", { name: "Allow once" }).click();
  await until(() => file(mock).includes("The light stood"));
  await agrees(() => struck(page), ["dark", "Nobody"]);
  // Its file is another by now, and so is what an answer is bound to.
  await rested(page, 2);
  await until(async () => !(await bar(page).getByRole("button", { name: "Allow all 2" }).isDisabled()));
  await page.waitForTimeout(1200);
  await bar(page).getByRole("button", { name: "Allow all 2" }).click();
  await until(() => file(mock).includes("bright") && file(mock).includes("Somebody"));
  assert.deepEqual(mock.puts.map((p) => p.dialogId), [b.id, a.id]);
  await gone(bar(page));
}));

test("several of one dialog: a word why not says no to all of them, and says so", () => withDoc(async ({ page, mock }) => {
  const d = mock.addDialog("lighthouse", "editor");
  mock.ask(d); // about no doc
  mock.wants(d, "doc-night.md", [["dark", "bright"], ["Nobody", "Somebody"]]);
  await rested(page, 2);
  const first = card(page).first();
  await first.getByRole("button", { name: "Tell it why…" }).click();
  await first.getByRole("textbox", { name: "Why not" }).fill("Leave it.");
  assert.equal(await card(page).nth(1).getByRole("textbox", { name: "Why not" }).count(), 0);
  await sees(first.getByText("This also says Don’t to the 2 questions that are still open."));
  await first.getByRole("button", { name: "Don’t do any of the 3, and say" }).click();
  await until(() => mock.puts.length === 1);
  await gone(bar(page));
  assert.equal(file(mock), NIGHT);
}));

test("of two changes of the same words each says that only one can be made", () => withDoc(async ({ page, mock }) => {
  const d = mock.addDialog("lighthouse", "editor");
  mock.wants(d, "doc-night.md", [["a dark night", "a bright night"], ["dark", "black"], ["Nobody", "Somebody"]]);
  await agrees(() => page.getByTestId("approval").count(), 3);
  const told = page.getByText("Another question of this dialog changes the same words of doc-night.md. Only the one that you allow first can change them: the other then does nothing.");
  await agrees(() => page.getByTestId("approval").filter({ has: told }).count(), 2);
}));

test("what stands in the text is no barrier", () => withDoc(async ({ page, mock }) => {
  const d = mock.addDialog("lighthouse", "editor");
  await ask(page, "Nobody", "Who?");
  await sees(answer(page).getByText("You said: Who?"));
  mock.wants(d, "doc-night.md", [["dark", "bright"], ["not there", "x"]]);
  await sees(bar(page));
  await sees(card(page));
  await rested(page);
  await select(page, "lamp stood");
  await sees(menu(page));
  await accessible(page, "suggestions in a doc");
  await page.keyboard.press("Control+i");
  await hasFocus(field(page));
  await accessible(page, "the field that asks");
}));

test("where unsaved words can't be saved nothing goes out, and the words stay", () => withDoc(async ({ page, mock }) => {
  await select(page, "lamp stood");
  await page.keyboard.insertText("The lamp went out.");
  mock.writeFile("lighthouse", "doc-night.md", NIGHT.replace("The lamp stood still.", "The lamp fell."));
  await sees(page.getByText("You and another writer changed the same lines."));
  await select(page, "Nobody came");
  await page.keyboard.press("Control+i");
  await page.keyboard.type("Who?");
  await page.keyboard.press("Enter");
  await sees(page.getByText("so your question was not sent. It stays here."));
  await holds(field(page), "Who?");
  assert.deepEqual([mock.starts.length, mock.puts.length], [0, 0]);
  assert.ok(file(mock).includes("The lamp fell.") && (await box(page).textContent()).includes("The lamp went out."));
}));

test("what is allowed in the text comes beside words that are not saved", () => withDoc(async ({ page, mock }) => {
  await box(page).locator(".cm-line", { hasText: "Nobody" }).click();
  await page.keyboard.press("End");
  await page.keyboard.type(" At all.");
  const d = mock.addDialog("lighthouse", "editor");
  mock.wants(d, "doc-night.md", [["dark", "bright"]]);
  await rested(page);
  await allow(page).click();
  await until(() => file(mock) === NIGHT.replace("dark", "bright"));
  await gone(card(page));
  await sees(box(page).getByText("It was a bright night."));
  await sees(box(page).getByText("Nobody came. At all."));
  await page.keyboard.press("Control+s");
  await until(() => file(mock) === NIGHT.replace("dark", "bright").replace("came.", "came. At all."));
}));

test("on a phone the button is at the foot, above what is told there", () => withDoc(async ({ page, mock }) => {
  const d = mock.addDialog("lighthouse", "editor");
  mock.wants(d, "doc-night.md", [["not there", "x"]]);
  await sees(bar(page));
  await select(page, "dark night");
  const button = page.getByRole("button", { name: "Ask", exact: true });
  await sees(button);
  await agrees(async () => {
    const [b, f] = [await button.boundingBox(), await page.locator(".suggested-apart").boundingBox()];
    return b.y + b.height <= f.y;
  }, true);
  await button.click();
  await hasFocus(field(page));
}, { width: 390, height: 780 }));

test("the suggestion that is named is the one in view, which alone has the keys; Next leads through all", () => withDoc(async ({ page, mock }) => {
  const far = "One more line of it.\n\n".repeat(40);
  mock.writeFile("lighthouse", "doc-night.md", `${NIGHT}${far}A second dark.\n\n${far}A third dark.\n`);
  await until(async () => (await box(page).textContent()).includes("One more line"));
  const d = mock.addDialog("lighthouse", "editor");
  mock.wants(d, "doc-night.md", [["a dark night", "a bright night"], ["second dark", "second bright"], ["third dark", "third bright"]]);
  const at = () => bar(page).getByRole("status").textContent();
  const keyed = () => page.locator(".approval [aria-keyshortcuts=a]").evaluateAll((all) => all.map((e) => e.closest(".approval").getAttribute("aria-label").match(/\d of \d/)[0]));
  await agrees(at, "1 of 3");
  await page.locator(".cm-scroller").evaluate((e) => { e.scrollTop = e.scrollHeight; });
  await agrees(at, "3 of 3");
  await agrees(async () => (await keyed()).at(-1), "3 of 3");
  for (const n of [1, 2, 3]) {
    await bar(page).getByRole("button", { name: "Next" }).click();
    await agrees(at, `${n} of 3`);
    await agrees(async () => (await keyed()).join(), `${n} of 3`);
    await until(async () => !(await page.locator(".approval").filter({ has: page.locator("[aria-keyshortcuts=a]") }).getByRole("button", { name: "Allow once" }).isDisabled()), "it was in view");
  }
  await agrees(() => bar(page).getByRole("button", { name: "Allow all 3" }).isDisabled(), false);
  for (const n of [2, 1, 3]) {
    await bar(page).getByRole("button", { name: "Previous" }).click();
    await agrees(at, `${n} of 3`);
    await agrees(async () => (await keyed()).join(), `${n} of 3`);
  }
}));

for (const [width, height] of [[1280, 700], [390, 780]]) test(`cards at the foot leave room for the text, at ${width} px`, () => withDoc(async ({ page, mock }) => {
  const d = mock.addDialog("lighthouse", "editor");
  mock.writeFile("lighthouse", "doc-night.md", `${NIGHT}${"One more line of it.\n\n".repeat(20)}The end.`);
  await until(async () => (await box(page).textContent()).includes("The end."));
  mock.wants(d, "doc-night.md", [1, 2, 3].map((n) => [`not there ${n}`, "words ".repeat(80)]));
  const panel = page.locator(".foot-in > div:first-child");
  await sees(bar(page));
  await agrees(() => page.locator(".suggested-apart").getByTestId("approval").count(), 3);
  await agrees(() => page.locator(".suggested-apart").evaluate((e) => e.scrollHeight > e.clientHeight), true);
  await agrees(async () => (await panel.boundingBox()).height <= height * 0.4, true);
  await page.locator(".cm-scroller").evaluate((e) => { e.scrollTop = e.scrollHeight; });
  const clear = (text) => async () => {
    const [line, p, view] = [await box(page).locator(".cm-line", { hasText: text }).last().boundingBox(), await panel.boundingBox(), await page.locator(".cm-scroller").boundingBox()];
    return line !== null && line.y >= view.y && line.y + line.height <= p.y + 1;
  };
  await sees(page.locator(".foot-in > :nth-child(2)")); // what is told stands above the cards
  await agrees(clear("The end."), true);
  await page.locator(".cm-scroller").evaluate((e) => { e.scrollTop = 0; });
  await box(page).focus();
  await page.keyboard.press("Control+End");
  await page.keyboard.type(" Typed");
  await agrees(clear("Typed"), true);
  for (let n = 0; n < 4; n++) await page.keyboard.type("\nand on");
  await agrees(clear("and on"), true);
}, { width, height }));

test("a question of which nothing is heard goes out once", () => withDoc(async ({ page, mock }) => {
  // The server takes it, and its answer is lost.
  await page.route("**/project/lighthouse/dialog", async (route) => {
    await fetch(route.request().url(), { method: route.request().method(), headers: route.request().headers(), body: route.request().postData() }).then((r) => r.body?.cancel());
    await route.abort();
  }, { times: 1 });
  await ask(page, "lamp stood", "Why?");
  await sees(page.getByText("it is not known whether this went out"));
  await holds(field(page), "Why?");
  assert.equal(mock.starts.length, 1);
  await until(() => dialogOf(mock).needs === "reply");
  await field(page).press("Enter");
  await gone(field(page));
  await sees(answer(page).getByText("You said: Why?"));
  assert.equal(mock.starts.length, 1);
}, { expect: /ERR_FAILED/ }));

test("where this browser has no more room, a question goes out once all the same", () => withDoc(async ({ page, mock }) => {
  await page.evaluate(() => {
    for (let size = 4 << 20; size > 0; size >>= 1) {
      try {
        for (let n = 0; n < 4; n++) localStorage.setItem(`full/${size}/${n}`, "x".repeat(size));
      } catch { /* less fits */ }
    }
  });
  await ask(page, "lamp stood", "Why?");
  await gone(field(page));
  await sees(answer(page).getByText("You said: Why?"));
  assert.equal(mock.starts.length, 1);
}));

test("what was added to a question that went out unheard is not taken for sent", () => withDoc(async ({ page, mock }) => {
  await page.route("**/project/lighthouse/dialog", async (route) => {
    await fetch(route.request().url(), { method: route.request().method(), headers: route.request().headers(), body: route.request().postData() }).then((r) => r.body?.cancel());
    await route.abort();
  }, { times: 1 });
  await ask(page, "lamp stood", "Why?");
  await sees(page.getByText("it is not known whether this went out"));
  await until(() => dialogOf(mock).needs === "reply");
  await page.keyboard.type(" And for whom?");
  await page.keyboard.press("Enter");
  await sees(answer(page).getByText("You said: Why?"));
  await holds(field(page), "And for whom?");
  await page.keyboard.press("Enter");
  await until(() => mock.puts.some((p) => p.prompt === "And for whom?"));
  assert.equal(mock.starts.length, 1);
}, { expect: /ERR_FAILED/ }));

test("on paper the text stands as it is", () => withDoc(async ({ page, mock }) => {
  const d = mock.addDialog("lighthouse", "editor");
  mock.wants(d, "doc-night.md", [["dark", "bright"]]);
  await sees(card(page));
  await page.emulateMedia({ media: "print" });
  await gone(card(page));
  await gone(bar(page));
  assert.equal(await box(page).locator("ins[data-suggested]").isVisible(), false);
  assert.equal(await box(page).locator("del[data-suggested]").evaluate((e) => getComputedStyle(e).textDecorationLine), "none");
}));
