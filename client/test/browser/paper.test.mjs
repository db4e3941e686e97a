// What is printed is the whole text as it is read, and nothing of the window around it.
import { test } from "node:test";
import assert from "node:assert/strict";
import { agrees, counts, sees, withWindow } from "./browser.mjs";
import { pdfWords } from "./pdfwords.mjs";

const MAIN = "#/project/lighthouse/docs/doc-main.md";
const box = (page) => page.getByRole("textbox", { name: /^Text of/ });

function withEssay(content, run) {
  return withWindow(async (all) => {
    all.mock.writeFile("lighthouse", "doc-main.md", content);
    await all.page.goto(all.mock.url + MAIN);
    await sees(box(all.page).getByText("Essay", { exact: true }));
    await run(all);
  });
}

const PARAGRAPHS = 300, EVERY = 10;
const essay = () => {
  const words = "The keeper wrote down each night what the lamp had burned and what the sea had brought to the door of the tower. ".repeat(4);
  const all = ["# Essay"];
  for (let n = 1; n <= PARAGRAPHS; n++) all.push(`Paragraph ${n}. ${words}${n % EVERY === 0 ? `[^${n}]` : ""}`);
  for (let n = EVERY; n <= PARAGRAPHS; n += EVERY) all.push(`[^${n}]: Note ${n} of the *essay*.`);
  return all.join("\n\n") + "\n";
};

const numbers = (words, what) => [...words.matchAll(what)].map((m) => Number(m[1]));
const upTo = (n, by = 1) => Array.from({ length: n / by }, (_, i) => (i + 1) * by);

test("a long text is printed to its end with all of its notes, also at once after it was opened, and without the window's words", () => withEssay(essay(), async ({ page }) => {
  for (const reading of [false, true]) {
    if (reading) await page.keyboard.press("Control+e");
    const pages = pdfWords(await page.pdf()), all = pages.join("");
    assert.deepEqual(numbers(all, /Paragraph(\d+)\./g), upTo(PARAGRAPHS), `paragraphs, reading: ${reading}`);
    assert.deepEqual(numbers(all, /Note(\d+)oftheessay\./g), upTo(PARAGRAPHS, EVERY), `notes, reading: ${reading}`);
    assert.deepEqual(pages[0].match(/Essay|main|Saved|words|agents/g), ["Essay", "Essay"], "the title and the heading, and nothing of the window");
  }
  await counts(box(page).getByText(`Paragraph ${PARAGRAPHS}.`), 0); // what is not in view is drawn on paper alone
}));

test("a comment within a footnote is not printed, nor read in the reading view, with its passage and the suggestions as before", () => withEssay("# Essay\n\nOne.[^1]\n\n[^1]: See {==Woolf==}{>>a private word<<}, {++not ++}p. 3, [[2]](https://example.org/w).\n\nLast.\n", async ({ page }) => {
  const note = page.locator(".md-notes .md-note"), words = "1 See Woolf, p. 3, [2] (https://example.org/w).";
  await page.keyboard.press("Control+e");
  await agrees(() => note.allTextContents(), [words]);
  await page.getByRole("button", { name: "Show comments at the end" }).click();
  await page.keyboard.press("Control+e");
  await counts(note, 0);
  const paper = pdfWords(await page.pdf()).join("");
  assert.ok(paper.includes(words.replaceAll(" ", "")) && !/private|[{}]/.test(paper), paper);
}));
