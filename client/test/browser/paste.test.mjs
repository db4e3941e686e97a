// What comes with a form from other programs becomes markdown.
import { test } from "node:test";
import assert from "node:assert/strict";
import { agrees, counts, sees, withWindow } from "./browser.mjs";

const MAIN = "#/project/lighthouse/docs/doc-main.md";
const box = (page) => page.getByRole("textbox", { name: /^Text of/ });
const text = async (page, mock) => {
  await page.keyboard.press("Control+s");
  await sees(page.getByText(/^Saved/));
  return mock.projects.get("lighthouse").files.get("doc-main.md").content;
};

// As the browser does where something is pasted.
function paste(page, html, plain, type = "text/html") {
  return box(page).evaluate((el, [html, plain, type]) => {
    const data = new DataTransfer();
    if (html !== "") data.setData(type, html);
    data.setData("text/plain", plain);
    el.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
  }, [html, plain, type]);
}

const WORD = `<html xmlns:o="urn:schemas-microsoft-com:office:office"><head><style>p.MsoNormal{margin:0}</style><!--[if gte mso 9]><xml></xml><![endif]--></head><body lang=EN-GB><!--StartFragment-->
<p class=MsoTitle>The lamp<o:p></o:p></p>
<h2>What burns</h2>
<p class=MsoNormal>The <b style='mso-bidi-font-weight:normal'>oil</b> is <i style='mso-bidi-font-style:normal'>good</i><a style='mso-footnote-id:ftn1' href="#_ftn1" name="_ftnref1" title=""><span class=MsoFootnoteReference><span style='mso-special-character:footnote'><![if !supportFootnotes]>[1]<![endif]></span></span></a>, and <span style='mso-spacerun:yes'> </span>costs 5*6 = 30.<o:p></o:p></p>
<p class=MsoListParagraphCxSpFirst style='text-indent:-18.0pt;mso-list:l0 level1 lfo1'><![if !supportLists]><span style='font-family:Symbol'><span style='mso-list:Ignore'>·<span style='font:7.0pt "Times New Roman"'>&nbsp;&nbsp; </span></span></span><![endif]>Wick</p>
<p class=MsoListParagraphCxSpMiddle style='text-indent:-18.0pt;mso-list:l0 level2 lfo1'><![if !supportLists]><span style='mso-list:Ignore'>1.<span>&nbsp; </span></span><![endif]>round</p>
<p class=MsoListParagraphCxSpMiddle style='text-indent:-18.0pt;mso-list:l0 level2 lfo1'><![if !supportLists]><span style='mso-list:Ignore'>2.<span>&nbsp; </span></span><![endif]>flat</p>
<p class=MsoListParagraphCxSpLast style='text-indent:-18.0pt;mso-list:l0 level1 lfo1'><![if !supportLists]><span style='mso-list:Ignore'>·<span>&nbsp; </span></span><![endif]>Glass</p>
<p class=MsoIntenseQuote>A light that nobody sees.</p>
<table class=MsoTableGrid border=1><tr><td><p class=MsoNormal><b>Hour</b></p></td><td><p class=MsoNormal>Wind | sea</p></td></tr><tr><td><p class=MsoNormal>21</p></td><td><p class=MsoNormal>SW 6</p></td></tr></table>
<p class=MsoNormal><img src="file:///C:/Temp/clip.png" alt="A chart"> <a href="javascript:alert(1)">no</a> <a href="https://example.org/a">yes</a></p>
<div style='mso-element:footnote-list'><hr size=1><div style='mso-element:footnote' id=ftn1><p class=MsoFootnoteText><a style='mso-footnote-id:ftn1' href="#_ftnref1" name="_ftn1"><span class=MsoFootnoteReference>[1]</span></a> From <i>whales</i>.</p><p class=MsoFootnoteText>And seals.</p></div></div>
<!--EndFragment--></body></html>`;

const DOCS = `<meta charset='utf-8'><b style="font-weight:normal;" id="docs-internal-guid-1"><h1 dir="ltr" style="line-height:1.38"><span style="font-size:20pt;font-weight:400;white-space:pre-wrap;">The lamp</span></h1><p dir="ltr"><span style="font-weight:400;white-space:pre-wrap;">It is </span><span style="font-weight:700;">bright</span><span style="font-style:italic;"> and old</span><span style="text-decoration:line-through;">, or new</span><span>.</span></p><ul><li dir="ltr" aria-level="1"><p dir="ltr"><span>one</span></p></li><ul><li dir="ltr" aria-level="2"><p><span>one a</span></p></li></ul><li><p><span>two</span></p></li></ul><br /></b>`;

const WEB = `<p>Light<sup id="cite_ref-1"><a href="https://w.example/Lamp#cite_note-1">[1]</a></sup> travels<sup id="cite_ref-2"><a href="#cite_note-2">[2]</a></sup>.</p><script>alert(1)</script><p style="display:none">hidden</p><blockquote><p>Said <code>he_said</code></p></blockquote><pre><code class="language-js">a * b;\n</code></pre><p><img src="https://w.example/a.png" alt="A lamp"></p><ol start="3"><li>three</li><li>four</li></ol><ol><li id="cite_note-1"><a href="#cite_ref-1">^</a> Newton.</li><li id="cite_note-2"><a href="#cite_ref-2">^</a> Huygens.</li></ol>`;

const begin = async (page) => {
  await sees(box(page));
  await box(page).press("Control+a");
  await page.keyboard.press("Delete");
};

for (const [name, html, want] of [
  ["Word", WORD, "# The lamp\n\n## What burns\n\nThe **oil** is *good*[^1], and costs 5\\*6 = 30.\n\n- Wick\n  1. round\n  2. flat\n- Glass\n\n> A light that nobody sees.\n\n| **Hour** | Wind \\| sea |\n| --- | --- |\n| 21 | SW 6 |\n\n(A picture is missing here: A chart. Copy it alone and paste it here.) no [yes](https://example.org/a)\n\n[^1]: From *whales*.\n\n    And seals."],
  ["Google Docs", DOCS, "# The lamp\n\nIt is **bright** *and old*~~, or new~~.\n\n- one\n  - one a\n- two"],
  ["a web page", WEB, "Light[^1] travels[^2].\n\n> Said `he_said`\n\n```js\na * b;\n```\n\n![A lamp](https://w.example/a.png)\n\n3. three\n4. four\n\n[^1]: Newton.\n\n[^2]: Huygens."],
]) {
  test(`what is pasted from ${name} keeps its form, and nothing else`, () => withWindow(async ({ page, mock }) => {
    await begin(page);
    await paste(page, html, "plain words");
    await sees(box(page).getByText(/lamp|Light/).first());
    assert.equal(await text(page, mock), want);
    // It is taken back at once, and pasted as text by its own key, which brings no html.
    await page.keyboard.press("Control+z");
    await paste(page, "", "plain words");
    assert.equal(await text(page, mock), "plain words");
  }, { path: MAIN }));
}

test("a numbered item behind a bullet stays numbered, and a bullet behind it a bullet, at each level", () => withWindow(async ({ page, mock }) => {
  await begin(page);
  const item = (level, mark, words) => `<p class=MsoListParagraph style='mso-list:l0 level${level} lfo1'><span style='mso-list:Ignore'>${mark}<span>&nbsp; </span></span>${words}</p>`;
  await paste(page, `<html><body>${item(1, "·", "Wick")}${item(2, "·", "flat")}${item(2, "1.", "cut it")}${item(1, "1.", "Fill")}${item(1, "2.", "Light")}${item(1, "·", "Glass")}</body></html>`, "x");
  await sees(box(page).getByText("Glass"));
  await agrees(() => text(page, mock), "- Wick\n\n  - flat\n\n  1. cut it\n\n1. Fill\n2. Light\n\n- Glass");
}, { path: MAIN }));

test("footnotes that are pasted take names that the text does not have", () => withWindow(async ({ page, mock }) => {
  await begin(page);
  await page.keyboard.insertText("Old[^1].\n\n[^1]: mine\n\n");
  await paste(page, WEB.slice(0, WEB.indexOf(" travels")) + "</p>" + WEB.slice(WEB.lastIndexOf("<ol>")), "x");
  await sees(box(page).getByText("Newton."));
  assert.match(await text(page, mock), /^Old\[\^1\]\.\n\n\[\^1\]: mine\n\nLight\[\^2\].*\n\n\[\^2\]: Newton\.$/s);
}, { path: MAIN }));

test("the notes of what is pasted within a sentence go to the text's end, and the cursor stands behind the words", () => withWindow(async ({ page, mock }) => {
  await begin(page);
  await page.keyboard.insertText("Mine[^1] before and after.\n\n[^1]: mine\n");
  await page.keyboard.press("Control+Home");
  for (let i = 0; i < "Mine[^1] before ".length; i++) await page.keyboard.press("ArrowRight");
  const note = (words) => `<p>${words}<a href="#_ftn1" name="_ftnref1"><span>[1]</span></a></p><div><div id=ftn1><p><a href="#_ftnref1" name="_ftn1"><span>[1]</span></a> Woolf, p. 3.</p></div></div>`;
  for (const taken of [true, false]) {
    await paste(page, note("theirs"), "x");
    await sees(box(page).getByText("Woolf, p. 3."));
    if (!taken) continue;
    await page.keyboard.press("Control+z"); // one key takes back all of it
    await agrees(() => text(page, mock), "Mine[^1] before and after.\n\n[^1]: mine\n");
  }
  await page.keyboard.insertText(", I say ");
  await agrees(() => text(page, mock), "Mine[^1] before theirs[^2], I say and after.\n\n[^1]: mine\n\n[^2]: Woolf, p. 3.\n");
  // At the end of a text, too.
  await page.keyboard.press("Control+a");
  await paste(page, note("theirs"), "x");
  await sees(box(page).getByText("[^3]: Woolf, p. 3."));
  await page.keyboard.insertText(".");
  await agrees(() => text(page, mock), "theirs[^3].\n\n[^3]: Woolf, p. 3.");
}, { path: MAIN }));

for (const [into, want] of [
  ["> Said: ", "> Said: one\n>\n> two\n>\n> - three\n> - four"],
  ["- Said: ", "- Said: one\n\n  two\n\n  - three\n  - four"],
  ["> 1. Said: ", "> 1. Said: one\n>\n>    two\n>\n>    - three\n>    - four"],
  ["[^1]: Said: ", "[^1]: Said: one\n\n    two\n\n    - three\n    - four"],
]) {
  test(`what is pasted into ${into} stays in it`, () => withWindow(async ({ page, mock }) => {
    await begin(page);
    await page.keyboard.insertText(into);
    await paste(page, "<p>one</p><p>two</p><ul><li>three<li>four</ul>", "x");
    await sees(box(page).getByText("four"));
    await agrees(() => text(page, mock), want);
  }, { path: MAIN }));
}

test("a list that is pasted into an empty item goes on with its list", () => withWindow(async ({ page, mock }) => {
  await begin(page);
  await page.keyboard.insertText("- one\n- ");
  await paste(page, "<ul><li>two<li>three</ul>", "x");
  await sees(box(page).getByText("three"));
  await agrees(() => text(page, mock), "- one\n- two\n- three");
}, { path: MAIN }));

test("italics and bold from Word stay where it tells of another script's look", () => withWindow(async ({ page, mock }) => {
  await begin(page);
  await paste(page, "<p><i style='mso-bidi-font-style:normal'>fever</i>, <b style='mso-bidi-font-weight:normal'>bold</b>, <b style='mso-bidi-font-weight:normal'><i style='mso-bidi-font-style:normal'>both</i></b>, <i style='font-style:normal'>neither</i>, <span style='mso-bidi-font-style:italic'>nor</span></p>", "x");
  await sees(box(page).getByText("fever"));
  await agrees(() => text(page, mock), "*fever*, **bold**, ***both***, neither, nor");
}, { path: MAIN }));

for (const [what, html, block] of [
  ["a heading", "<h2>Method</h2>", "## Method"],
  ["a list", "<ul><li>a<li>b</ul>", "- a\n- b"],
  ["a quotation", "<blockquote>q</blockquote>", "> q"],
  ["a table", "<table><tr><td>A<td>B</table>", "| A | B |\n| --- | --- |"],
  ["code", "<pre>a = 1</pre>", "```\na = 1\n```"],
]) {
  test(`${what} that is pasted into a line stands apart from its words`, () => withWindow(async ({ page, mock }) => {
    const came = async () => (await box(page).locator(".cm-line").count()) > 1;
    for (const [before, behind, want] of [["Before. ", "", `Before.\n\n${block}`], ["Before. ", " Behind.", `Before.\n\n${block}\n\nBehind.`], ["> Before.", " Behind.", `> Before.\n>\n${block.replace(/^/gm, "> ")}\n>\n> Behind.`]]) {
      await begin(page);
      await page.keyboard.insertText(before + behind);
      for (let i = 0; i < behind.length; i++) await page.keyboard.press("ArrowLeft");
      await paste(page, html, "x");
      await agrees(came, true);
      await agrees(async () => (await text(page, mock)).trimEnd(), want);
    }
    // What is typed next is no part of code or of a table.
    await begin(page);
    await page.keyboard.insertText("Before.");
    await paste(page, html, "x");
    await agrees(came, true);
    await agrees(async () => (await text(page, mock)).trimEnd(), `Before.\n\n${block}`);
    await page.keyboard.insertText("more");
    await agrees(() => text(page, mock), `Before.\n\n${block}${/code|table/.test(what) ? "\n\n" : ""}more`);
  }, { path: MAIN }));
}

test("words that look like a comment or a suggestion stay words", () => withWindow(async ({ page, mock }) => {
  await begin(page);
  await paste(page, "<p>{++no++} {--no--} {~~a~>b~~} {==c==}{&gt;&gt;x&lt;&lt;} and <code>{++d++}</code></p>", "x");
  await sees(box(page).getByText("{++no++}"));
  await agrees(() => text(page, mock), "\\{++no++} \\{--no--} \\{\\~~a~>b\\~~} \\{==c==}\\{>>x<<} and `{++d++}`");
  await counts(page.getByRole("button", { name: "Keep" }), 0);
}, { path: MAIN }));

test("a link to a note of the web is a link with its brackets", () => withWindow(async ({ page, mock }) => {
  await begin(page);
  await paste(page, `<p>Light<sup><a href="https://w.example/Lamp#n1">[1]</a></sup> travels.</p>`, "x");
  await agrees(() => box(page).locator(".md-link").allTextContents(), ["[1]"]);
  await agrees(() => text(page, mock), "Light[[1]](https://w.example/Lamp#n1) travels.");
}, { path: MAIN }));

test("raised numbers keep what they say, and words of an item stay apart", () => withWindow(async ({ page, mock }) => {
  await begin(page);
  await paste(page, `<p>10<sup>5</sup>, 10<span style="vertical-align:super">−2k</span>, H<sub>2</sub>O, 19<sup>th</sup>, x<sup><a href="https://w.example">[7]</a></sup></p><ul><li>five<p>more</p></li><li><p>six</p><ul><li>seven</li></ul></li></ul><p><img src="file:///C:/a.png" alt=""></p>`, "x");
  await sees(box(page).getByText("seven"));
  await agrees(() => text(page, mock), "10⁵, 10^(−2k), H₂O, 19th, x[[7]](https://w.example)\n\n- five\n\n  more\n- six\n  - seven\n\n(A picture is missing here. Copy it alone and paste it here.)");
}, { path: MAIN }));

test("an address over words becomes a link; source, and what comes into code, stays text", () => withWindow(async ({ page, mock }) => {
  await begin(page);
  await page.keyboard.insertText("See the lamp");
  for (let i = 0; i < 4; i++) await page.keyboard.press("Shift+ArrowLeft");
  await paste(page, "<a href='https://w.example/a_(b)'>https://w.example/a_(b)</a>", "https://w.example/a_(b)");
  assert.equal(await text(page, mock), "See the [lamp](https://w.example/a_%28b%29)");
  await page.keyboard.insertText("\n\n");
  await paste(page, `<meta charset='utf-8'><div style="color: #ccc;font-family: Menlo, monospace;white-space: pre;"><div><span>a = b * c * d</span></div></div>`, "a = b * c * d");
  await page.keyboard.insertText("\n\n```\n");
  await paste(page, "<b>bold</b>", "bold");
  await agrees(() => text(page, mock), "See the [lamp](https://w.example/a_%28b%29)\n\na = b * c * d\n\n```\nbold");
}, { path: MAIN }));
