// Comments and suggestions in a doc: CriticMarkup in the file, words in the margin.
import { test } from "node:test";
import assert from "node:assert/strict";
import { accessible } from "./axe.mjs";
import { agrees, counts, gone, hasFocus, sees, until, withWindow } from "./browser.mjs";

const DOC = "#/project/lighthouse/docs/doc-night.md";
const NIGHT = "# Night\n\nIt was a dark night.\n\nThe lamp stood still.\n\nNobody came.\n";
const SHOTS = process.env.VIBEY_SHOTS;
const shot = (page, name) => SHOTS && page.screenshot({ path: `${SHOTS}/${name}.png` });
const box = (page) => page.getByRole("textbox", { name: /^Text of / });
const menu = (page) => page.getByRole("group", { name: "The passage" });
const button = (page, name) => page.getByRole("button", { name, exact: true });
const field = (page) => page.getByRole("textbox", { name: "Comment", exact: true });
const file = (mock) => mock.projects.get("lighthouse").files.get("doc-night.md").content;
const note = (page, words) => page.getByRole("group", { name: `Comment on “${words}”` });

/** withDoc runs a test on a doc. */
const withDoc = (text, run, more = {}) => withWindow(async (w) => {
  w.mock.writeFile("lighthouse", "doc-night.md", text);
  await w.page.goto(w.mock.url + DOC);
  await sees(box(w.page));
  await run(w);
}, more);

async function select(page, text) {
  await box(page).locator(".cm-line", { hasText: text }).click();
  await page.keyboard.press("Home");
  await page.keyboard.press("Shift+End");
}

test("Comment at a selection puts CriticMarkup into the file; the window sets it in the margin; Done takes it out, and undo brings it back", () => withDoc(NIGHT, async ({ page, mock }) => {
  await select(page, "dark night");
  const before = await box(page).locator(".cm-line", { hasText: "dark night" }).boundingBox();
  await menu(page).getByRole("button", { name: "Comment" }).click();
  await hasFocus(field(page));
  await page.keyboard.type("How dark?");
  await shot(page, "comment-field");
  await page.keyboard.press("Enter");
  await gone(field(page));
  await hasFocus(box(page));
  const marked = NIGHT.replace("It was a dark night.", "{==It was a dark night.==}{>>How dark?<<}");
  await until(() => file(mock) === marked, "it is in the file");
  await sees(note(page, "It was a dark night."));
  assert.ok(!(await box(page).locator(".cm-line", { hasText: "dark night" }).evaluate((e) => [...e.querySelectorAll(".md-sign")].length)), "no signs in the text");
  await page.mouse.move(0, 0);
  await shot(page, "comment");
  const [aside, text] = await Promise.all([note(page, "It was a dark night.").boundingBox(), box(page).locator(".cm-line", { hasText: "dark night" }).boundingBox()]);
  assert.equal(text.x, before.x, "the text has not moved");
  assert.ok(aside.x > text.x + text.width - 60 && Math.abs(aside.y - text.y) < 8, "beside its passage");
  await button(page, "Done").click();
  await until(() => file(mock) === NIGHT, "it is out of the file");
  await gone(note(page, "It was a dark night."));
  await page.keyboard.press("Control+z");
  await sees(note(page, "It was a dark night."));
  await page.keyboard.press("Control+s");
  await until(() => file(mock) === marked);
}));

test("what is copied is the text as it stands, with its form; pasted into a doc it is what is written, comments too; cut takes all along", () => withDoc("# Night\n\n{==A **dark** night==}{>>How dark?<<} came{++ fast++}.\n\nEnd.\n", async ({ page, mock }) => {
  await sees(note(page, "A **dark** night"));
  await page.evaluate(() => { for (const type of ["copy", "cut"]) addEventListener(type, (e) => { window.copied = { text: e.clipboardData.getData("text/plain"), html: e.clipboardData.getData("text/html") }; }); });
  await select(page, "came");
  const copied = () => page.evaluate(() => window.copied);
  // What copies comes once there is time for it.
  await until(async () => {
    await page.keyboard.press("Control+c");
    return (await copied()).html !== "";
  });
  assert.deepEqual(await copied(), { text: "A **dark** night came.", html: "A <strong>dark</strong> night came." });
  await page.keyboard.press("Control+End");
  await page.keyboard.press("Control+v");
  const line = "{==A **dark** night==}{>>How dark?<<} came{++ fast++}.";
  await page.keyboard.press("Control+s");
  await until(() => file(mock) === `# Night\n\n${line}\n\nEnd.\n${line}`, "as it is written");
  await page.keyboard.press("Shift+Home");
  await page.keyboard.press("Control+x");
  assert.ok((await copied()).text.includes("{>>How dark?<<}"));
}));

test("what is typed at the end of a line, or over it, is never in a comment, nor leaves half a mark", () => withDoc("# Night\n\nIt was {==a dark night.==}{>>How dark was it then?<<}\n\n{==The lamp==}{>>c<<} stood {--still--}\n\nNobody came[^1]\n\nSee [below](#night)\n\n[^1]: Not one.\n", async ({ page, mock }) => {
  await counts(page.locator(".md-aside-card"), 3);
  const at = (text) => box(page).locator(".cm-line", { hasText: text });
  /** behind clicks behind the words of a line. */
  const behind = async (text) => {
    const r = await at(text).boundingBox();
    await page.mouse.click(r.x + r.width - 4, r.y + r.height / 2);
  };
  const within = (was, is) => { want = want.replace(was, is); };
  let want = file(mock);
  await behind("dark night");
  await page.keyboard.type(" A");
  within("then?<<}", "then?<<} A");
  await at("dark night").click({ position: { x: 20, y: 12 } });
  await page.keyboard.press("End");
  await page.keyboard.press("End");
  await page.keyboard.type("B");
  within("<<} A", "<<} AB");
  await at("stood").click({ position: { x: 20, y: 12 } });
  await page.keyboard.press("End");
  await page.keyboard.type("!");
  within("{--still--}", "{--still--}!");
  await behind("came");
  await page.keyboard.type(", not one");
  within("[^1]\n", "[^1], not one\n");
  await at("See").click({ position: { x: 10, y: 12 } });
  await page.keyboard.press("End");
  await page.keyboard.type(".");
  within("(#night)", "(#night).");
  await page.keyboard.press("ArrowLeft"); // a step of one leads into the marks
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.type("x");
  within("(#night)", "(#nightx)");
  await page.keyboard.press("Control+s");
  await agrees(() => file(mock), want);

  await select(page, "stood");
  await page.keyboard.type("It fell.");
  within("{==The lamp==}{>>c<<} stood {--still--}!", "It fell.");
  await page.keyboard.press("Control+s");
  await agrees(() => file(mock), want);
}, { expect: /inline style/ }));

const COMMENTED = "# Night\n\nOne ends {==with a comment==}{>>note<<} and goes on.\n\nIn **bold words** end.\n\nHere is one at the end[^2] of it.\n\nThis ends {==so==}{>>c<<}\n\n[^2]: Two.\n";

test("what is cut out of a passage with a comment leaves no half mark, and a letter is taken where one is seen", () => withDoc(COMMENTED, async ({ page, mock }) => {
  const saved = async (want) => {
    await page.keyboard.press("Control+s");
    await agrees(() => file(mock), want);
  };
  const one = (is) => COMMENTED.replace("One ends {==with a comment==}{>>note<<} and goes on.", is);
  await counts(page.locator(".md-aside-card"), 2);
  await drag(page, "with a", " and goes");
  await page.keyboard.press("Control+x");
  await saved(one("One ends with a on."));
  await page.keyboard.press("Control+z");
  await saved(COMMENTED);
  for (const [way, steps] of [["ArrowRight", 14], ["ArrowRight", 10], ["ArrowLeft", 9]]) {
    await box(page).locator(".cm-line", { hasText: "One ends" }).click({ position: { x: 10, y: 12 } });
    await page.keyboard.press("Home");
    for (let i = 0; i < 18; i++) await page.keyboard.press("ArrowRight");
    for (let i = 0; i < steps; i++) await page.keyboard.press(`Shift+${way}`);
    await page.keyboard.press("Delete");
    await page.keyboard.press("Control+s");
    await until(() => file(mock) !== COMMENTED);
    const is = file(mock).split("\n")[2];
    assert.ok(!/[{}<>=]/.test(is) || /^[^{}<>=]*(?:\{==[^{}<>=]*==\})?(?:\{>>note<<\})?[^{}<>=]*$/.test(is), is);
    await page.keyboard.press("Control+z");
    await saved(COMMENTED);
  }
  await box(page).locator(".cm-line", { hasText: "This ends" }).click({ position: { x: 10, y: 12 } });
  await page.keyboard.press("End");
  await page.keyboard.press("Backspace");
  await saved(COMMENTED.replace("{==so==}", "{==s==}"));
  await page.keyboard.press("Control+Backspace");
  await saved(COMMENTED.replace("{==so==}", "{====}"));
}, { expect: /inline style/ }));

/** drag selects by the mouse, from behind some words to behind others of the same line. */
async function drag(page, from, to) {
  const [a, b] = await page.evaluate((ends) => ends.map((words) => {
    const line = [...document.querySelectorAll(".cm-line")].find((l) => l.textContent.includes(ends[1])), walk = document.createTreeWalker(line, NodeFilter.SHOW_TEXT);
    for (let n; (n = walk.nextNode()); ) {
      const i = n.data.indexOf(words);
      if (i < 0) continue;
      const r = document.createRange();
      r.setStart(n, i + words.length - 1);
      r.setEnd(n, i + words.length);
      const { right, top, height } = r.getBoundingClientRect();
      return { x: right, y: top + height / 2 };
    }
  }), [from, to]);
  await page.mouse.move(a.x, a.y);
  await page.mouse.down();
  for (const part of [0.3, 0.7, 1]) await page.mouse.move(a.x + (b.x - a.x) * part, b.y);
  await page.mouse.up();
}

test("nothing unfolds under a hand that selects; a comment takes a footnote whole", () => withDoc(COMMENTED, async ({ page, mock }) => {
  await counts(page.locator(".md-aside-card"), 2);
  await drag(page, "In ", "bold words");
  await agrees(() => page.evaluate(() => getSelection().toString().replaceAll("*", "")), "bold words");
  await page.keyboard.press("Control+Alt+m");
  await page.keyboard.insertText("b");
  await page.keyboard.press("Enter");
  await gone(field(page));
  await drag(page, "is ", "at the end");
  await page.keyboard.press("Shift+ArrowRight");
  await page.keyboard.press("Control+Alt+m");
  await page.keyboard.insertText("d");
  await page.keyboard.press("Enter");
  await gone(field(page));
  await page.keyboard.press("Control+s");
  await agrees(() => file(mock), COMMENTED.replace("**bold words**", "{==**bold words**==}{>>b<<}").replace("one at the end[^2]", "{==one at the end[^2]==}{>>d<<}"));
}));

test("Escape gives focus and selection back, and the key opens the field", () => withDoc(NIGHT, async ({ page, mock }) => {
  await select(page, "dark night");
  await page.keyboard.press("Control+Alt+m");
  await hasFocus(field(page));
  await page.keyboard.type("no");
  await page.keyboard.press("Escape");
  await hasFocus(box(page));
  assert.equal(await page.evaluate(() => getSelection().toString()), "It was a dark night.");
  assert.equal(file(mock), NIGHT);
}));

test("what is written is set so that nothing breaks: signs and line breaks in the words, paragraphs, lists, tables", () => withDoc(`${NIGHT}\n- one\n- two\n\n| a | b |\n| - | - |\n| c | d |\n`, async ({ page, mock }) => {
  await box(page).click();
  await page.keyboard.press("Control+Home");
  await page.keyboard.press("Control+Shift+End");
  await page.keyboard.press("Control+Alt+m");
  await field(page).fill("all <<} of | it");
  await page.keyboard.press("Enter");
  await until(() => file(mock) === `# {==${NIGHT.slice(2)}\n- one\n- two\n\n| a | b |\n| - | - |\n| c | d==}{>>all << } of \\| it<<} |\n`);
  await sees(page.getByText("all << } of | it").first());
  assert.equal(await box(page).locator(".md-row").count(), 3, "the table is one");
  await button(page, "Done").click();
  await until(() => file(mock) === `${NIGHT}\n- one\n- two\n\n| a | b |\n| - | - |\n| c | d |\n`);
}));

test("a comment that is half written outlives a reload, and another doc in between", () => withDoc(NIGHT, async ({ page, mock }) => {
  mock.writeFile("lighthouse", "doc-notes.md", "# Notes\n");
  await select(page, "dark night");
  await page.keyboard.press("Control+Alt+m");
  await page.keyboard.type("How dark");
  await page.getByRole("link", { name: "Notes" }).click();
  await sees(page.getByRole("textbox", { name: "Text of Notes" }));
  await page.reload();
  await page.getByRole("link", { name: "Night", exact: true }).click();
  await select(page, "dark night");
  await page.keyboard.press("Control+Alt+m");
  await agrees(() => field(page).inputValue(), "How dark");
  await page.keyboard.press("End");
  await page.keyboard.type("?");
  await page.keyboard.press("Enter");
  await until(() => file(mock).includes("{>>How dark?<<}"));
  await page.reload();
  await select(page, "lamp stood");
  await page.keyboard.press("Control+Alt+m");
  await hasFocus(field(page));
  assert.equal(await field(page).inputValue(), "");
}));

test("Shift Enter begins a new line of the comment, and Enter alone ends it", () => withDoc(NIGHT, async ({ page, mock }) => {
  await select(page, "dark night");
  await page.keyboard.press("Control+Alt+m");
  await hasFocus(field(page));
  const low = (await field(page).boundingBox()).height;
  await page.keyboard.type("How");
  await page.keyboard.press("Shift+Enter");
  await page.keyboard.type("dark?");
  await hasFocus(field(page));
  assert.equal(await field(page).inputValue(), "How\ndark?");
  assert.ok((await field(page).boundingBox()).height > low, "both lines are seen");
  assert.equal(file(mock), NIGHT);
  await page.keyboard.press("Enter");
  await until(() => file(mock) === NIGHT.replace("It was a dark night.", "{==It was a dark night.==}{>>How dark?<<}"), "it is one line of the file");
}));

test("a comment stands around whole marks: emphasis, links, code", () => withDoc("# Night\n\nTides are **not** simple, see [the *end*](https://a.example/x) now, ~~old~~ `code here` too.\n", async ({ page, mock }) => {
  const put = async (n, by, words) => {
    await page.keyboard.press("Control+Home");
    for (let i = 0; i < 2; i++) await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Home");
    await page.evaluate(([n, by]) => {
      const line = [...document.querySelectorAll(".cm-line")].find((l) => l.textContent.includes("Tides"));
      const at = (want) => {
        const nodes = document.createTreeWalker(line, NodeFilter.SHOW_TEXT);
        for (let left = want, t = nodes.nextNode(); t; left -= t.length, t = nodes.nextNode()) if (left <= t.length) return [t, left];
      };
      getSelection().setBaseAndExtent(...at(n), ...at(n + by));
    }, [n, by]);
    await sees(menu(page));
    await page.keyboard.press("Control+Alt+m");
    await page.keyboard.type(words);
    await page.keyboard.press("Enter");
    await gone(field(page));
    const text = await until(() => file(mock).includes(`{>>${words}<<}`), words).then(() => file(mock));
    await button(page, "Done").click();
    await until(() => !file(mock).includes("{"), "it is as before");
    return text.split("\n")[2];
  };
  assert.equal(await put(0, 16, "a"), "{==Tides are **not**==}{>>a<<} simple, see [the *end*](https://a.example/x) now, ~~old~~ `code here` too.");
  assert.equal(await put(12, 2, "b"), "Tides are **{==no==}{>>b<<}t** simple, see [the *end*](https://a.example/x) now, ~~old~~ `code here` too.");
  assert.equal(await put(18, 20, "c"), "Tides are **not** {==simple, see [the *end*](https://a.example/x)==}{>>c<<} now, ~~old~~ `code here` too.");
}));

test("in code no comment can stand", () => withDoc("# Night\n\n```\nlamp()\n```\n", async ({ page, mock }) => {
  await select(page, "lamp()");
  await page.keyboard.press("Control+Alt+m");
  await page.keyboard.type("why");
  await page.keyboard.press("Enter");
  await sees(page.getByText("No comment can stand on this: in code it would be a part of the code."));
  assert.equal(file(mock), "# Night\n\n```\nlamp()\n```\n");
}));

const MARKED = "# Night\r\n\r\nIt was {++very ++}dark, {--so --}still, and {~~cold~>warm~~}.\r\n\r\nA {==passage==} alone, a note{>>alone<<}, `{++code++}`, never {++closed.\r\n";

test("suggestions are shown as what they say; Keep makes them hold, Drop leaves all as before, to the byte", () => withDoc(MARKED, async ({ page, mock }) => {
  await agrees(() => box(page).locator("ins.md-add").allTextContents(), ["very ", "warm"]);
  assert.deepEqual(await box(page).locator("del.md-del").allTextContents(), ["so ", "cold"]);
  assert.deepEqual(await box(page).locator(".md-passage").allTextContents(), ["passage"]);
  await sees(page.getByRole("group", { name: "Comment", exact: true }).getByText("alone"));
  await sees(box(page).getByText("{++code++}"));
  await sees(box(page).getByText("never {++closed."));
  await shot(page, "suggestions");
  await counts(button(page, "Keep"), 3);
  await page.getByRole("group", { name: "Add “very”?" }).getByRole("button", { name: "Keep" }).click();
  await until(() => file(mock) === MARKED.replace("{++very ++}", "very "));
  await page.getByRole("group", { name: "Take out “so”?" }).getByRole("button", { name: "Keep" }).click();
  await until(() => file(mock) === MARKED.replace("{++very ++}", "very ").replace("{--so --}", ""));
  await page.getByRole("group", { name: "“warm” for “cold”?" }).getByRole("button", { name: "Drop" }).click();
  await until(() => file(mock) === MARKED.replace("{++very ++}", "very ").replace("{--so --}", "").replace("{~~cold~>warm~~}", "cold"));
  for (let n = 0; n < 3; n++) await page.keyboard.press("Control+z");
  await page.keyboard.press("Control+s");
  await until(() => file(mock) === MARKED, "undone one by one");
}));

test("the signs are shown at the cursor, and another program's edit comes in beside them", () => withDoc(MARKED, async ({ page, mock }) => {
  await box(page).locator("ins.md-add").first().click();
  await sees(box(page).locator(".md-sign").first());
  await page.keyboard.type("X");
  const mine = await box(page).locator("ins.md-add").first().textContent();
  mock.writeFile("lighthouse", "doc-night.md", MARKED.replace("# Night", "# The night"));
  await sees(page.getByRole("status").getByText(/changed 1 line/));
  await page.keyboard.press("Control+s");
  await until(() => file(mock) === MARKED.replace("# Night", "# The night").replace("{++very ++}", `{++${mine}++}`));
}));

test("Send my comments makes one message of all, with the passage of each; they stay until they are done", () => withDoc(NIGHT.replace("dark", "{==dark==}{>>How dark?<<}").replace("lamp", "{==lämp==}{>>Which?<<}"), async ({ page, mock }) => {
  const d = mock.addDialog("lighthouse", "night", "claude", "claude-test", { title: "Night shift" });
  await sees(note(page, "lämp"));
  await page.getByRole("combobox", { name: "Goes to" }).selectOption({ label: "Night shift" });
  await box(page).locator(".cm-line", { hasText: "Nobody came" }).click();
  await page.keyboard.press("End");
  await page.keyboard.type(" Unsaved.");
  await button(page, "Send my comments").click();
  await until(() => d.sections.some((s) => s.role === "User"));
  assert.ok(file(mock).includes("Nobody came. Unsaved."), "unsaved words are saved first");
  const sent = mock.puts.at(-1);
  assert.equal(sent.prompt, "My comments, one for each of the 2 passages, in their order:\n\n1. How dark?\n2. Which?");
  assert.deepEqual(sent.on.map(({ file: name, from, to }) => [name, Buffer.from(file(mock)).subarray(from, to).toString()]), [["doc-night.md", "dark"], ["doc-night.md", "lämp"]]);
  assert.deepEqual([...new Set(sent.on.map((o) => o.sha256))], [mock.target("lighthouse", "doc-night.md").sha256]);
  await sees(page.getByText("Sent to Night shift."));
  await counts(button(page, "Done"), 2);
}));

test("what was sent is counted as sent, and is not sent again; what is written since is", () => withDoc(NIGHT.replace("dark", "{==dark==}{>>How dark?<<}").replace("lamp", "{==lamp==}{>>Which?<<}"), async ({ page, mock }) => {
  const d = mock.addDialog("lighthouse", "night", "claude", "claude-test", { title: "Night shift" });
  const line = page.getByRole("group", { name: "Comments", exact: true });
  await sees(line.getByText("2 comments", { exact: true }));
  await page.getByRole("combobox", { name: "Goes to" }).selectOption({ label: "Night shift" });
  await button(page, "Send my comments").click();
  await sees(line.getByText("2 comments, sent"));
  await sees(note(page, "dark").getByText("Sent"));
  await sees(note(page, "lamp").getByText("Sent"));
  assert.equal(await button(page, "Send my comments").isDisabled(), true);
  await until(() => d.needs === "reply");
  await page.reload();
  await sees(line.getByText("2 comments, sent"));
  assert.ok(!file(mock).includes("sent"), "nothing of it is in the file");
  await select(page, "Nobody came");
  await page.keyboard.press("Control+Alt+m");
  await page.keyboard.type("Who?");
  await page.keyboard.press("Enter");
  await sees(line.getByText("1 comment", { exact: true }));
  await counts(box(page).locator(".md-aside-card").getByText("Sent"), 2);
  await agrees(() => page.getByRole("combobox", { name: "Goes to" }).inputValue(), d.id);
  await button(page, "Send my comments").click();
  await until(() => mock.puts.length === 2);
  assert.equal(mock.puts[1].prompt, "Who?");
  await sees(line.getByText("3 comments, sent"));
}));

test("comments that went out unheard are not sent again", () => withDoc(NIGHT.replace("dark", "{==dark==}{>>How dark?<<}"), async ({ page, mock }) => {
  await page.route("**/project/lighthouse/dialog", async (route) => {
    await fetch(route.request().url(), { method: route.request().method(), headers: route.request().headers(), body: route.request().postData() }).then((r) => r.body?.cancel());
    await route.abort();
  }, { times: 1 });
  await button(page, "Send my comments").click();
  await sees(page.getByText("it is not known whether this went out"));
  await until(() => [...mock.projects.get("lighthouse").dialogs.values()].some((d) => d.needs === "reply"));
  await button(page, "Send my comments").click();
  await sees(page.getByText("1 comment, sent"));
  assert.deepEqual([mock.starts.length, mock.puts.length], [1, 0]);
}, { expect: /ERR_FAILED/ }));

test("what one tab sent another one does not send again", () => withDoc(NIGHT.replace("dark", "{==dark==}{>>How dark?<<}"), async ({ page, mock, open }) => {
  mock.addDialog("lighthouse", "night", "claude", "claude-test", { title: "Night shift" });
  const other = await open(DOC);
  await sees(other.getByRole("group", { name: "Comments", exact: true }).getByText("1 comment", { exact: true }));
  await page.getByRole("combobox", { name: "Goes to" }).selectOption({ label: "Night shift" });
  await button(page, "Send my comments").click();
  await sees(page.getByText("1 comment, sent"));
  await sees(other.getByText("1 comment, sent"));
  assert.equal(await button(other, "Send my comments").isDisabled(), true);
}));

test("a comment that was done and is written again can be sent again", () => withDoc(NIGHT.replace("It was a dark night.", "{==It was a dark night.==}{>>How dark?<<}"), async ({ page, mock }) => {
  const d = mock.addDialog("lighthouse", "night", "claude", "claude-test", { title: "Night shift" });
  await sees(note(page, "It was a dark night."));
  await page.getByRole("combobox", { name: "Goes to" }).selectOption({ label: "Night shift" });
  await button(page, "Send my comments").click();
  await sees(page.getByText("1 comment, sent"));
  await until(() => d.needs === "reply");
  await button(page, "Done").click();
  await until(() => file(mock) === NIGHT);
  await select(page, "dark night");
  await page.keyboard.press("Control+Alt+m");
  await page.keyboard.type("How dark?");
  await page.keyboard.press("Enter");
  await sees(page.getByRole("group", { name: "Comments", exact: true }).getByText("1 comment", { exact: true }));
  await button(page, "Send my comments").click();
  await until(() => mock.puts.length === 2);
  await sees(page.getByText("1 comment, sent"));
}));

test("the reading view has the text as it stands, and comments at its end, or without by choice", () => withDoc(NIGHT.replace("dark", "{==dark==}{>>How dark?<<}").replace("still", "{--still--}"), async ({ page }) => {
  await sees(note(page, "dark"));
  await page.keyboard.press("Control+e");
  const end = page.getByRole("region", { name: "Comments" });
  await sees(end.getByText("How dark?"));
  await gone(button(page, "Done"));
  await gone(button(page, "Keep"));
  await gone(button(page, "Send my comments"));
  assert.deepEqual(await box(page).locator(".md-comment-ref").allTextContents(), ["a"]);
  await shot(page, "reading");
  const save = (name) => page.getByRole("button", { name, exact: true });
  await sees(save("Save as a page, with its comments"));
  await page.getByRole("button", { name: "Show comments at the end" }).click();
  await gone(end);
  await sees(save("Save as a page"));
  await counts(box(page).locator(".md-comment-ref"), 0);
  // What is left out is left out on paper too, also from the text that is written in, and of the page that is saved.
  const [asked] = await Promise.all([page.waitForRequest(/doc-night\.md\/page/), page.getByRole("button", { name: "Save as a page" }).click()]);
  assert.match(asked.url(), /\?comments=0$/);
  for (const back of [true, false]) {
    await page.emulateMedia({ media: "print" });
    await gone(end);
    await agrees(() => box(page).locator(".md-comment-ref").evaluateAll((all) => all.filter((e) => e.checkVisibility()).length), 0);
    await page.emulateMedia({ media: "screen" });
    if (back) await page.keyboard.press("Control+e");
  }
  await page.keyboard.press("Control+e");
  await page.getByRole("button", { name: "Show comments at the end" }).click();
  await sees(end);
  await page.keyboard.press("Control+e");
  await gone(end);
  await page.emulateMedia({ media: "print" });
  await sees(end);
  await gone(button(page, "Done"));
}));

test("on paper footnotes stand at the end with their numbers, and comments with letters", () => withDoc(NIGHT.replace("dark", "{==dark==}{>>How dark?<<}").replace("night.\n", "night.[^1]\n\n[^1]: Of March.\n"), async ({ page }) => {
  await sees(note(page, "dark"));
  await counts(page.locator(".md-notes"), 0);
  await page.emulateMedia({ media: "print" });
  await agrees(() => page.locator(".md-notes").allTextContents(), ["1 Of March."]);
  const end = page.getByRole("region", { name: "Comments" });
  await sees(end.getByText("How dark?"));
  assert.equal(await end.getByRole("list").evaluate((e) => getComputedStyle(e).listStyleType), "lower-alpha");
  await agrees(() => box(page).locator(".md-comment-ref").allTextContents(), ["a"]);
  await page.emulateMedia({ media: "screen" });
  await counts(page.locator(".md-notes"), 0);
  await sees(note(page, "dark"));
}));

test("at 390 px comments stand below their passage", () => withDoc(NIGHT.replace("dark", "{==dark==}{>>How dark?<<}").replace("lamp", "{++old ++}lamp"), async ({ page }) => {
  await sees(note(page, "dark"));
  const [aside, text] = await Promise.all([note(page, "dark").boundingBox(), box(page).locator(".cm-line", { hasText: "dark" }).boundingBox()]);
  assert.ok(aside.y >= text.y + text.height - 1 && aside.x + aside.width <= 390, "below");
  await shot(page, "margins-390");
  await page.emulateMedia({ colorScheme: "dark" });
  await shot(page, "margins-390-dark");
}, { width: 390, height: 844 }));

test("at 390 px Ask and Comment stand clear of what sends the comments", () => withDoc(NIGHT.replace("dark", "{==dark==}{>>How dark?<<}"), async ({ page }) => {
  await sees(button(page, "Send my comments"));
  await select(page, "lamp stood");
  await sees(menu(page));
  const clear = async () => {
    const [m, line] = await Promise.all([menu(page).boundingBox(), page.getByRole("group", { name: "Comments", exact: true }).boundingBox()]);
    return m.y + m.height <= line.y;
  };
  await agrees(clear, true);
  await shot(page, "ask-390");
  await menu(page).getByRole("button", { name: "Ask" }).click();
  await hasFocus(page.getByRole("textbox", { name: "Ask about this passage" }));
}, { width: 390, height: 780 }));

test("an edit in a paragraph with a comment is drawn in the text, outside of the marks alone", () => withDoc("# Night\n\n{==It was dark==}{>>How dark?<<} at night.\n\nThe lamp {==stood still==}{>>Really?<<} there.\n", async ({ page, mock }) => {
  const d = mock.addDialog("lighthouse", "editor");
  const struck = () => box(page).locator("del[data-suggested]").allTextContents();
  mock.wants(d, "doc-night.md", [["It was dark==}{>>How dark?<<} at night.", "It was dim==}{>>How dark?<<} at dusk."], ["{==stood still==}{>>Really?<<} there", "{==stood firm==}{>>Really?<<} here"], ["Really?", "Is it?"]]);
  await agrees(struck, ["dark", "night", "still", "there"]);
  await counts(page.locator(".suggested-apart").getByTestId("approval"), 1);
  await counts(box(page).getByTestId("approval"), 2);
  await shot(page, "edit-at-comment");
}));

test("two comments in one line stand one below the other", () => withDoc("# Night\n\n{==One==}{>>A comment of many words, so that it takes several lines beside the text that it is about.<<} and {==two==}{>>Another of many words, so that it takes several lines, too, as one does.<<}.\n\nA {==third==}{>>and a third one below<<}.\n", async ({ page }) => {
  await counts(page.locator(".md-aside-card"), 3);
  await agrees(() => page.locator(".md-aside-card").evaluateAll((all) => {
    const rects = all.map((e) => e.getBoundingClientRect());
    return rects.every((r, i) => i === 0 || r.top >= rects[i - 1].bottom);
  }), true);
  await shot(page, "three");
}));

test("margins, the field and the reading view hold by axe, in each width, light and dark", () => withDoc(MARKED, async ({ page }) => {
  await counts(button(page, "Keep"), 3);
  await accessible(page, "margins");
  await select(page, "passage");
  await page.keyboard.press("Control+Alt+m");
  await hasFocus(field(page));
  await accessible(page, "the field");
  await page.keyboard.press("Escape");
  await page.keyboard.press("Control+e");
  await sees(page.getByRole("region", { name: "Comments" }));
  await accessible(page, "reading");
}));

test("of a long doc with comments only what is in view is drawn, also while one types", () => withDoc(`# Night\n\n${"It was a {==dark==}{>>How dark?<<} night, and {++very ++}still, with many words in one line of the text.\n\n".repeat(500)}${"It was a dark night, and still, with many words in one line of the text.\n\n".repeat(12_000)}`, async ({ page }) => {
  await sees(note(page, "dark").first());
  const few = async () => (await page.locator(".md-aside").count()) < 100;
  assert.ok(await few());
  await box(page).locator(".cm-line", { hasText: "dark" }).first().click();
  await page.keyboard.press("End");
  await page.keyboard.type("and the lamp turned");
  await sees(box(page).locator(".cm-line", { hasText: "the lamp turned" }));
  assert.ok(await few());
}));
