// What WCAG asks of each view beside what axe finds: room at 320 px, other spacing of the
// text, and targets that a hand can hit.
import { test } from "node:test";
import assert from "node:assert/strict";
import { sees, withWindow } from "./browser.mjs";

const SPACED = "* { line-height: 1.5 !important; letter-spacing: 0.12em !important; word-spacing: 0.16em !important } p { margin-block-end: 2em !important }";
const LONG = "Write of the keeper who counts each turn of the lamp";

// The views in which people spend their time, one after the other.
async function views(page, mock, look) {
  for (const name of ["oil", "storm"]) mock.rest(mock.addDialog("lighthouse", name, "claude", "claude-test", { title: `${LONG}, ${name}` }), "waiting", "reply");
  mock.writeFile("lighthouse", "doc-plan.md", `# Plan\n\n${LONG}, and see [main](doc-main.md) for the rest of it.\n\n- [ ] one\n- [ ] two\n`);
  const asks = mock.addDialog("lighthouse", "map", "claude", "claude-test", { title: "Draw the map" });
  mock.append(asks, "User", "input/markdown", "Please draw the map.");
  mock.ask(asks);
  await page.goto(`${mock.url}#/projects`);
  await sees(page.getByRole("heading", { name: "Projects" }));
  await look("projects");
  await page.goto(`${mock.url}#/project/lighthouse/docs/doc-plan.md`);
  await sees(page.getByRole("textbox", { name: /^Text of / }));
  await look("doc");
  await page.goto(`${mock.url}#/project/lighthouse/dialogs/new`);
  await sees(page.getByLabel("Provider", { exact: true }));
  await look("new dialog");
  await page.goto(`${mock.url}#/project/lighthouse/dialogs/${asks.id}`);
  await sees(page.getByTestId("approval"));
  await look("dialog");
  await page.goto(`${mock.url}#/project/lighthouse/board`);
  await sees(page.locator("li.tile").first());
  await look("board");
}

test("at 320 px no view scrolls both ways", () => withWindow(async ({ page, mock }) => {
  await views(page, mock, async (what) => {
    const wide = await page.evaluate(() => [document.documentElement, ...document.querySelectorAll("body *")]
      .filter((e) => e.getClientRects().length > 0 && !e.matches("pre, .diff, table") && e.scrollWidth > e.clientWidth + 1
        && (e === document.documentElement || ["auto", "scroll"].includes(getComputedStyle(e).overflowX)))
      .map((e) => `${e.tagName}.${e.className} ${e.scrollWidth} > ${e.clientWidth}`));
    assert.deepEqual(wide, [], what);
  });
}, { width: 320, height: 256 }));

for (const width of [1280, 390]) test(`wider spacing of the text takes no word away, at ${width} px`, () => withWindow(async ({ page, mock }) => {
  await views(page, mock, async (what) => {
    await page.evaluate((css) => {
      const sheet = new CSSStyleSheet();
      sheet.replaceSync(css);
      document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
    }, SPACED);
    assert.equal(await page.evaluate(() => getComputedStyle(document.querySelector(".topbar")).letterSpacing !== "normal"), true);
    // Names in the bars may give way: they stand whole behind the button beside them.
    const cut = () => page.evaluate(() => [...document.querySelectorAll("body *")].filter((e) => {
      const s = getComputedStyle(e), hides = (o) => o === "hidden" || o === "clip";
      return e.checkVisibility() && e.innerText?.trim() && !e.closest(".unseen, .skip") && !e.matches(".topbar .brand .name, .pane.dialog > .strip h1") && s.clipPath === "none"
        && (hides(s.overflowX) && e.scrollWidth > e.clientWidth + 1 || hides(s.overflowY) && e.scrollHeight > e.clientHeight + 1);
    }).map((e) => `${e.tagName}.${e.className}: ${e.textContent.slice(0, 40)}`));
    assert.deepEqual(await cut(), [], what);
    if (what === "doc") {
      await page.getByRole("button", { name: /^Project/ }).click();
      await sees(page.locator(".menu-list a[aria-current]", { hasText: "lighthouse" }));
      assert.deepEqual(await cut(), [], "the menu");
      await page.keyboard.press("Escape");
    }
    await page.reload(); // and the sheet is gone
  });
}, { width, height: 844 }));

for (const width of [1280, 390]) test(`a hand hits what it aims at: 24 px, or as much room around, at ${width} px`, () => withWindow(async ({ page, mock }) => {
  await views(page, mock, async (what) => {
    const small = await page.evaluate(() => {
      const targets = [...document.querySelectorAll("button, a[href], input, select, textarea, summary, [role=button], [role=option]")]
        .filter((e) => e.checkVisibility() && !e.matches(".skip") && !(getComputedStyle(e).display === "inline" && e.closest("p, .cm-line, .prose")))
        .map((e) => ({ e, r: (e.matches("label input") ? e.closest("label") : e).getBoundingClientRect() }))
        .filter(({ r }) => r.width > 1 && r.height > 1);
      const little = ({ r }) => r.width < 23.9 || r.height < 23.9;
      const middle = ({ r }) => [r.x + r.width / 2, r.y + r.height / 2];
      const away = ([x, y], r) => Math.hypot(Math.max(r.left - x, 0, x - r.right), Math.max(r.top - y, 0, y - r.bottom));
      return targets.filter(little).filter((t) => targets.some((o) => {
        if (o === t || o.e.contains(t.e) || t.e.contains(o.e)) return false;
        const [a, b] = [middle(t), middle(o)];
        return away(a, o.r) < 12 || little(o) && Math.hypot(a[0] - b[0], a[1] - b[1]) < 24;
      })).map(({ e, r }) => `${e.tagName}.${e.className} ${e.textContent.slice(0, 20)} ${r.width.toFixed(1)} x ${r.height.toFixed(1)}`);
    });
    assert.deepEqual(small, [], what);
  });
}, { width, height: 844 }));
