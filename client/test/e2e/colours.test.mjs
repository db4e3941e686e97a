// Code in a dialog: plain at once, coloured when it is looked at, and never other code.
import { test } from "node:test";
import assert from "node:assert/strict";
import { agrees, dialog, project, say, sees, shot, text, withWorld } from "./real.mjs";

const JS = "// the lamp\nfunction light(lamp) {\n  return `on ${lamp.name}`;\n}\n";
const SH = 'echo "$HOME" # where\n';
const CPP = "int main() { return 0; }\n";
const ODD = "<b>not a tag</b>\n";
const LONG = "let a = 1; // b\n".repeat(6000);
const fence = (name, code) => "```" + name + "\n" + code + "```\n\n";
const ANSWER = "Here it is.\n\n" + fence("js", JS) + fence("bash", SH) + fence("c++", CPP) + fence("nosuch", ODD) + fence("", "plain\n") + "As `code` in a line.\n";

const colours = (code) => code.evaluate((e) => [...e.querySelectorAll("span")].map((s) => `${s.className.replace("code-", "")} ${s.textContent}`));

for (const dark of [false, true]) {
  test(`code has its colours${dark ? ", in the dark too" : ""}`, () => withWorld({ replies: [{ text: ANSWER }] }, async ({ page }) => {
    await project(page, "p");
    await dialog(page, "code", "claude");
    await say(page, "Show it.");
    await sees(text(page).getByText("As code in a line."));
    const code = (n) => text(page).locator("pre > code").nth(n);
    await agrees(() => colours(code(0)), ["comment // the lamp", "keyword function", "name light", "name lamp", "keyword return", "string `on ", "name name", "string `"]);
    await agrees(() => colours(code(1)), ["name echo", 'string "', "name $HOME", 'string "', "comment # where"]);
    await agrees(() => colours(code(2)), ["name int", "name main", "keyword return", "number 0"]);
    for (const [n, want] of [JS, SH, CPP, ODD, "plain\n"].entries()) assert.equal(await code(n).textContent(), want);
    assert.deepEqual([await colours(code(3)), await colours(code(4))], [[], []]);
    const ink = await code(0).evaluate((e) => [...new Set([e, ...e.querySelectorAll("span")].map((s) => getComputedStyle(s).color))].length);
    assert.equal(ink, 5, "each kind of word has a colour of its own");
    await shot(page, `colours-${dark ? "dark" : "light"}`);
  }, { dark }));
}

test("colours move nothing, wait until code is in view, and leave marked text alone", () => withWorld({ replies: [{ text: fence("js", JS) + fence("js", JS) + "Long:\n\n" + fence("js", LONG) + fence("js", JS) + "The end." }] }, async ({ page }) => {
  await project(page, "p");
  await dialog(page, "code", "claude");
  // The idle times come when the test says so.
  await page.evaluate(() => { window.idle = []; window.requestIdleCallback = (f) => window.idle.push(f); });
  const rest = () => page.evaluate(() => { for (const f of window.idle.splice(0)) f({ timeRemaining: () => 50 }); });
  const coloured = (n) => agrees(async () => { await rest(); return (await colours(code(n))).length; }, 8);
  await say(page, "Show it.");
  await sees(text(page).getByText("The end."));
  const code = (n) => text(page).locator("pre > code").nth(n);
  await agrees(() => page.evaluate(() => window.idle.length), 1); // for the last block, which is in view
  const place = () => code(3).evaluate((e) => [e.getBoundingClientRect(), e.parentElement.getBoundingClientRect()].map((r) => [r.top, r.bottom, Math.round(r.width)]));
  const before = await place();
  await coloured(3);
  assert.deepEqual(await place(), before);
  assert.deepEqual(await colours(code(0)), [], "out of view");
  await code(0).evaluate((e) => { e.scrollIntoView(); getSelection().selectAllChildren(e); });
  await coloured(1); // its turn comes behind that of the marked one
  assert.deepEqual(await colours(code(0)), []);
  assert.equal(await page.evaluate(() => getSelection().toString().trim()), JS.trim());
  assert.equal((await code(2).textContent()).length, LONG.length, "more than is coloured");
}));
