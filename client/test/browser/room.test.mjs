// Every view at 400 % (a window of 1280 x 860 has room for 320 x 215 then), and with words
// that are written from right to left.
import { test } from "node:test";
import assert from "node:assert/strict";
import { agrees, sees, withWindow } from "./browser.mjs";

const SMALL = { width: 320, height: 215 };

// Nothing stands out sideways, and what is named can be brought into view and hit there.
async function holds(page, what, ...controls) {
  const wide = await page.evaluate(() => [...document.querySelectorAll("body, body *")]
    .filter((e) => e.getClientRects().length > 0 && getComputedStyle(e).position !== "absolute" && !e.closest("pre, .diff, table, .unseen, .cm-scroller") && e.getBoundingClientRect().right > innerWidth + 1)
    .map((e) => `${e.tagName}.${e.className} ${Math.round(e.getBoundingClientRect().right)}`));
  assert.deepEqual(wide, [], `${what}: wider than the window`);
  for (const c of controls) {
    await c.scrollIntoViewIfNeeded();
    const hit = await c.evaluate((e) => {
      const r = e.getBoundingClientRect();
      const at = document.elementFromPoint(r.left + Math.min(r.width / 2, 20), r.top + r.height / 2);
      return at !== null && (e.contains(at) || at.contains(e) || at.closest("label, a, button") === e.closest("label, a, button"));
    });
    assert.ok(hit, `${what}: something covers ${c}`);
  }
}

test("at 400 % each view has room, and nothing covers its controls", () => withWindow(async ({ page, mock }) => {
  const button = (name) => page.getByRole("button", { name }).first();
  const link = (name) => page.getByRole("link", { name }).first();
  await sees(page.getByRole("heading", { name: "Projects" }));
  await holds(page, "projects", link("lighthouse"), button("New project"), link("Board"));
  const root = mock.addDialog("lighthouse", "root", "claude", "claude-test", { title: "Please start and write until the morning comes" });
  mock.rest(root, "done", "none");
  const map = mock.addDialog("lighthouse", "map", "claude", "claude-test", { title: "Draw the map", from: root.id });
  mock.ask(map, "write_file", { path: "deed/map.svg", content: "<svg/>\n" });
  mock.make("lighthouse", "deed/index.html", "<h1>Light</h1>");
  await page.goto(`${mock.url}#/project/lighthouse/dialogs`);
  await sees(link(/Draw the map/));
  await holds(page, "list", link("New dialog"), link(/Draw the map/), button("Answer here: Draw the map"));
  await button("Answer here: Draw the map").click();
  await sees(page.getByTestId("approval"));
  await holds(page, "answer from the list", button("Allow once"), button("Don’t"), button("Tell it why…"), page.getByRole("dialog").getByRole("button", { name: "Close" }));
  await page.goto(`${mock.url}#/project/lighthouse/dialogs/${map.id}`);
  await sees(page.getByTestId("approval"));
  await holds(page, "dialog", page.locator("h1").and(page.getByRole("heading", { name: "Draw the map", level: 1 })), button("Allow once"), page.getByRole("textbox", { name: "Message" }), button("More"));
  await page.goto(`${mock.url}#/project/lighthouse/dialogs/new`);
  await sees(page.getByLabel("Provider", { exact: true }));
  await holds(page, "new dialog", page.getByLabel("Provider", { exact: true }), page.getByRole("textbox", { name: "Message" }), button("Send"));
  await page.goto(`${mock.url}#/project/lighthouse/docs/doc-main.md`);
  const text = page.getByRole("textbox", { name: /^Text of / });
  await sees(text);
  await text.click();
  await page.keyboard.insertText("Words.");
  await holds(page, "doc", text, button("Save"));
  await button("Save").click();
  await sees(page.getByText(/^Saved/));
  assert.ok((await page.locator(".cm-scroller").boundingBox()).height >= 60, "some lines of the text");
  await page.goto(`${mock.url}#/project/lighthouse/board`);
  await sees(link(/Draw the map/));
  await holds(page, "board", link(/Draw the map/), button("Answer here: Draw the map"));
  await page.goto(`${mock.url}#/project/lighthouse/deed`);
  await sees(link("index.html"));
  await holds(page, "made", link("index.html"));
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: "Find or do" }).fill("map");
  await sees(page.getByRole("option").first());
  await holds(page, "palette", page.getByRole("option").first());
}, SMALL));

test("words from right to left stand so in the list, in the head, on the board and in the panel", () => withWindow(async ({ page, mock }) => {
  const HEBREW = "גשר על המים";
  const d = mock.addDialog("lighthouse", "bridge", "claude", "claude-test", { title: HEBREW, words: "מה הצבע?" });
  mock.ask(d, "write_file", { path: "deed/a.txt", content: "שלום\n" });
  const rtl = (locator) => agrees(() => locator.evaluate((e) => getComputedStyle(e).direction), "rtl");
  await page.goto(`${mock.url}#/project/lighthouse/dialogs`);
  await rtl(page.getByRole("link", { name: new RegExp(HEBREW) }).locator(".name"));
  await page.getByRole("button", { name: `Answer here: ${HEBREW}` }).click();
  await rtl(page.getByRole("dialog").getByRole("heading", { name: HEBREW }));
  await page.goto(`${mock.url}#/project/lighthouse/dialogs/${d.id}`);
  await rtl(page.locator("h1").and(page.getByRole("heading", { name: HEBREW, level: 1 })));
  await page.goto(`${mock.url}#/project/lighthouse/board`);
  await rtl(page.locator(".tile h3 a"));
}));
