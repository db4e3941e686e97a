// Writing: nothing that was typed is lost, and nothing of someone else's is overwritten.
import { test } from "node:test";
import assert from "node:assert/strict";
import { agrees, gone, hasFocus, holds, rests, sees, until, withWindow } from "./browser.mjs";

const MAIN = "#/project/lighthouse/docs/doc-main.md";
const box = (page) => page.getByRole("textbox", { name: /^Text of / });
const file = (mock, name = "doc-main.md") => mock.projects.get("lighthouse").files.get(name)?.content;

/** type writes at the end of the open doc. */
async function type(page, text) {
  await box(page).click();
  await page.keyboard.press("Control+End");
  await page.keyboard.insertText(text);
  await sees(page.getByText("Not saved"));
}

/** select selects a line of the open doc by its text. */
async function select(page, text) {
  await box(page).locator(".cm-line", { hasText: text }).click();
  await page.keyboard.press("Home");
  await page.keyboard.press("Shift+End");
}

test("main is written, saved, left with a warning, and changes can be dropped", () => withWindow(async ({ page, mock }) => {
  await page.getByRole("link", { name: /\bmain$/i }).first().click();
  await sees(page.locator("h1").and(page.getByRole("heading", { name: "lighthouse", level: 1 })));
  await sees(page.getByText("13 words"));
  await type(page, "\nA tictactoe, please.");
  await page.keyboard.press("Control+s");
  await sees(page.getByText(/^Saved · \d\d:\d\d$/));
  assert.ok(file(mock).endsWith("\nA tictactoe, please."));

  // Leaving with changes: Stay, then save.
  await type(page, "\nTwo agents.");
  await page.getByRole("link", { name: "Dialogs" }).click();
  const ask = page.getByRole("dialog", { name: "lighthouse is not saved." });
  await ask.getByRole("button", { name: "Stay" }).click();
  await gone(ask);
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await sees(page.getByText(/^Saved/));
  assert.ok(file(mock).endsWith("\nTwo agents."));

  // Discard: gone from the page and from the disk's point of view never there.
  await type(page, "\nNo, three.");
  await page.getByRole("link", { name: "Dialogs" }).click();
  await ask.getByRole("button", { name: "Discard" }).click();
  await sees(page.getByText("Nothing here yet."));
  await page.getByRole("link", { name: "Docs" }).click();
  await page.getByRole("link", { name: /\bmain$/i }).first().click();
  await sees(box(page).getByText("Two agents."));
  assert.equal(await box(page).getByText("No, three.").count(), 0);
  assert.ok(file(mock).endsWith("\nTwo agents."));

  // Save and leave, this time by the browser's own way back.
  await type(page, "\nFour.");
  await page.goBack();
  await ask.getByRole("button", { name: "Save and leave" }).click();
  await gone(box(page));
  assert.ok(file(mock).endsWith("\nFour."));
}, { path: "#/project/lighthouse/docs" }));

test("the browser's own leaving asks, and a crash loses nothing", () => withWindow(async ({ page, mock, context, open }) => {
  await type(page, "\nUnsaved thought.");
  let asked = "";
  page.on("dialog", (d) => { asked = d.type(); void d.dismiss(); });
  await page.close({ runBeforeUnload: true });
  await until(() => asked === "beforeunload");
  await page.close();
  const again = await open(MAIN);
  await sees(again.getByText(/This is what you had not saved/));
  await sees(box(again).getByText("Unsaved thought."));
  assert.ok(!file(mock).includes("Unsaved"));
  await again.getByRole("button", { name: "Go back to the file" }).click();
  await until(async () => (await box(again).getByText("Unsaved thought.").count()) === 0);
  await gone(again.getByText("Not saved", { exact: true }));
  assert.equal(context.pages().length, 1);
}, { path: MAIN }));

test("two tabs keep what each has not saved; what closed ones left is shown one after the other", () => withWindow(async ({ page, mock, open }) => {
  const other = await open(MAIN);
  await type(page, "\nFrom the first tab.");
  await type(other, "\nFrom the second tab.");
  // A reload finds the tab's own.
  for (const [tab, words] of [[page, "first"], [other, "second"]]) {
    tab.on("dialog", (d) => void d.accept());
    await tab.reload();
    await sees(tab.getByText(/This is what you had not saved/));
    await sees(box(tab).getByText(`From the ${words} tab.`));
  }
  await page.close();
  await other.close();
  const later = await open(MAIN);
  await sees(later.getByText(/1 other text of a closed tab comes after it/));
  await sees(box(later).getByText("From the second tab."));
  await later.getByRole("button", { name: "Save", exact: true, disabled: false }).click();
  const more = later.getByRole("group", { name: "What now" }).getByRole("button", { name: "Show" });
  await sees(more);
  mock.writeFile("lighthouse", "doc-main.md", `From elsewhere.\n${file(mock)}`);
  await sees(box(later).getByText("From elsewhere."));
  await more.click();
  await sees(box(later).getByText("From the first tab."));
  // The file was saved since, at the same place.
  await later.getByRole("button", { name: "Keep both", disabled: false }).click();
  await sees(box(later).getByText("From the second tab."));
  await sees(box(later).getByText("From the first tab."));
  await sees(later.getByText("Not saved", { exact: true }));
}, { path: MAIN }));

test("every byte of a file comes back: CRLF, no final line break, blanks", () => withWindow(async ({ page, mock }) => {
  const odd = "# Odd\r\n\r\nline with blanks  \r\nlone \r in it\n\ttab\nəəənote/markdown\nx\nəəə\nno line break at the end";
  mock.writeFile("lighthouse", "doc-main.md", odd);
  await sees(box(page).getByText("no line break at the end"));
  await type(page, "!");
  await page.keyboard.press("Control+s");
  await sees(page.getByText(/^Saved/));
  assert.equal(file(mock), odd + "!");
}, { path: MAIN }));

test("a change from elsewhere shows quietly where nothing is unsaved", () => withWindow(async ({ page, mock }) => {
  await sees(box(page).getByText("Ask before"));
  mock.writeFile("lighthouse", "doc-main.md", file(mock) + "\nAn agent added this.\n");
  await sees(box(page).getByText("An agent added this."));
  assert.equal(await page.getByText("Not saved").count(), 0);
  // It is no edit of mine: undo does not take it back.
  await box(page).click();
  await page.keyboard.press("Control+z");
  await sees(box(page).getByText("An agent added this."));
}, { path: MAIN }));

const small = "A *small* game about a **light**.";
for (const [button, wins] of [["Keep mine", "Mine."], ["Take theirs", "Theirs."], ["Keep both", "Mine.\nTheirs."]]) {
  test(`the same line, changed by both: ${button}`, () => withWindow(async ({ page, mock }) => {
    await sees(box(page).getByText("Ask before"));
    await select(page, small);
    await page.keyboard.insertText("Mine.");
    mock.writeFile("lighthouse", "doc-main.md", file(mock).replace(small, "Theirs.").replace("# lighthouse", "# Lighthouse"));
    await sees(page.getByText("You and another writer changed the same lines."));
    await page.keyboard.press("Control+s");
    const both = page.getByRole("region", { name: "Both versions" });
    await sees(both.getByText("Mine."));
    await sees(both.getByText("Theirs."));
    assert.ok(file(mock).includes("Theirs."), "nothing was overwritten unasked");
    await page.getByRole("button", { name: button }).and(page.locator("[aria-disabled=false] button")).click();
    await gone(both);
    // The save that was pressed is made; what stood elsewhere is merged.
    await until(() => file(mock).includes(`# Lighthouse\n\n${wins}\n\n`));
    await gone(page.getByText("Not saved", { exact: true }));
  }, { path: MAIN }));
}

test("undo brings back the words that an answer took away, and then goes on with what was typed before", () => withWindow(async ({ page, mock }) => {
  await sees(box(page).getByText("Ask before"));
  await type(page, " EARLY");
  await select(page, small);
  await page.keyboard.insertText("Mine.");
  mock.writeFile("lighthouse", "doc-main.md", file(mock).replace(small, "Theirs.").replace("# lighthouse", "# Lighthouse"));
  await page.getByRole("button", { name: "Take theirs" }).and(page.locator("[aria-disabled=false] button")).click();
  await gone(box(page).getByText("Mine."));
  await box(page).click();
  const back = () => page.keyboard.press("Control+z");
  await back();
  await sees(box(page).getByText("Mine."));
  await sees(page.getByText("Not saved", { exact: true }));
  await back();
  await back();
  await gone(box(page).getByText("EARLY"));
  await sees(box(page).locator(".cm-line", { hasText: "Lighthouse" }));
}, { path: MAIN }));

test("another doc and back, and a reload, lead to where the cursor and the page were", () => withWindow(async ({ page, mock }) => {
  const many = Array.from({ length: 200 }, (_, i) => `${i % 9 ? "" : "## A heading\n\n"}Paragraph ${i} tells of the light and of the sea, ${"and of the house that stands between the two, ".repeat(i % 7)}and ends.`);
  mock.writeFile("lighthouse", "doc-main.md", `# lighthouse\n\n${many.join("\n\n")}\n`);
  mock.writeFile("lighthouse", "doc-other.md", "# Other\n\nWords.\n");
  await sees(box(page).getByText("Paragraph 0 "));
  await type(page, "\nThe end.");
  await page.keyboard.press("Control+s");
  await gone(page.getByText("Not saved"));
  await sees(page.getByRole("link", { name: "Other" }));
  for (const near of ["The end.", "Paragraph 103 "]) {
    if (near !== "The end.") {
      await page.locator(".cm-scroller").evaluate((e) => (e.scrollTop *= 0.5));
      await until(async () => (await box(page).locator(".cm-line", { hasText: near }).count()) > 0);
      await box(page).locator(".cm-line", { hasText: near }).click();
      await page.keyboard.press("End");
    }
    const line = box(page).locator(".cm-line", { hasText: near });
    const top = () => line.evaluateAll((all) => Math.round(all[0]?.getBoundingClientRect().top ?? -1));
    for (const [i, way] of [async () => {
      await page.getByRole("link", { name: "Other" }).click();
      await sees(box(page).getByText("Words."));
      await page.goBack();
    }, () => page.reload()].entries()) {
      let was;
      await until(async () => was === (was = await top()), "the page stands still");
      await way();
      await hasFocus(box(page));
      await until(async () => Math.abs((await top()) - was) <= 1, `${near} stands where it was, ${was}`);
      await page.keyboard.insertText(`!${i}`);
      await sees(line.getByText(i === 0 ? "!0" : "!0!1"));
      await page.keyboard.press("Control+s");
      await gone(page.getByText("Not saved"));
    }
  }
  await until(() => file(mock).endsWith("\nThe end.!0!1") && /\nParagraph 103 .*!0!1/.test(file(mock)));
}, { path: MAIN }));

// Watches what moves: the shifts that the browser counts, also those right after a key, but not the cursor’s, and where a line stands.
async function moves(page, text, act) {
  const top = () => box(page).locator(".cm-line", { hasText: text }).evaluate((e) => e.getBoundingClientRect().top);
  await page.evaluate(() => {
    window.shifts = [];
    new PerformanceObserver((l) => { for (const e of l.getEntries()) window.shifts.push(...e.sources.filter((s) => !/cm-cursor/.test(s.node?.className)).map((s) => `${s.node?.nodeName} ${s.node?.className ?? s.node?.data}`)); }).observe({ type: "layout-shift" });
  });
  const before = await top();
  await act();
  await page.waitForTimeout(300);
  assert.equal(await top(), before);
  assert.deepEqual(await page.evaluate(() => window.shifts), []);
}

for (const width of [1280, 390]) {
  test(`what is asked of a text moves none of it, at ${width} px`, () => withWindow(async ({ page, mock }) => {
    await sees(box(page).getByText("Ask before"));
    await sees(page.getByText("What agents may do here"));
    await select(page, small);
    await page.keyboard.insertText("Mine.");
    await moves(page, "Ask before", async () => {
      mock.writeFile("lighthouse", "doc-main.md", file(mock).replace(small, "Theirs."));
      await sees(page.getByText("You and another writer changed the same lines."));
    });
    await moves(page, "Ask before", async () => {
      await page.getByRole("button", { name: "Show both" }).and(page.locator("[aria-disabled=false] button")).click();
      await sees(page.getByRole("region", { name: "Both versions" }));
    });
    // What is written is not written below it.
    await page.getByRole("button", { name: "Keep mine" }).waitFor();
    await box(page).press("Control+End");
    for (let i = 0; i < 30; i++) await page.keyboard.press("Enter");
    await page.keyboard.type("The last line.");
    const line = box(page).locator(".cm-line", { hasText: "The last line." });
    const covers = () => line.evaluate((e) => document.querySelector(".foot-in .versions").getBoundingClientRect().top - e.getBoundingClientRect().bottom);
    assert.ok((await covers()) >= 0, `${await covers()}`);
    await moves(page, "The last line.", () => page.getByRole("button", { name: "Keep mine" }).and(page.locator("[aria-disabled=false] button")).click());
  }, { path: MAIN, width }));
}

test("Find finds words as they are seen, across marks, comments, footnotes and links, and as they are written; what it replaces keeps its marks", () => withWindow(async ({ page, mock }) => {
  const text = "# Main\n\nSee the **brass** lamp.\n\nThen {==the brass==}{>>Which?<<} lamp.\n\nAnd the brass[^1] lamp.\n\nOr the [brass](doc-main.md) lamp.\n\n[^1]: A note.\n";
  mock.writeFile("lighthouse", "doc-main.md", text);
  await sees(box(page).locator(".md-passage"));
  await hasFocus(box(page));
  await page.keyboard.press("Control+f");
  const bar = page.getByRole("search", { name: "Find in this doc" }), told = (words) => agrees(() => bar.getByRole("status").textContent(), words);
  await hasFocus(bar.getByRole("textbox", { name: "Find" }));
  await page.keyboard.type("the brass lamp");
  await told("1 of 4");
  const at = () => page.evaluate(() => [...document.querySelectorAll(".cm-searchMatch-selected")].map((e) => e.textContent).join("").replace("}a{", "}{")); // without the comment's letter
  for (const [n, words] of [[1, "the **brass** lamp"], [2, "{==the brass==}{>>Which?<<} lamp"], [3, "the brass[^1] lamp"], [4, "the [brass](doc-main.md) lamp"]]) {
    await told(`${n} of 4`);
    await agrees(at, words);
    await page.keyboard.press("Enter");
  }
  await told("1 of 4");
  await page.keyboard.press("Shift+Enter");
  await told("4 of 4");
  await page.keyboard.press("Control+a");
  await page.keyboard.type("**brass**");
  await told("1 of 1");
  await page.keyboard.press("Control+a");
  await page.keyboard.type("the brass lamp");
  await told("1 of 4");
  await bar.getByRole("button", { name: "Replace…" }).click();
  await page.keyboard.type("the iron lamp");
  await bar.getByRole("button", { name: "All" }).click();
  await told("Nothing found");
  await page.keyboard.press("Control+s");
  await until(() => mock.projects.get("lighthouse").files.get("doc-main.md").content === text.replaceAll("brass", "iron"), "the marks stand around the other words");
}, { path: MAIN }));

for (const [where, edit, width] of [["in the text", ["Ask before you spend money.", "Ask always."], 1280], ["below it", ["Words that are not there.", "Others."], 1280], ["below it", ["Words that are not there.", "Others."], 390]]) {
  test(`what is asked of a text moves no question about it, that stands ${where}, at ${width} px`, () => withWindow(async ({ page, mock }) => {
    mock.writeFile("lighthouse", "doc-main.md", file(mock).replace(/.*Ask before.*/, "Ask before you spend money."));
    const d = mock.addDialog("lighthouse", "editor");
    mock.wants(d, "doc-main.md", [edit]);
    const card = page.getByTestId("approval");
    await rests(page);
    await sees(page.getByText("What agents may do here"));
    await select(page, small);
    await page.keyboard.insertText("Mine.");
    await rests(page);
    await moves(page, "Ask before", async () => {
      mock.writeFile("lighthouse", "doc-main.md", file(mock).replace(small, "Theirs."));
      await sees(page.getByText("You and another writer changed the same lines."));
    });
    const lies = await card.evaluate((e) => e.getBoundingClientRect().toJSON());
    const bar = await page.locator(".foot-in .bar").boundingBox();
    if (where === "below it") assert.ok(bar.y + bar.height <= lies.top, "the bar lies over no question");
  }, { path: MAIN, width }));
}

for (const width of [1280, 390]) {
  test(`Find lies over the text, counts, and gives back what it took, at ${width} px`, () => withWindow(async ({ page, mock }) => {
    mock.writeFile("lighthouse", "doc-main.md", `# Main\n\nfirst words\n\n${Array.from({ length: 120 }, (_, i) => (i % 10 === 0 ? `A gull, the ${i}th.` : `Line ${i}.`)).join("\n\n")}\n`);
    await sees(box(page).getByText("first words"));
    await sees(page.getByText("What agents may do here"));
    await hasFocus(box(page));
    await page.keyboard.press("Shift+End");
    const bar = page.getByRole("search", { name: "Find in this doc" }), field = bar.getByRole("textbox", { name: "Find" });
    const at = () => page.locator(".cm-searchMatch-selected").evaluate((e) => e.parentElement.textContent);
    const told = (words) => agrees(() => bar.getByRole("status").textContent(), words);
    await moves(page, "first words", async () => {
      await page.keyboard.press("Control+f");
      await hasFocus(field);
    });
    const column = await box(page).boundingBox(), r = await bar.boundingBox();
    assert.ok(r.height <= 40 && r.x >= column.x && r.x + r.width <= column.x + column.width, JSON.stringify([r, column]));
    assert.ok(r.y + r.height <= (await box(page).locator(".cm-line").first().boundingBox()).y, "it is above the first line");
    await page.keyboard.type("gull");
    await told("1 of 12");
    await page.keyboard.press("Escape");
    await hasFocus(box(page));
    assert.equal(await page.evaluate(() => String(getSelection())), "first words");
    await page.keyboard.press("Control+f");
    await holds(field, "first words");
    await page.keyboard.type("gull");
    await told("1 of 12");
    await page.keyboard.press("Enter");
    await page.keyboard.press("Enter");
    await told("3 of 12");
    await agrees(at, "A gull, the 20th.");
    await page.keyboard.press("Shift+Enter");
    await told("2 of 12");
    await hasFocus(field);
    for (let i = 0; i < 8; i++) await page.keyboard.press("Enter");
    await told("10 of 12");
    const hit = await page.locator(".cm-searchMatch-selected").boundingBox(), over = await bar.boundingBox();
    assert.ok(hit.y >= over.y + over.height, "no hit is below it");
    await page.keyboard.press("Shift+Enter");
    await page.keyboard.press("Escape");
    await gone(bar);
    await hasFocus(box(page));
    await page.keyboard.type("heron");
    await sees(box(page).getByText("A heron, the 80th."));
    await page.keyboard.press("Control+f");
    await page.keyboard.type("gull");
    await bar.getByRole("button", { name: "Replace…" }).click();
    await page.keyboard.type("tern");
    await bar.getByRole("button", { name: "All" }).click();
    await told("Nothing found");
    await sees(box(page).getByText("A tern, the 90th."));
  }, { path: MAIN, width }));
}

for (const width of [1280, 1000, 800]) {
  test(`nothing moves at the first letter below a long title, ${width} px wide`, () => withWindow(async ({ page, mock }) => {
    const title = "The keeper of the light and the sea that he did not speak about, a novel in three parts and a letter";
    mock.writeFile("lighthouse", "doc-main.md", `# ${title}\n\nSome words.\n`);
    const heading = page.getByRole("heading", { name: title, level: 1 }).and(page.locator(".strip h1"));
    await sees(heading);
    await box(page).locator(".cm-line", { hasText: "Some words." }).click();
    await page.keyboard.press("End");
    await moves(page, "Some words.", async () => {
      await page.keyboard.insertText("!");
      await sees(page.getByText("Not saved"));
      await page.keyboard.press("Control+s");
      await sees(page.getByText(/^Saved · /));
    });
    assert.ok(await page.locator(".strip").evaluate((e) => e.scrollWidth <= e.clientWidth), "all of it is in view");
    if (width >= 1000) assert.ok(await heading.evaluate((e) => e.offsetHeight < 30 && e.offsetWidth > 100 && e.scrollWidth > e.clientWidth && e.title !== ""), "the title is shortened to one line");
  }, { path: MAIN, width }));
}

test("an agent's edit elsewhere is merged while I type, told, shown and taken back; my undo leaves it", () => withWindow(async ({ page, mock }) => {
  const d = mock.addDialog("lighthouse", "writer", "claude", "claude-test", { title: "Night shift" });
  mock.work(d);
  await type(page, "\nMine.");
  const now = file(mock).replace("# lighthouse\n", "# lighthouse\n\nFirst of theirs.\nSecond of theirs.\n");
  mock.projects.get("lighthouse").past = new Map([["doc-main.md", [{ text: now, who: "agent", kind: "call", dialog: d.id, tool: "edit_file" }]]]);
  mock.writeFile("lighthouse", "doc-main.md", now);
  await sees(page.getByText("An agent, in “Night shift”, added 3 lines"));
  await sees(box(page).getByText("Second of theirs."));
  await sees(box(page).getByText("Mine."));
  await page.getByRole("button", { name: "Show", exact: true, disabled: false }).and(page.locator("[aria-disabled=false] button")).click();
  await sees(page.locator(".md-theirs").first());
  await box(page).getByText("Mine.").click();
  await page.keyboard.press("Control+z");
  await gone(box(page).getByText("Mine."));
  assert.equal(await box(page).getByText("Second of theirs.").count(), 1);
  await page.getByRole("group", { name: "An agent, in “Night shift”, added 3 lines" }).getByRole("button", { name: "Undo" }).click();
  await gone(box(page).getByText("Second of theirs."));
  await sees(page.getByText("Not saved"));
  await page.keyboard.press("Control+s");
  await until(() => !file(mock).includes("theirs"));
}, { path: MAIN }));

test("of a change that no call is known to have made nobody is named while an agent works", () => withWindow(async ({ page, mock }) => {
  mock.work(mock.addDialog("lighthouse", "writer", "claude", "claude-test", { title: "Night shift" }));
  await sees(box(page).getByText("Ask before"));
  const asked = mock.histories;
  mock.writeFile("lighthouse", "doc-main.md", file(mock).replace(/# .*/, "# Other"));
  const line = page.getByRole("group", { name: /1 line/ });
  await sees(line);
  assert.equal(await line.getAttribute("aria-label"), "1 line was changed from outside");
  assert.equal(mock.histories, asked + 1, "its history is asked once");
}, { path: MAIN }));

test("the line with another program's change goes by itself, unless the pointer rests on it", () => withWindow(async ({ page, mock }) => {
  await sees(box(page).getByText("Ask before"));
  const line = page.getByRole("group", { name: "Another program changed 1 line" });
  const changes = async (to) => {
    mock.writeFile("lighthouse", "doc-main.md", file(mock).replace(/# .*/, `# ${to}`));
    await sees(line);
  };
  await changes("First");
  await line.hover();
  await page.clock.runFor(60_000);
  assert.equal(await line.count(), 1);
  await page.mouse.move(2, 2);
  await page.clock.runFor(20_000);
  assert.equal(await line.count(), 1);
  await page.clock.runFor(20_000);
  await gone(line);
  await sees(box(page).getByText("First"));
  assert.equal(await page.getByText("Not saved").count(), 0);
}, { path: MAIN, clock: true }));

test("a save that comes second merges what was faster, and is made", () => withWindow(async ({ page, mock }) => {
  await type(page, "\nMine.");
  // The file changes behind the window's back: only the refusal of the save tells it.
  const f = mock.projects.get("lighthouse").files.get("doc-main.md");
  f.content = f.content.replace("# lighthouse", "# Faster");
  await page.keyboard.press("Control+s");
  await until(() => file(mock).startsWith("# Faster") && file(mock).endsWith("Mine."));
  await sees(page.getByText("Another program changed 1 line"));
  await sees(page.getByText(/^Saved/));
}, { path: MAIN, expect: /409/ }));

test("a save pressed while another is on its way is made after it", () => withWindow(async ({ page, mock }) => {
  await type(page, "\nFirst.");
  let go;
  const held = new Promise((ok) => { go = ok; });
  let posts = 0;
  await page.route("**/file/doc-main.md", async (r) => {
    if (r.request().method() === "POST" && ++posts === 1) await held;
    await r.continue();
  });
  await page.keyboard.press("Control+s");
  await until(() => posts === 1);
  await page.keyboard.insertText("Second.");
  await page.keyboard.press("Control+s");
  go();
  await until(() => file(mock).endsWith("First.Second."));
  await sees(page.getByText(/^Saved/));
  assert.equal(posts, 2);
}, { path: MAIN }));

test("a version that was read before a save, and comes behind it, takes nothing back", () => withWindow(async ({ page, mock }) => {
  await box(page).waitFor();
  let hold = true, release;
  const held = new Promise((ok) => { release = ok; });
  await page.route("**/file/doc-main.md", async (r) => {
    if (!hold || r.request().method() !== "GET") return r.continue();
    hold = false;
    const old = await r.fetch();
    await held;
    await r.fulfill({ response: old });
  });
  const was = file(mock);
  await type(page, "Mine.");
  mock.writeFile("lighthouse", "doc-main.md", "An agent's line.\n\n" + was);
  await until(() => !hold, "the file is read");
  await page.keyboard.press("Control+s");
  await until(() => file(mock) === "An agent's line.\n\n" + was + "Mine.", "both are saved");
  await sees(page.getByText(/^Saved/));
  await type(page, "\nMore.");
  await box(page).evaluate((b) => {
    new MutationObserver(() => { if (!b.innerText.includes("Mine.")) b.dataset.lost = "yes"; }).observe(b, { childList: true, subtree: true, characterData: true });
  });
  release();
  mock.writeFile("lighthouse", "doc-main.md", file(mock).replace("An agent's line.", "Another line."));
  await sees(box(page).getByText("Another line."));
  assert.equal(await box(page).getAttribute("data-lost"), null, "not for a moment either");
  assert.match(await box(page).innerText(), /Mine\.\s+More\.$/);
  await page.keyboard.press("Control+s");
  await until(() => file(mock) === "Another line.\n\n" + was + "Mine.\nMore.", "all is saved");
}, { path: MAIN, expect: /409/ }));

// The file is written, and the page hears nothing of it: a paragraph between two others.
async function unheard(page, mock, context, late) {
  mock.writeFile("lighthouse", "doc-main.md", "# main\n\nFirst.\n\nLast.\n");
  await sees(box(page).getByText("Last."));
  await context.route("**/file/doc-main.md", async (r) => {
    if (r.request().method() !== "POST") return r.continue();
    await r.fetch();
    await late;
    await r.abort("connectionreset").catch(() => {}); // the page may be closed
    await context.unroute("**/file/doc-main.md");
  });
  await box(page).locator(".cm-line", { hasText: "First." }).click();
  await page.keyboard.press("End");
  await page.keyboard.insertText("\n\nBetween.");
  await sees(page.getByText("Not saved"));
  await page.keyboard.press("Control+s");
  await until(() => file(mock) === BETWEEN, "it is written");
}
const BETWEEN = "# main\n\nFirst.\n\nBetween.\n\nLast.\n";

test("a save that is written and not answered comes once", () => withWindow(async ({ page, mock, context }) => {
  await unheard(page, mock, context);
  await gone(page.getByText("Not saved"));
  await type(page, "More.");
  await page.keyboard.press("Control+s");
  await until(() => file(mock) === `${BETWEEN}More.`);
}, { path: MAIN, expect: /ERR_CONNECTION_RESET/ }));

test("so it does where the tab is closed before the answer", () => withWindow(async ({ page, mock, context, open }) => {
  let answer;
  await unheard(page, mock, context, new Promise((done) => { answer = done; }));
  await agrees(() => page.evaluate(() => new Promise((done, fail) => {
    const r = indexedDB.open("vibey", 1);
    r.onerror = fail;
    r.onsuccess = () => {
      const all = r.result.transaction("drafts").objectStore("drafts").getAll();
      all.onsuccess = () => done(all.result.some((d) => d.mine?.sent !== undefined));
    };
  })), true);
  await page.close();
  answer();
  const again = await open(MAIN);
  await sees(box(again).getByText("Between."));
  await gone(again.getByText("Not saved", { exact: true }));
  await again.keyboard.press("Control+End");
  await type(again, "More.");
  await again.keyboard.press("Control+s");
  await until(() => file(mock) === `${BETWEEN}More.`);
}, { path: MAIN, expect: /ERR_CONNECTION_RESET/ }));

for (const kept of ["{", "[]", "null", '"x"', '{"cursor":-1,"line":0,"top":0}', '{"cursor":"9","line":{},"top":null}']) {
  test(`a place in a doc that is kept as ${kept} is none`, () => withWindow(async ({ open, context }) => {
    await context.addInitScript((kept) => sessionStorage.setItem("vibey.place/lighthouse/doc-main.md", kept), kept);
    const page = await open(MAIN);
    await sees(box(page).getByText("Ask before"));
  }));
}

test("a draft meets a file that changed since: both are there", () => withWindow(async ({ page, mock, open }) => {
  await type(page, "\nUnsaved thought.");
  page.on("dialog", (d) => void d.accept());
  await Promise.all([page.waitForEvent("close"), page.close({ runBeforeUnload: true })]);
  mock.writeFile("lighthouse", "doc-main.md", file(mock).replace("# lighthouse", "# Lighthouse"));
  const again = await open(MAIN);
  await sees(box(again).getByText("Unsaved thought."));
  await sees(box(again).getByText("Lighthouse"));
  await sees(again.getByText("Not saved", { exact: true }));
}, { path: MAIN }));

test("what the server did not answer is told, and goes by itself when it is back", () => withWindow(async ({ page, mock, context }) => {
  mock.writeFile("lighthouse", "doc-notes.md", "# Notes\n\nThe lamp.\n");
  const side = page.getByRole("complementary", { name: "Docs" });
  await sees(side.getByRole("link", { name: "notes" }));
  const silent = page.locator(".bar").filter({ hasText: "The server" });
  // A save.
  await type(page, "\nMine.");
  await mock.down();
  await page.keyboard.press("Control+s");
  await sees(silent.getByText(/What you wrote is kept|Not saved|kept/));
  mock.projects.get("lighthouse").files.set("doc-later.md", { content: "# Later\n", mtime: 99 });
  await mock.listen(mock.port);
  await sees(side.getByRole("link", { name: "later" }));
  await gone(silent);
  await sees(page.getByText("Not saved", { exact: true }));
  await page.keyboard.press("Control+s");
  await until(() => file(mock).endsWith("Mine."));
  // A doc that is opened, also where nothing else tells that the server is well again.
  await mock.down();
  await side.getByRole("link", { name: "notes" }).click();
  await sees(silent);
  await mock.listen(mock.port);
  await sees(page.getByRole("textbox", { name: "Text of notes" }).getByText("The lamp."));
  await gone(silent);
  let busy = true;
  await context.route("**/file/doc-later.md", (r) => (busy ? r.fulfill({ status: 503, body: "busy" }) : r.continue()));
  await side.getByRole("link", { name: "later" }).click();
  await sees(page.locator(".bar"));
  busy = false;
  await sees(page.getByRole("textbox", { name: "Text of later" }).getByText("Later"));
  await gone(page.locator(".bar"));
}, { path: MAIN, expect: /ERR_|Failed to load|503/ }));

const FIXTURES = {
  "mixed ends": "a\r\nb\nc\r\r\n",
  "a mark at the beginning": "\ufeff# BOM\n\nwords\n",
  "schwa blocks": "# X\n\nəəəproject/v1\n- verify `x`\nəəə\n\nəəənote/markdown\nəəəə\nəəə\n",
  "hidden characters": "a\u200bb\u202ec\u00add\tx\u0000y\n",
  "5 MB": "Words in a *row*, and more of them.\n\n".repeat(140_000),
  "a line of 1 MB": "word ".repeat(200_000),
  "nothing": "",
};
test("every byte of every fixture comes back", () => withWindow(async ({ page, mock }) => {
  for (const [i, text] of Object.values(FIXTURES).entries()) mock.writeFile("lighthouse", `doc-f${i}.md`, text);
  for (const [i, name] of Object.keys(FIXTURES).entries()) {
    await page.goto(`${mock.url}#/project/lighthouse/docs/doc-f${i}.md`);
    const own = page.locator(`.pane.doc:has(h1[title$="doc-f${i}.md"])`).getByRole("textbox", { name: /^Text of / });
    await own.click();
    await page.keyboard.press("Control+End");
    await page.keyboard.insertText("!");
    await page.keyboard.press("Control+s");
    await until(() => file(mock, `doc-f${i}.md`) === FIXTURES[name] + "!", name);
    await sees(page.getByText(/^Saved/));
  }
}, { path: MAIN }));

test("main is on top and opens by itself, the cursor below its heading; coming back finds doc and cursor", () => withWindow(async ({ page, mock }) => {
  await sees(page.locator("h1").and(page.getByRole("heading", { name: "lighthouse", level: 1 })));
  await hasFocus(box(page));
  await page.keyboard.insertText("HERE");
  await until(async () => (await box(page).innerText()).includes("HEREA "));
  await page.keyboard.press("Control+s");
  mock.writeFile("lighthouse", "doc-zoo.md", "# Zoo\n\none two\n");
  await page.getByRole("link", { name: "zoo" }).click();
  await agrees(() => page.locator(".side .list a").first().innerText().then((t) => t.trim().replace(/\s+/g, " ")), "lighthouse main");
  const zoo = page.getByRole("textbox", { name: "Text of zoo" });
  await hasFocus(zoo);
  await page.keyboard.press("Control+ArrowRight");
  await page.getByRole("link", { name: "Dialogs" }).click();
  await sees(page.getByText("Nothing here yet."));
  await page.getByRole("link", { name: "Docs" }).click();
  await hasFocus(zoo);
  await page.keyboard.insertText("!");
  await sees(zoo.getByText("one! two"));
}, { path: "#/project/lighthouse/docs" }));

test("a doc that is not there any more deselects quietly; unsaved text stays", () => withWindow(async ({ page, mock }) => {
  mock.writeFile("lighthouse", "doc-notes.md", "# Notes\n");
  await page.getByRole("link", { name: "notes" }).click();
  await sees(page.locator("h1").and(page.getByRole("heading", { name: "notes", level: 1 })));
  mock.deleteFile("lighthouse", "doc-notes.md");
  await gone(page.locator("h1").and(page.getByRole("heading", { name: "notes", level: 1 })));
  assert.equal(await page.locator(".bar").count(), 0);
  assert.equal(new URL(page.url()).hash, "#/project/lighthouse/docs");
  await page.goto(mock.url + "#/project/lighthouse/docs/doc-never.md");
  await until(() => new URL(page.url()).hash === "#/project/lighthouse/docs");

  await page.getByRole("link", { name: /\bmain$/i }).first().click();
  await type(page, "\nStill here.");
  mock.deleteFile("lighthouse", "doc-main.md");
  await sees(page.getByText("This doc was deleted on disk while you were writing."));
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await sees(page.getByText(/^Saved/));
  assert.ok(file(mock).endsWith("Still here."));
}, { path: "#/project/lighthouse/docs", expect: /404/ }));

test("a doc that was deleted and made again meanwhile is merged, not written over", () => withWindow(async ({ page, mock }) => {
  await page.getByRole("link", { name: /\bmain$/i }).first().click();
  await type(page, "\nStill here.");
  const had = file(mock).replace("\nStill here.", "");
  mock.deleteFile("lighthouse", "doc-main.md");
  await sees(page.getByText("This doc was deleted on disk while you were writing."));
  // The window is not told of it before it saves.
  mock.projects.get("lighthouse").files.set("doc-main.md", { content: had.replace("lighthouse", "The other lighthouse"), mtime: 99 });
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await sees(page.getByText(/^Saved/));
  assert.ok(file(mock).includes("The other lighthouse") && file(mock).endsWith("Still here."), file(mock));
  await gone(page.getByText("This doc was deleted on disk while you were writing."));
}, { path: "#/project/lighthouse/docs", expect: /404|409/ }));

test("a doc is made, and deleted after a question", () => withWindow(async ({ page, mock }) => {
  await sees(page.locator("h1").and(page.getByRole("heading", { name: "lighthouse", level: 1 }))); // it opens by itself
  await page.getByRole("button", { name: "New doc" }).click();
  await page.getByLabel("Title", { exact: true }).fill("The story");
  await page.getByRole("button", { name: "Create doc" }).click();
  await sees(page.locator("h1").and(page.getByRole("heading", { name: "The story", level: 1 })));
  assert.equal(file(mock, "doc-the-story.md"), "# The story\n\n");
  await page.getByRole("button", { name: "Delete doc The story" }).click();
  await page.getByRole("button", { name: "Delete doc", exact: true }).click();
  await gone(page.locator("h1").and(page.getByRole("heading", { name: "The story", level: 1 })));
  assert.equal(file(mock, "doc-the-story.md"), undefined);
}, { path: "#/project/lighthouse/docs", expect: /404/ }));

test("a mark of markdown stands only at the words that are written", () => withWindow(async ({ page }) => {
  const light = box(page).locator(".cm-line", { hasText: "about a" });
  await sees(light);
  await page.keyboard.press("Control+End");
  const hidden = () => light.locator(".md-hidden").count();
  await agrees(hidden, 4);
  await box(page).getByText("light", { exact: true }).click();
  await agrees(hidden, 2);
}, { path: MAIN }));

test("Tab indents, and after Escape moves on", () => withWindow(async ({ page }) => {
  await type(page, "x");
  await page.keyboard.press("Tab");
  await hasFocus(box(page));
  await page.keyboard.press("Escape");
  await page.keyboard.press("Tab");
  await agrees(() => box(page).evaluate((e) => e === document.activeElement), false);
}, { path: MAIN }));

test("an example is put into main, and not saved by that", () => withWindow(async ({ page, mock }) => {
  const before = file(mock);
  await page.getByRole("button", { name: /A little game/ }).click();
  await sees(box(page).getByText("A tic-tac-toe for the browser"));
  await sees(page.getByText("Not saved"));
  assert.equal(file(mock), before);
}, { path: "#/project/lighthouse/dialogs" }));

test("a block of schwas stands as code, with all its characters", () => withWindow(async ({ page, mock }) => {
  mock.writeFile("lighthouse", "doc-main.md", "# Lamp\n\nwords\n\nəəəproject/v1\n# phases on\n- verify `npm test`\nəəə\n\nthe end\n");
  await page.goto(mock.url + MAIN);
  await sees(box(page).locator(".md-h1", { hasText: "Lamp" }));
  await page.getByRole("button", { name: "How agents work here" }).click();
  await agrees(async () => (await box(page).locator(".md-code").allTextContents()).map((t) => t.replace(/^Fold/, "")), ["əəəproject/v1", "# phases on", "- verify `npm test`", "əəə"]);
  await agrees(() => box(page).locator(".md-h1").count(), 1);
  await agrees(() => box(page).locator(".md-off").allTextContents(), ["# phases on"]);
}));

test("an editor that comes late leaves the focus in a menu that was opened meanwhile", () => withWindow(async ({ page, context }) => {
  let come;
  await context.route(/assets\/editor-.*\.js/, (r) => { come = () => r.continue(); });
  await page.reload();
  await until(() => come !== undefined, "the editor is asked for");
  await page.getByRole("button", { name: "Project lighthouse" }).click();
  const first = page.getByRole("navigation", { name: "Projects" }).getByRole("link", { name: "lighthouse" });
  await page.keyboard.press("Tab");
  await hasFocus(first);
  await come();
  await sees(box(page));
  await page.waitForTimeout(300);
  await hasFocus(first);
}, { path: MAIN }));
