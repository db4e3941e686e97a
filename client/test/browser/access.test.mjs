// What WCAG asks of each view beside what axe finds: room at 320 px, other spacing of the
// text, the system's own colours, and targets that a hand can hit.
import { test } from "node:test";
import assert from "node:assert/strict";
import { agrees, gone, hasFocus, sees, withWindow } from "./browser.mjs";

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

test("where the system chooses the colours, what is chosen and where the focus is can be seen", () => withWindow(async ({ page, mock }) => {
  await page.emulateMedia({ forcedColors: "active" });
  const look = (locator) => locator.evaluate((e) => {
    const s = getComputedStyle(e);
    let ground = e; // what is drawn below it: the system's own, where nothing has one
    while (/, 0\)$/.test(getComputedStyle(ground).backgroundColor)) ground = ground.parentElement;
    return [getComputedStyle(ground).backgroundColor, s.outlineStyle === "none" ? "" : s.outlineWidth + s.outlineColor].join(" ");
  });
  const differs = async (one, other, what) => assert.notEqual(await look(one), await look(other), what);
  await views(page, mock, async (what) => {
    if (what !== "projects") await differs(page.locator(".tab[aria-current]"), page.locator(".tab:not([aria-current])").first(), `${what}: the part in view`);
    if (what === "doc") await differs(page.locator(".list li.here"), page.locator(".list li:not(.here)").first(), "the doc in view");
    if (what === "dialog") await differs(page.locator(".dialogs .one.here"), page.locator(".dialogs .one:not(.here)").first(), "the dialog in view");
    const seen = new Set();
    await page.locator(".skip").focus(); // a doc that opens has the focus in its text
    for (let i = 0; i < 20; i++) {
      await page.keyboard.press("Tab");
      const at = await page.evaluate(() => {
        const e = document.activeElement, s = getComputedStyle(e);
        if (e === document.body || e.matches(".cm-content")) return null; // a text has its cursor
        return { who: `${e.tagName}.${e.className} ${e.textContent.slice(0, 20)}`, ring: s.outlineStyle !== "none" && parseFloat(s.outlineWidth) >= 2 };
      });
      if (at === null) break;
      seen.add(at.who);
      assert.ok(at.ring, `${what}: no ring at ${at.who}`);
    }
    assert.ok(seen.size >= 4, `${what}: the keyboard came to ${[...seen]}`);
    if (what === "dialog") {
      const off = await look(page.getByTestId("approval"));
      await page.keyboard.press("Control+j");
      await hasFocus(page.getByTestId("approval"));
      assert.notEqual(await look(page.getByTestId("approval")), off, "the question with the focus");
    }
  });
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: "Find or do" }).fill("map");
  await page.keyboard.press("ArrowDown");
  await sees(page.locator("[role=option][aria-selected=true]"));
  await differs(page.locator("[role=option][aria-selected=true]"), page.locator("[role=option][aria-selected=false]").first(), "the line in Find");
  await page.keyboard.press("Escape");
  await gone(page.getByRole("combobox", { name: "Find or do" }));
  await page.getByRole("button", { name: /^Project/ }).click();
  const single = page.getByRole("switch", { name: "Single letters act" });
  const on = () => single.evaluate((e) => getComputedStyle(e, "::before").backgroundColor);
  const before = await on();
  await single.click();
  await page.getByRole("button", { name: /^Project/ }).click();
  await agrees(async () => (await on()) !== before, true);
}));

for (const dark of [false, true]) test(`what is chosen differs by 3 to 1 from what is around it${dark ? ", in the dark too" : ""}`, () => withWindow(async ({ page, mock }) => {
  // The frame of what is chosen, against the ground that it stands on.
  const frame = (locator) => locator.evaluate((e) => {
    const light = (colour) => colour.match(/[\d.]+/g).slice(0, 3).map((x) => (x / 255 <= 0.04045 ? x / 255 / 12.92 : ((x / 255 + 0.055) / 1.055) ** 2.4)).reduce((sum, x, i) => sum + x * [0.2126, 0.7152, 0.0722][i], 0);
    const clear = (colour) => /, 0\)$|^transparent$/.test(colour);
    let ground = e.parentElement;
    while (clear(getComputedStyle(ground).backgroundColor)) ground = ground.parentElement;
    const s = getComputedStyle(e), own = s.boxShadow === "none" ? s.borderTopColor : s.boxShadow.match(/rgba?\([^)]*\)/)[0];
    if (clear(own)) return 1;
    const [a, b] = [light(own), light(getComputedStyle(ground).backgroundColor)];
    return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  });
  const holds = async (what, locator) => {
    await sees(locator);
    const by = await frame(locator);
    assert.ok(by >= 3, `${what}: ${by.toFixed(2)}`);
  };
  await views(page, mock, async (what) => {
    if (what === "doc") {
      await holds("the doc in view", page.locator(".list li.here"));
      await page.getByRole("button", { name: "Outline", exact: true }).click();
      await holds("a view that is on", page.locator(".tools [aria-pressed=true]"));
    }
    if (what === "dialog") await holds("the dialog in view", page.locator(".dialogs .one.here"));
  });
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: "Find or do" }).fill("map");
  await page.keyboard.press("ArrowDown");
  await holds("the line in Find", page.locator("[role=option][aria-selected=true]"));
}, { dark }));

test("the tab's title says which part is in view", () => withWindow(async ({ page, mock }) => {
  for (const [to, title] of [["docs/doc-main.md", "lighthouse"], ["dialogs", "Dialogs · lighthouse"], ["dialogs/new", "New dialog · lighthouse"], ["board", "lighthouse · Board"], ["deed", "Made · lighthouse"]]) {
    await page.goto(`${mock.url}#/project/lighthouse/${to}`);
    await agrees(() => page.title(), `${title} · Vibey`);
  }
}));

test("what to choose is told by its name, and not by where it stands", () => withWindow(async ({ page, mock }) => {
  mock.rest(mock.addDialog("lighthouse", "oil"), "waiting", "reply");
  await page.goto(`${mock.url}#/project/lighthouse/dialogs`);
  await sees(page.getByText("Choose a dialog in the list, or start a new one."));
  assert.doesNotMatch(await page.locator("#app").innerText(), /on the (left|right)/);
}));

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
