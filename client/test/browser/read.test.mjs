// What was not in view is not allowed: a question that is taller than the view
// shows its head, and Allow comes on when it was read to its end.
import { test } from "node:test";
import assert from "node:assert/strict";
import { sha } from "../mockserver.mjs";
import { draft, gone, hasFocus, pause, rests, sees, until, withWindow } from "./browser.mjs";

const card = (page) => page.getByTestId("approval");
const allow = (page) => page.getByRole("button", { name: "Allow once" });
const log = (page) => page.locator(".log");
const why = (page) => card(page).getByText("Read to the end to allow it.");
const settled = rests;

// 23 lines, so that nothing is cut; each is long enough to break.
const lines = Array.from({ length: 23 }, (_, i) => `echo step ${i + 1} ${"of a long command that breaks ".repeat(5)}`);
const LONG = { command: lines.join("\n") };

/** past fills a dialog so that its end is out of the first view, and shows the end. */
async function past(page, mock) {
  const d = await draft(page, mock);
  for (let n = 0; n < 30; n++) mock.append(d, "User", "input/markdown", `line ${n}`);
  await sees(page.getByText("line 29", { exact: true }));
  return d;
}

/** inView tells which lines of the page that match are wholly in the view of the log. */
const inView = (page, locator) => locator.evaluate((el) => {
  const a = document.querySelector(".log").getBoundingClientRect(), r = el.getBoundingClientRect();
  return r.top >= a.top && r.bottom <= a.bottom;
});
const headInView = (page) => inView(page, card(page).getByRole("heading").first());
// Not isDisabled(): that is also true for half a second after the card has moved.
const isOff = (locator) => locator.evaluate((e) => e.disabled);
const offFor = async (page, ms = 300) => {
  for (let t = 0; t < ms; t += 50) {
    assert.equal(await isOff(allow(page)), true, "Allow is off");
    await new Promise((ok) => setTimeout(ok, 50));
  }
};
/** frames lets the page draw twice. */
const frames = (page) => page.evaluate(() => new Promise((ok) => requestAnimationFrame(() => requestAnimationFrame(ok))));

/** readOn presses Read on until a button is on. */
async function readOn(page, part, button) {
  for (let n = 0; n < 40 && (await isOff(button)); n++) {
    await part.getByRole("button", { name: "Read on" }).evaluateAll((all) => all.forEach((e) => e.click()));
    await frames(page);
    await frames(page);
  }
  await until(async () => !(await isOff(button)));
}

/** wheel reads to the end, a notch at a time. */
async function wheel(page, by = 150) {
  const box = await log(page).boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + 100);
  for (let n = 0; n < 100; n++) {
    const at = await log(page).evaluate((e) => e.scrollTop);
    await page.mouse.wheel(0, by);
    await frames(page);
    if (at === (await log(page).evaluate((e) => e.scrollTop)) && n > 3) return;
  }
}

for (const [name, size] of [["wide", {}], ["dark", { dark: true }], ["390 wide", { width: 390, height: 800 }]]) {
  test(`a question taller than the view shows its head, and is allowed after its end: ${name}`, () => withWindow(async ({ page, mock }) => {
    const d = await past(page, mock);
    mock.ask(d, "run_command", LONG);
    await settled(page);
    assert.equal(await headInView(page), true, "the head is in view");
    await sees(why(page));
    await offFor(page);
    await shot(page, `${name}-head`);
    // The end alone is not enough, and the head comes back with Ctrl+J.
    await log(page).evaluate((e) => { e.scrollTop = e.scrollHeight; });
    await frames(page);
    await offFor(page);
    await page.keyboard.press("Control+j");
    await until(() => headInView(page), "Ctrl+J shows the head");
    await wheel(page);
    await sees(page.getByRole("button", { name: "Allow once", disabled: false }));
    await sees(card(page).getByText("All of it was in view."));
    await shot(page, `${name}-end`);
    await allow(page).click();
    await gone(card(page));
    await until(() => / approve sha256:/.test(mock.puts.at(-1)?.control));
  }, size));
}

const shot = (page, name) => process.env.SHOTS && page.screenshot({ path: `${process.env.SHOTS}/${name.replace(/ /g, "-")}.png` });

test("a question that fits is shown whole, and needs no reading", () => withWindow(async ({ page, mock }) => {
  const d = await past(page, mock);
  mock.ask(d);
  await sees(page.getByRole("button", { name: "Allow once", disabled: false }));
  assert.equal(await inView(page, card(page)), true);
  assert.equal(await card(page).getByText(/in view|Read to/).count(), 0);
}));

/** scrolls presses a key and waits until the log rests. What passes between two frames of a slow machine was in no view. */
async function scrolls(page, key) {
  const before = await log(page).evaluate((e) => {
    globalThis.rest = new Promise((ok) => e.addEventListener("scrollend", ok, { once: true }));
    return e.scrollTop;
  });
  await page.keyboard.press(key);
  await page.evaluate(() => globalThis.rest.then(() => undefined));
  return (await log(page).evaluate((e) => e.scrollTop)) - before;
}

test("a key allows nothing that was not read, and the keys of the page read it", () => withWindow(async ({ page, mock }) => {
  const d = await past(page, mock);
  mock.ask(d, "run_command", LONG);
  await settled(page);
  // From here on time passes by runFor alone, however slow the machine is.
  await pause(page, await page.evaluate(() => Date.now() + 1000));
  const press = async (key) => {
    await until(async () => {
      await page.clock.runFor(1100);
      return (await page.locator("[data-settling]").count()) === 0;
    }, "the question stands still");
    await page.keyboard.press(key);
  };
  await page.keyboard.press("Control+j");
  await hasFocus(card(page));
  await press("a");
  await sees(page.getByRole("status").getByText("Read to the end to allow it."));
  assert.deepEqual(mock.puts, []);
  for (const key of ["PageDown", "Space", "ArrowDown"]) {
    assert.ok((await scrolls(page, key)) > 0, `${key} scrolls down`);
    await page.clock.runFor(100);
  }
  for (let n = 0; n < 20 && (await isOff(allow(page))); n++) {
    await scrolls(page, "ArrowDown");
    await page.clock.runFor(100);
  }
  await press("a");
  await gone(card(page));
  await until(() => / approve /.test(mock.puts.at(-1)?.control));
}, { clock: true }));

test("Page Down goes no further than what was in view above the answers", () => withWindow(async ({ page, mock }) => {
  const d = await past(page, mock);
  mock.ask(d, "run_command", LONG);
  await settled(page);
  await page.keyboard.press("Control+j");
  await hasFocus(card(page));
  const view = () => log(page).evaluate((e) => e.querySelector(".answers").getBoundingClientRect().top - e.getBoundingClientRect().top);
  for (let n = 0; n < 10 && (await isOff(allow(page))); n++) {
    const room = await view();
    const by = await scrolls(page, "PageDown");
    assert.ok(by <= room, `it goes on by ${by} px, of which ${room} were in view`);
    await frames(page);
    await frames(page);
  }
  await sees(page.getByRole("button", { name: "Allow once", disabled: false }));
}, { width: 390, height: 800 }));

test("no can be said at any time", () => withWindow(async ({ page, mock }) => {
  const d = await past(page, mock);
  mock.ask(d, "run_command", LONG);
  await settled(page);
  await page.keyboard.press("Control+j");
  await page.clock.fastForward(1100);
  await page.keyboard.press("d");
  await gone(card(page));
  await until(() => / deny/.test(mock.puts.at(-1)?.control));
}, { clock: true }));

test("Read on leads to what was not in view, and leaves the keys in the question", () => withWindow(async ({ page, mock }) => {
  const d = await past(page, mock);
  mock.ask(d, "run_command", LONG);
  await settled(page);
  const end = await log(page).evaluate((e) => (e.scrollTop = e.scrollHeight, e.scrollTop));
  await card(page).getByRole("button", { name: "Read on" }).click();
  await until(async () => (await log(page).evaluate((e) => e.scrollTop)) < end - 200, "it goes back to where reading stopped");
  await hasFocus(card(page));
  await readOn(page, card(page), allow(page));
}));

test("a window that grows or shrinks loses nothing that was read, and adds nothing that was not", () => withWindow(async ({ page, mock }) => {
  const d = await past(page, mock);
  mock.ask(d, "run_command", LONG);
  await settled(page);
  await offFor(page);
  // Narrower, so that what was read takes more room than before; the rest stays unread.
  await page.setViewportSize({ width: 800, height: 860 });
  await frames(page);
  await offFor(page);
  await wheel(page);
  await sees(page.getByRole("button", { name: "Allow once", disabled: false }));
  await page.setViewportSize({ width: 1280, height: 500 });
  await frames(page);
  await frames(page);
  assert.equal(await isOff(allow(page)), false, "it stays read");
}));

test("what is opened must be read too, from where it was opened", () => withWindow(async ({ page, mock }) => {
  const d = await past(page, mock);
  mock.ask(d, "write_file", { path: "deed/long.txt", content: Array.from({ length: 236 }, (_, i) => `line ${i + 1} of it`).join("\n") });
  await sees(card(page).getByText("Open the 212 more lines first: you allow all of it."));
  await settled(page);
  const more = card(page).getByRole("button", { name: /212 more lines/ });
  await more.scrollIntoViewIfNeeded();
  await frames(page);
  const at = await log(page).evaluate((e) => e.scrollTop);
  await more.click();
  await sees(why(page));
  await frames(page);
  assert.equal(await log(page).evaluate((e) => e.scrollTop), at, "nothing jumps");
  await offFor(page);
  await readOn(page, card(page), allow(page));
  assert.deepEqual(mock.puts, []);
}));

/** opens460 asks about a new file of 460 lines, and opens it. */
async function opens460(page, mock) {
  const d = await past(page, mock);
  mock.ask(d, "write_file", { path: "deed/long.txt", content: Array.from({ length: 460 }, (_, i) => `line ${i + 1} of it`).join("\n") });
  await settled(page);
  await card(page).getByRole("button", { name: /436 more lines/ }).click();
  await sees(why(page));
  await frames(page);
  return d;
}

const place = (locator) => locator.evaluate((e) => { const r = e.getBoundingClientRect(), a = e.closest(".answers").getBoundingClientRect(); return [r.x - a.x, r.y - a.y, r.width, a.height]; });

for (const [name, size] of [["wide", {}], ["390 wide, dark", { width: 390, height: 800, dark: true }]]) {
  test(`of what was opened, what was scrolled past at any speed was read: ${name}`, () => withWindow(async ({ page, mock }) => {
    await opens460(page, mock);
    await offFor(page);
    const before = await place(allow(page));
    // Where our own code leads past it, nothing was read by that.
    await card(page).getByRole("button", { name: "Read on" }).evaluate((e) => e.click());
    await frames(page);
    await offFor(page, 100);
    await page.keyboard.press("End");
    await sees(page.getByRole("button", { name: "Allow once", disabled: false }));
    await sees(card(page).getByText("All of it was in view."));
    assert.deepEqual(await place(allow(page)), before, "no button moved");
    await allow(page).click();
    await gone(card(page));
    await until(() => / approve /.test(mock.puts.at(-1)?.control));
  }, size));
}

// Where the answers stand in view while one reads.
for (const [name, size] of [["390 wide", { width: 390, height: 800 }], ["390 wide, dark", { width: 390, height: 800, dark: true }]]) {
  test(`all that was opened is allowed by one tick: ${name}`, () => withWindow(async ({ page, mock }) => {
    await opens460(page, mock);
    const before = await place(allow(page));
    const all = card(page).getByRole("checkbox", { name: "Allow all 460 lines" });
    await all.check();
    await sees(card(page).getByText("Not all of it was in view."));
    await sees(page.getByRole("button", { name: "Allow once", disabled: false }));
    assert.deepEqual(await place(allow(page)), before, "no button moved");
    await shot(page, `all-${name}`);
    await all.uncheck();
    await until(() => isOff(allow(page)));
    await all.check();
    // What is closed again is not allowed by the tick.
    await card(page).getByRole("button", { name: "Show less" }).click();
    await until(() => isOff(allow(page)));
    await card(page).getByRole("button", { name: /436 more lines/ }).click();
    await allow(page).click();
    await gone(card(page));
    await until(() => / approve /.test(mock.puts.at(-1)?.control));
  }, size));
}

test("another input, or another file, is unread again", () => withWindow(async ({ page, mock }) => {
  const d = await past(page, mock);
  mock.ask(d, "run_command", LONG);
  await settled(page);
  await wheel(page);
  await sees(page.getByRole("button", { name: "Allow once", disabled: false }));
  const inputText = JSON.stringify({ command: lines.map((l) => l.replace("step", "other")).join("\n") });
  Object.assign(d.pending[0], { input: JSON.parse(inputText), inputText, sha256: sha(inputText) });
  await allow(page).click();
  await sees(page.getByText("Something changed since you looked, so nothing was done."));
  await sees(card(page).getByText("echo other 1 of").first());
  await settled(page);
  await offFor(page);
}, { expect: /409/ }));

test("of several questions each is read by itself, and stays read when another is answered", () => withWindow(async ({ page, mock }) => {
  const d = await past(page, mock);
  const input = (n) => ({ path: `deed/${n}.txt`, content: lines.map((l) => `${n} ${l}`).join("\n") });
  for (const n of ["one", "two", "three"]) {
    const inputText = JSON.stringify(input(n));
    mock.append(d, "Tool Request", "tool/input/json", inputText, { id: `call_${n}`, meta: { Tool: "write_file", Status: "pending" } });
    d.pending.push({ id: `call_${n}`, tool: "write_file", input: input(n), inputText, sha256: sha(inputText), target: { path: `deed/${n}.txt`, exists: false, bytes: 0 } });
  }
  mock.rest(d, "waiting", "approval", mock.ending(d));
  const row = (n) => card(page).getByRole("group", { name: `Write deed/${n}.txt?` });
  const yes = (n) => row(n).getByRole("radio", { name: "Allow once" });
  const always = card(page).getByRole("checkbox", { name: "Always allow writing files in this dialog" });
  await sees(row("one"));
  await until(() => headInView(page));
  for (const n of ["one", "two", "three"]) await until(() => isOff(yes(n)), "it is off at first");
  const readTo = async (n) => {
    await readOn(page, row(n), yes(n));
    await yes(n).check();
  };
  // The middle one first; the others are not read by that, and always would answer them too.
  await readTo("two");
  assert.equal(await isOff(yes("three")), true);
  assert.equal(await isOff(always), true);
  await readTo("one");
  await row("two").getByRole("radio", { name: "Don’t" }).check();
  const before = mock.puts.length;
  await card(page).getByRole("button", { name: "Send 2 of 3 answers" }).click();
  await sees(page.getByRole("region", { name: "Permission needed" }).getByRole("heading", { name: "Write deed/three.txt?" }));
  await until(() => mock.puts.length === before + 1);
  await until(() => isOff(allow(page)), "the third was not read");
}));

test("a reload starts unread", () => withWindow(async ({ page, mock }) => {
  const d = await past(page, mock);
  mock.ask(d, "run_command", LONG);
  await settled(page);
  await wheel(page);
  await sees(page.getByRole("button", { name: "Allow once", disabled: false }));
  await page.reload();
  await settled(page);
  assert.equal(await headInView(page), true, "the head is in view");
  await offFor(page);
}));
