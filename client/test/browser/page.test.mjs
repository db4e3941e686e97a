// The page of markdown: how it looks, what its links and keys do, for everyone.
import { test } from "node:test";
import assert from "node:assert/strict";
import { SAMPLE } from "../sampledoc.mjs";
import { accessible, WIDE } from "./axe.mjs";
import { agrees, gone, hasFocus, sees, until, withWindow } from "./browser.mjs";

const MAIN = "#/project/lighthouse/docs/doc-main.md";
const box = (page, name = "") => page.getByRole("textbox", { name: `Text of ${name}` });
const line = (page, text) => box(page).locator(".cm-line", { hasText: text });
const PNG = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", "base64");

/** written opens main with a text. */
async function written(page, mock, text) {
  mock.writeFile("lighthouse", "doc-main.md", text);
  await page.route("**/deed/**", (r) => (r.request().url().includes("lamp") ? r.fulfill({ contentType: "image/png", body: PNG }) : r.fulfill({ status: 404, body: "{}" })));
  await page.goto(mock.url + MAIN);
  await hasFocus(box(page));
}

/** stored saves main, and waits until its file has this text. */
async function stored(page, mock, text) {
  await page.keyboard.press("Control+s");
  await agrees(() => mock.projects.get("lighthouse").files.get("doc-main.md").content, text);
}

test("nothing that axe finds in a doc, its reading view, focus mode and outline", () => withWindow(async ({ page, mock }) => {
  await written(page, mock, SAMPLE);
  await accessible(page, "written");
  await page.keyboard.press("Control+Shift+O");
  await sees(page.getByRole("navigation", { name: /^Outline of / }).getByRole("button", { name: "How to work" }));
  await accessible(page, "outline");
  await page.keyboard.press("Control+Shift+E");
  await accessible(page, "focus");
  await page.keyboard.press("Control+e");
  await agrees(() => box(page).getAttribute("aria-readonly"), "true");
  await accessible(page, "reading");
}, WIDE));

test("each construct is drawn, and the text keeps its height while the cursor goes through it", () => withWindow(async ({ page, mock }) => {
  await written(page, mock, SAMPLE.replace(/^---[^]*?---\n/, "").replace(/əəə[^]*əəə\n/, ""));
  await sees(page.locator(".md-picture img"));
  await agrees(() => box(page).getByRole("checkbox").count(), 3);
  await agrees(() => page.locator(".md-head .md-cell").count(), 4);
  await agrees(() => line(page, "Gallery").evaluate((e) => getComputedStyle(e).display), "table-row");
  await agrees(() => line(page, "سطر").evaluate((e) => getComputedStyle(e).direction), "rtl");
  await agrees(() => line(page, "A small browser").evaluate((e) => getComputedStyle(e).direction), "ltr");
  await agrees(() => box(page).locator(".hidden-char").allTextContents(), ["U+200B", "U+202E"]);
  await agrees(() => box(page).locator(".md-link").allTextContents(), ["the story notes", "https://example.com/keepers"]);
  await agrees(() => box(page).locator(".code-keyword").allTextContents(), ["function", "return"]);
  const height = () => box(page).evaluate((e) => e.offsetHeight);
  await page.keyboard.press("Control+Home");
  const before = await height();
  for (let i = 0; i < 46; i++) {
    await page.keyboard.press("ArrowDown");
    assert.equal(await height(), before, `at step ${i}`);
  }
}, { width: 1280, height: 1900 }));

const box4 = (l) => l.evaluate((e) => { const s = getComputedStyle(e), r = e.getBoundingClientRect(); return { top: r.top + parseFloat(s.paddingTop), bottom: r.bottom - parseFloat(s.paddingBottom), em: parseFloat(s.fontSize) }; });

const inView = (l) => l.evaluate((e) => { const r = e.getBoundingClientRect(), s = e.closest(".cm-scroller").getBoundingClientRect(); return r.top >= s.top && r.bottom <= s.bottom; });

test("a heading is set close to its text, whatever blank lines stand around it, and + in its gap begins a paragraph", () => withWindow(async ({ page, mock }) => {
  const text = "# One\n\nunder one\n\n## Two\n\nunder two\n\n### Three\n\nunder three\n## Four\nunder four\n\nFive\n----\n\nunder five\n";
  await written(page, mock, text);
  for (const [name, above] of [["One", null], ["Two", "under one"], ["Three", "under two"], ["Four", "under three"], ["Five", "under four"]]) {
    const head = await box4(page.locator(".cm-line:is(.md-h1, .md-h2, .md-h3)", { hasText: name }));
    const below = await box4(line(page, name === "Five" ? "under five" : `under ${name.toLowerCase()}`));
    const last = name === "Five" ? await box4(line(page, "----")) : head;
    assert.ok(Math.abs(below.top - last.bottom - 0.35 * head.em) < 1, `${name}: ${(below.top - last.bottom) / head.em} em below`);
    if (above !== null) assert.ok(Math.abs(head.top - (await box4(line(page, above))).bottom - 1.2 * head.em) < 1, `${name}: ${(head.top - (await box4(line(page, above))).bottom) / head.em} em above`);
  }
  const gap = page.locator(".md-gap-below-2").first();
  const r = await gap.boundingBox();
  await page.mouse.click(r.x - 8, r.y + r.height / 2);
  await page.keyboard.type("new");
  await stored(page, mock, text.replace("## Two\n\n", "## Two\n\nnew\n\n"));
}));

test("the marks of a fence show at the cursor alone, and never in the reading view; nothing moves by that", () => withWindow(async ({ page, mock }) => {
  await written(page, mock, "# T\n\nfirst\n\n```js\nlet a;\n```\n\nlast\n");
  const seen = () => line(page, "```").evaluateAll((all) => all.map((e) => [...e.querySelectorAll("*"), e].some((x) => x.textContent.includes("`") && x.children.length === 0 && parseFloat(getComputedStyle(x).fontSize) > 0)));
  const top = () => line(page, "last").evaluate((e) => e.getBoundingClientRect().top);
  await agrees(seen, [false, false]);
  const before = await top();
  await line(page, "let a").click();
  await agrees(seen, [true, true]);
  assert.equal(await top(), before);
  await page.keyboard.press("Control+e");
  await agrees(seen, [false, false]);
  assert.equal(await top(), before);
}));

// What a screen reader is given of the text: its role, name, description and what it would write there, and the headings in it.
async function heard(page) {
  const c = await page.context().newCDPSession(page);
  const { nodes } = await c.send("Accessibility.getFullAXTree");
  const of = (n, name) => n.properties?.find((p) => p.name === name)?.value.value;
  const text = nodes.find((n) => !n.ignored && n.role.value === "textbox");
  const within = (n) => n !== undefined && (n === text || within(nodes.find((m) => m.nodeId === n.parentId)));
  return {
    description: text.description?.value ?? "",
    placeholder: await box(page).getAttribute("aria-placeholder"),
    headings: nodes.filter((n) => !n.ignored && n.role.value === "heading" && within(n)).map((n) => [of(n, "level"), n.name.value.replace(/^#+ /, "")]),
  };
}

test("a screen reader hears the levels of headings, how to leave the text, and what an empty one waits for", () => withWindow(async ({ page, mock }) => {
  await written(page, mock, "# One\n\nwords\n\n## Two\n\n#### Four\n\nUnder\n---\n\nlast\n");
  await agrees(() => heard(page), { description: "Tab indents. Escape, then Tab, leaves the text.", placeholder: null, headings: [[1, "One"], [2, "Two"], [4, "Four"], [2, "Under"]] });
  await page.keyboard.press("Escape");
  await page.waitForTimeout(3000); // what was heard may take its time
  await page.keyboard.press("Tab");
  await agrees(() => box(page).evaluate((e) => e === document.activeElement), false);
  await page.keyboard.press("Shift+Tab");
  await hasFocus(box(page));
  await page.keyboard.press("Tab");
  await hasFocus(box(page));
  await page.keyboard.press("Escape");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Tab");
  await hasFocus(box(page));
  await page.keyboard.press("Control+e");
  await agrees(async () => (await heard(page)).description, "");
  await page.keyboard.press("Control+e");
  await page.keyboard.press("Control+a");
  await page.keyboard.press("Delete");
  await agrees(async () => (await heard(page)).placeholder, "Write here what you want to exist.");
}));

test("a heading with a line below it is drawn as one, and that line shows at the cursor alone", () => withWindow(async ({ page, mock }) => {
  await written(page, mock, "Title\n=====\n\nfirst\n\nSecond\n---\n\nlast\n");
  await agrees(() => page.locator(".md-h1, .md-h2").evaluateAll((all) => all.map((e) => e.textContent)), ["Title", "=====", "Second", "---"]);
  const size = (text) => line(page, text).evaluate((e) => parseFloat(getComputedStyle(e.querySelector("span") ?? e).fontSize));
  assert.ok((await size("Title")) > 30 && (await size("Second")) > 24);
  const top = () => line(page, "last").evaluate((e) => e.getBoundingClientRect().top);
  await line(page, "last").click();
  assert.deepEqual([await size("====="), await size("---")], [0, 0]);
  const before = await top();
  await line(page, "Second").click();
  await agrees(async () => (await size("---")) > 10, true);
  assert.equal(await top(), before);
}));

test("a picture elsewhere tells its host, and what a plan keeps of an item is dim", () => withWindow(async ({ page, mock }) => {
  await written(page, mock, "# T\n\nfirst\n\nSee ![the map](https://maps.example.com/a.png) and ![](https://x.example.org/b.png).\n\n- **Lamp**: it turns {confidence=auto date=2026-02-16}\n- braces {as text} stay\n");
  await agrees(() => page.locator(".md-host").allTextContents(), ["Image at maps.example.com", "Image at x.example.org"]);
  await agrees(() => page.locator(".md-tags").allTextContents(), ["{confidence=auto date=2026-02-16}"]);
  const style = (l) => l.evaluate((e) => [getComputedStyle(e).color, parseFloat(getComputedStyle(e).fontSize)]);
  const [colour, size] = await style(page.locator(".md-tags")), [words, large] = await style(line(page, "it turns"));
  assert.ok(colour !== words && size < large * 0.8, `${colour} ${size}`);
}));

test("a picture elsewhere without words is its host alone, which a Ctrl click follows, and a break within a paragraph shows no mark; both show at the cursor", () => withWindow(async ({ page, mock, context }) => {
  await written(page, mock, "# T\n\nfirst\n\nSee ![](https://x.example.org/b.png) there.\n\nOne line\\\nand another\n");
  const width = (l, text) => line(page, l).evaluate((e, text) => {
    const all = document.createTreeWalker(e, NodeFilter.SHOW_TEXT), r = document.createRange();
    for (let n = all.nextNode(); n; n = all.nextNode()) {
      const at = n.data.indexOf(text);
      if (at < 0) continue;
      r.setStart(n, at);
      r.setEnd(n, at + text.length);
      return r.getBoundingClientRect().width;
    }
    return -1;
  }, text);
  await line(page, "first").click();
  await agrees(() => page.locator(".md-host").allTextContents(), ["Image at x.example.org"]);
  await agrees(async () => [(await width("See", "https")), (await width("One line", "\\"))], [0, 0]);
  await context.route("https://x.example.org/**", (r) => r.fulfill({ body: "" }));
  const came = context.waitForEvent("page");
  await page.locator(".md-host").click({ modifiers: ["Control"] });
  assert.equal((await came).url(), "https://x.example.org/b.png");
  await page.bringToFront();
  await line(page, "One line").click();
  await page.keyboard.press("End");
  await until(async () => (await width("One line", "\\")) > 0);
  await line(page, "See").click({ position: { x: 2, y: 8 } });
  for (let i = 0; i < 4; i++) await page.keyboard.press("ArrowRight");
  await until(async () => (await width("See", "https")) > 0);
}, { path: MAIN }));

test("a selection that ends at a footnote keeps its buttons free of the note", () => withWindow(async ({ page, mock }) => {
  await written(page, mock, "# T\n\nfirst\n\nThe lamp[^1] turned.\n\n[^1]: It was cold.\n");
  const ref = box(page).locator(".md-ref").first(), shown = page.locator(".md-note-box:not([hidden])");
  await ref.hover();
  await agrees(() => shown.count(), 1);
  const [from, to] = [await line(page, "The lamp").boundingBox(), await ref.boundingBox()];
  await page.mouse.move(from.x + 1, to.y + to.height);
  await page.mouse.down();
  await page.mouse.move(to.x + to.width - 1, to.y + to.height / 2, { steps: 5 });
  await page.mouse.up();
  const ask = page.getByRole("button", { name: /^Ask/ });
  await sees(ask);
  await ask.hover({ timeout: 5000 });
  await agrees(() => shown.count(), 0);
  await ask.click();
  await sees(page.getByRole("textbox", { name: "Ask about this passage" }));
}, { path: MAIN }));

test("Ctrl Enter where nothing leads on changes nothing", () => withWindow(async ({ page, mock }) => {
  await written(page, mock, "# T\n\nfirst\n\nlast\n");
  await line(page, "first").click();
  await page.keyboard.press("End");
  await page.keyboard.press("Control+Enter");
  await page.keyboard.insertText("!");
  await agrees(() => box(page).locator(".cm-line").allTextContents(), ["# T", "", "first!", "", "last", ""]);
}, { path: MAIN }));

test("a footnote is a raised number with its note in a box, and Ctrl click leads there and back", () => withWindow(async ({ page, mock }) => {
  const text = `# T\n\nfirst\n\nThe lamp[^1] turned[^far] and [^none].\n\n[^1]: It was *cold*, see [notes](doc-notes.md).\n\n${"more words\n\n".repeat(60)}[^far]: The other.\n`;
  await written(page, mock, text);
  const ref = (label) => box(page).locator(".md-ref", { hasText: new RegExp(`^${label}$`) }).first();
  const shown = page.locator(".md-note-box:not([hidden])");
  await agrees(() => line(page, "The lamp").locator(".md-ref").allTextContents(), ["1", "far"]);
  const raised = await ref("1").evaluate((e) => e.parentElement.getBoundingClientRect().bottom - e.getBoundingClientRect().bottom);
  assert.ok(raised > 8, `${raised}`);
  const top = () => line(page, "more words").first().evaluate((e) => e.getBoundingClientRect().top);
  const before = await top();
  await ref("1").hover();
  await agrees(() => shown.allTextContents(), ["It was cold, see notes."]);
  await agrees(() => shown.locator("em").allTextContents(), ["cold"]);
  await page.mouse.move(2, 2);
  await line(page, "first").hover();
  await gone(shown);
  await ref("1").click();
  await page.mouse.move(2, 2);
  await agrees(() => shown.allTextContents(), ["It was cold, see notes."]);
  assert.equal(await top(), before, "nothing moves by that");
  await ref("far").click({ modifiers: ["Control"] });
  await agrees(() => inView(line(page, "The other.")), true);
  await gone(shown);
  await page.keyboard.press("Control+Enter");
  await agrees(() => inView(line(page, "The lamp")), true);
  await agrees(() => shown.allTextContents(), ["The other."]);
  await page.keyboard.press("Control+e");
  await page.keyboard.press("Control+Home");
  await agrees(() => line(page, "It was").count(), 0); // a note is not in the middle of what is read
  await ref("1").hover();
  await agrees(() => shown.count(), 1);
  await page.keyboard.press("Control+End");
  await agrees(() => page.locator(".md-notes").allTextContents(), ["1 It was cold, see notes.far The other."]);
  await agrees(() => page.locator(".md-notes em").allTextContents(), ["cold"]);
  await page.locator(".md-notes .md-ref").first().click();
  await agrees(() => inView(line(page, "The lamp")), true);
  await ref("1").click();
  await agrees(() => inView(page.locator(".md-notes")), true);
  await page.keyboard.press("Control+e");
  await page.keyboard.press("Control+Home");
  await page.keyboard.type("!");
  await stored(page, mock, `!${text}`);
}));

test("an item that is further in stands under the words of the one it belongs to, and its later lines under its own", () => withWindow(async ({ page, mock }) => {
  await written(page, mock, "# T\n\nfirst\n\n- Alpha\n  - Beta and on ".concat("and on ".repeat(20), "\n\n    Gamma\n      - Delta\n\n1. Eins\n   - Zwei\n"));
  const left = (word) => line(page, word).evaluate((e, word) => {
    const texts = document.createTreeWalker(e, NodeFilter.SHOW_TEXT);
    for (let t; (t = texts.nextNode());) {
      const at = t.data.indexOf(word);
      if (at < 0) continue;
      const r = document.createRange();
      r.setStart(t, at);
      r.setEnd(t, at + 1);
      return r.getBoundingClientRect().left;
    }
  }, word);
  const dot = (word) => line(page, word).locator(".md-bullet").evaluate((e) => e.getBoundingClientRect().left);
  const near = (a, b, what) => assert.ok(Math.abs(a - b) <= 2, `${what}: ${a} and ${b}`);
  near(await dot("Beta"), await left("Alpha"), "a dot under the words above");
  near(await dot("Zwei"), await left("Eins"), "also below a number");
  near(await left("Gamma"), await left("Beta"), "a second paragraph under the first");
  const rows = await line(page, "Beta").evaluate((e) => { const r = document.createRange(); r.selectNodeContents(e); return [...r.getClientRects()].filter((x) => x.width > 50).map((x) => x.left); });
  near(rows.at(-1), await left("Beta"), "a line that goes on under the first");
}));

test("a hidden mark never parts a word from its comma", () => withWindow(async ({ page, mock }) => {
  await written(page, mock, `# T\n\nx\n\n${"wide words go on and on **here**, [there](doc-a-b-c-d.md), `so`; ".repeat(40)}\n`);
  const parted = await line(page, "wide words").evaluate((e) => {
    const out = [];
    const walk = document.createTreeWalker(e, NodeFilter.SHOW_TEXT);
    let last = null;
    for (let t; (t = walk.nextNode());) {
      if (t.parentElement.closest(".md-hidden")) continue;
      const r = document.createRange();
      if (/^[,;]/.test(t.data) && last) {
        r.setStart(t, 0); r.setEnd(t, 1);
        const comma = r.getBoundingClientRect();
        r.setStart(last, last.data.length - 1); r.setEnd(last, last.data.length);
        if (Math.abs(comma.bottom - r.getBoundingClientRect().bottom) > 12) out.push(last.data.slice(-12));
      }
      last = t;
    }
    return out;
  });
  assert.deepEqual(parted, []);
}));

test("blocks of schwas and front matter are folded, open at a click and when the cursor comes, and are saved as they are", () => withWindow(async ({ page, mock }) => {
  await written(page, mock, SAMPLE);
  const front = page.getByRole("button", { name: "Front matter" });
  const rules = page.getByRole("button", { name: "How agents work here" });
  await sees(front);
  assert.equal(await box(page).getByText("title: The Lighthouse").count(), 0);
  await page.keyboard.press("Control+Home");
  await sees(line(page, "title: The Lighthouse"));
  await page.getByRole("button", { name: "Fold" }).click();
  await sees(front);
  await page.keyboard.press("Control+End");
  await rules.click();
  await page.keyboard.insertText("# ");
  await sees(line(page, "# - verify"));
  await stored(page, mock, SAMPLE.replace("- verify", "# - verify"));
}, { height: 1900 }));

test("links are followed by Ctrl+click and by the button at the cursor; [1] is none", () => withWindow(async ({ page, mock, context }) => {
  const d = mock.addDialog("lighthouse", "story");
  mock.writeFile("lighthouse", "doc-notes.md", "# Notes\n\nwords\n\n## Far below\n\nthere\n");
  await context.route("https://example.com/**", (r) => r.fulfill({ body: "far" }));
  await written(page, mock, `# Main\n\nfirst\n\n[notes](doc-notes.md#far-below) [below](#end) [talk](dialog-${d.id}-waiting.md) [gone](doc-new.md) [web](https://example.com/x) [pic](deed/lamp.png) [made](deed/a.zip) [bare](game/index.html) [bad](javascript:alert) [1]\n\n## End\n\nlast\n`);
  const follow = (text) => box(page).locator(".md-link", { hasText: text }).click({ modifiers: ["Control"] });
  await follow("web");
  await until(() => context.pages().length === 2);
  assert.equal(await context.pages()[1].evaluate(() => window.opener), null);
  await follow("below");
  await page.keyboard.insertText("@");
  await sees(line(page, "@## End"));
  await page.keyboard.press("Backspace");
  // A file of the deed is shown where what was made is shown, also a picture and one without the folder's name.
  const leads = async (click, end) => {
    await click();
    await until(() => page.url().endsWith(`#/project/lighthouse/deed/${end}`));
    await page.goBack();
    await sees(box(page));
  };
  await leads(() => follow("made"), "a.zip");
  await leads(() => follow("bare"), "game/index.html");
  await leads(async () => {
    await box(page).locator(".md-link", { hasText: "pic" }).click();
    await page.locator(".md-follow").click();
  }, "lamp.png");
  await page.keyboard.press("Control+e");
  await agrees(() => box(page).getAttribute("aria-readonly"), "true");
  await leads(() => box(page).locator(".md-link", { hasText: "pic" }).click(), "lamp.png");
  await page.keyboard.press("Control+e");
  await follow("bad");
  await sees(page.getByText("This link can't be followed from here: javascript:alert"));
  assert.equal(await box(page).locator(".md-link", { hasText: "1" }).count(), 0);
  await follow("talk");
  await sees(page.getByRole("heading", { name: "story", level: 1 }));
  await page.getByRole("link", { name: "Docs" }).click();
  await box(page).locator(".md-link", { hasText: "notes" }).click();
  await page.locator(".md-follow").click();
  await hasFocus(box(page, "notes"));
  await page.keyboard.insertText("@");
  await sees(box(page, "notes").getByText("@## Far below"));
  await page.getByRole("button", { name: "Discard" }).click();
  await page.getByRole("link", { name: /\bmain$/i }).click();
  await follow("gone");
  await page.getByRole("dialog", { name: "There is no doc “new” yet." }).locator("[aria-disabled=false]").getByRole("button", { name: "Create it" }).click();
  await hasFocus(box(page, "new"));
  assert.equal(mock.projects.get("lighthouse").files.get("doc-new.md").content, "# new\n\n");
}));

test("a click between hidden marks puts the cursor where it is", () => withWindow(async ({ page, mock }) => {
  await written(page, mock, "# Main\n\nfirst\n\n[notes](doc-notes.md#far-below) [below](#end) [talk](dialog-20260216-201000-story-waiting.md) *some* **bold** `code` [web](https://example.com/x) and on until it has to wrap *there* [pic](deed/lamp.png), [made](deed/a.zip), [bad](javascript:alert) [1]\n\nend\n");
  const spots = () => line(page, "[notes]").evaluate((e) => {
    const out = [];
    const walk = document.createTreeWalker(e, NodeFilter.SHOW_TEXT);
    for (let n = 0, t; (t = walk.nextNode()); n += t.data.length) {
      if (t.parentElement.closest(".md-hidden") || t.data.trim() === "") continue;
      const r = document.createRange();
      r.setStart(t, 0);
      r.setEnd(t, 1);
      const box = r.getBoundingClientRect();
      for (const part of [0.2, 0.8]) out.push({ n, x: box.left + box.width * 0.2, y: box.top + box.height * part });
    }
    return out;
  });
  const wrong = [];
  for (let i = 0, all; (all = await spots()), i < all.length; i++) {
    await page.mouse.click(all[i].x, all[i].y);
    const at = () => page.evaluate(() => {
      const s = getSelection(), r = document.createRange(), own = s.anchorNode.parentElement.closest(".cm-line");
      if (!own) return -1;
      r.setStart(own, 0);
      r.setEnd(s.anchorNode, s.anchorOffset);
      return r.toString().length;
    });
    if ((await at()) !== all[i].n) wrong.push([all[i], await at()]);
    await page.keyboard.press("Control+End");
  }
  assert.deepEqual(wrong, []);
}));

test("Ctrl+B and Ctrl+I, lists, tasks and quotes go on with Enter, and Tab goes further in", () => withWindow(async ({ page, mock }) => {
  await written(page, mock, "# T\n\n");
  const keys = async (...all) => { for (const k of all) await page.keyboard.press(k); };
  const say = (t) => page.keyboard.insertText(t);
  await say("bold word");
  await keys("Control+b");
  await keys("End", "Enter", "Enter");
  await say("thin");
  await keys("Control+i", "Control+i", "Enter", "Enter");
  await say("- one");
  await keys("Enter");
  await say("two");
  await keys("Tab", "Enter");
  await say("three");
  await keys("Shift+Tab", "Enter", "Enter");
  await say("- [ ] task");
  await keys("Enter");
  await say("again");
  await keys("Enter", "Enter");
  await say("> quote");
  await keys("Enter");
  await say("on");
  const text = "# T\n\nbold **word**\n\nthin\n\n- one\n  - two\n- three\n\n- [ ] task\n- [ ] again\n\n> quote\n> on";
  await stored(page, mock, text);
  await page.getByRole("checkbox", { name: "task" }).click();
  await stored(page, mock, text.replace("- [ ] task", "- [x] task"));
}));

for (const [name, before, after] of [
  ["at the end", "- one\n- two", "- one\n- two\n\nNext."],
  ["of numbers and tasks", "1. one\n2. [ ] two", "1. one\n2. [ ] two\n\nNext."],
  ["in the middle", "- one\n- two<\n- three\n", "- one\n- two\n\nNext.\n\n- three\n"],
  ["with blank lines", "- one\n\n- two<\n\nBelow.\n", "- one\n\n- two\n\nNext.\n\nBelow.\n"],
  ["before a paragraph", "- one\n- two<\n\nBelow.\n", "- one\n- two\n\nNext.\n\nBelow.\n"],
]) {
  test(`Enter twice ends a list: ${name}`, () => withWindow(async ({ page, mock }) => {
    await written(page, mock, before.replace("<", ""));
    await page.keyboard.press("Control+End");
    if (before.includes("<")) await line(page, "two").click();
    await page.keyboard.press("End");
    await page.keyboard.press("Enter");
    await page.keyboard.press("Enter");
    await page.keyboard.insertText("Next.");
    await stored(page, mock, after);
  }));
}

test("words that are written between Ctrl+B and Ctrl+B are bold, and what follows is not", () => withWindow(async ({ page, mock }) => {
  await written(page, mock, "# T\n\n");
  for (const [say, key] of [["She said ", "b"], ["no", "b"], [" and ", "i"], ["left", "i"], [". ", "b"], ["all ", "i"], ["of", "i"], [" it", "b"], [".", ""]]) {
    await page.keyboard.insertText(say);
    if (key !== "") await page.keyboard.press(`Control+${key}`);
  }
  await stored(page, mock, "# T\n\nShe said **no** and *left*. **all *of* it**.");
}));

test("the reading view shows no marks and takes no letters; the outline leads by keys alone", () => withWindow(async ({ page, mock }) => {
  await written(page, mock, SAMPLE);
  await page.keyboard.press("Control+e");
  await agrees(() => box(page).getAttribute("aria-readonly"), "true");
  await page.keyboard.press("x");
  assert.equal(await page.getByText("Not saved").count(), 0);
  await agrees(() => page.locator(".md-margin").count(), 0);
  // The text takes letters from the key on, not from the next frame on.
  assert.equal(await box(page).evaluate((e) => {
    e.dispatchEvent(new KeyboardEvent("keydown", { key: "e", ctrlKey: true, bubbles: true }));
    return e.getAttribute("aria-readonly");
  }), null);
  await page.keyboard.press("Control+Shift+O");
  const todo = page.getByRole("navigation", { name: /^Outline of / }).getByRole("button", { name: "To do" });
  await todo.focus();
  await page.keyboard.press("Enter");
  await hasFocus(box(page));
  await page.keyboard.insertText("@");
  await sees(line(page, "@### To do"));
  await page.getByRole("button", { name: "Keys" }).click();
  await sees(page.getByRole("dialog", { name: "Keys in a doc" }).getByText("Escape, then Tab"));
  await page.keyboard.press("Escape");
  await gone(page.getByRole("dialog"));
}));
