// A key or a click decides only what it was meant for. Somebody writes while
// questions come and go; what is typed stays text.
import { test } from "node:test";
import assert from "node:assert/strict";
import { result } from "../agent.mjs";
import { draft, gone, hasFocus, holds, pause, say, sees, until, withWindow } from "./browser.mjs";

const card = (page) => page.getByTestId("approval");
const box = (page) => page.getByRole("textbox", { name: "Message" });
const queued = (page) => page.getByRole("list", { name: "Next messages" });
const allow = (page) => page.getByRole("button", { name: "Allow once" });
const second = (page) => page.clock.fastForward(1100);

/** still stops the page's clock; what comes then is drawn in small steps of it. */
const still = (page) => pause(page, Date.now() + 60_000);
async function comes(page, name) {
  for (let n = 0; n < 200; n++) {
    await page.clock.runFor(n < 10 ? 20 : 1); // real time is what it takes on a busy machine
    const box = await page.getByRole("button", { name }).evaluateAll((all) => all.map((e) => e.getBoundingClientRect()).map((r) => [r.x + r.width / 2, r.y + r.height / 2])[0]);
    if (box) return box;
  }
  assert.fail(`${name} never came`);
}

/** decisions are the requests that decide, stop or finish something. */
const decisions = (mock) => mock.puts.filter((p) => p.control !== undefined || p.status !== undefined || p.continue !== undefined);

/** random is a generator of numbers below 1 that is the same each time. */
function random(seed) {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

const PROSE = "and a lamp stands at the end of an old pier, dim and amber; Anna and Dan add a new note: nobody had asked. A day and a night, then dawn.\n";

test("prose that is typed through fifty questions, in two tabs, decides nothing and loses no letter", () => withWindow(async ({ page, mock, open }) => {
  const d = await draft(page, mock);
  const pages = [page, await open(new URL(page.url()).hash)];
  await sees(box(pages[1]));
  const here = page.url();
  const next = random(Number(process.env.SEED ?? 12));
  const typed = ["", ""];
  for (const p of pages) await box(p).click();
  const sent = [];
  let questions = 0;
  // The agent works, asks, and is answered from elsewhere, at moments that nobody at the keyboard chooses.
  const turns = [
    () => mock.work(d),
    () => { mock.ask(d); questions++; },
    () => {
      assert.equal(d.pending.length, 1, "the question was decided");
      result(mock, d, d.pending.pop(), "denied");
      if (next() < 0.5) mock.work(d);
      else mock.rest(d, "waiting", "reply");
    },
  ];
  let turn = 0;
  while (questions < 50 || turn !== 0) {
    const i = next() < 0.5 ? 0 : 1;
    const p = pages[i];
    const at = next();
    if (at < 0.22 && (turn !== 0 || d.status === "waiting")) {
      turns[turn]();
      turn = (turn + 1) % 3;
    } else if (at < 0.22 && turn === 0) {
      turn = 1; // it works already, on a message of ours
    } else if (at < 0.3) {
      await second(p); // a pause, as writers make one
    } else if (at < 0.36 && typed[i].trim() !== "" && sent.length < 12) {
      await p.keyboard.press("Control+Enter");
      sent.push(typed[i]);
      await holds(box(p), ""); // what was sent does not stay in the box
      typed[i] = "";
    } else {
      for (let n = 1 + Math.floor(next() * 5); n > 0; n--) {
        const c = PROSE[Math.floor(next() * PROSE.length)];
        await p.keyboard.press(c === "\n" ? "Enter" : c === " " ? "Space" : c);
        typed[i] += c;
      }
    }
    assert.deepEqual(decisions(mock), []);
  }
  for (const [i, p] of pages.entries()) {
    assert.equal(p.url(), here, "a letter led elsewhere");
    await holds(box(p), typed[i]);
    assert.equal(await box(p).evaluate((e) => e === document.activeElement), true, "the focus fell from the box");
  }
  // All that was sent goes out, each once.
  const told = () => d.sections.filter((s) => s.role === "User").map((s) => s.payloads[0].text);
  await until(async () => {
    if (d.status === "active" && told().length < sent.length) mock.rest(d, "waiting", "reply");
    return told().length >= sent.length && (await queued(page).count()) === 0;
  }, "every message is sent");
  assert.deepEqual(told().sort(), sent.sort());
  assert.deepEqual(decisions(mock), []);
}, { clock: true, expect: /409/ }));

test("a key decides where a hand put the focus, and a second after any other key", () => withWindow(async ({ page, mock }) => {
  const d = await draft(page, mock);
  const ask = async () => {
    const id = mock.ask(d);
    await sees(page.getByRole("button", { name: "Allow once", disabled: false }));
    await second(page);
    return id;
  };
  const undecided = async (id) => {
    await page.evaluate(() => new Promise(requestAnimationFrame));
    assert.deepEqual([d.pending.map((c) => c.id), decisions(mock).length], [[id], 0]);
  };
  const decided = async (verdict) => {
    await gone(card(page));
    await until(() => mock.puts.length > 0);
    assert.match(mock.puts.pop().control, verdict);
    await until(() => d.status === "waiting");
  };
  let id = await ask();
  // Nowhere: the focus is on the page. And in the card, but not by a hand.
  await page.evaluate(() => document.activeElement.blur());
  await page.keyboard.press("a");
  await undecided(id);
  await card(page).evaluate((e) => e.focus());
  await second(page);
  await page.keyboard.press("a");
  await undecided(id);
  await allow(page).evaluate((e) => e.focus());
  for (const key of ["Enter", "Space"]) {
    await second(page);
    await page.keyboard.press(key);
    await undecided(id);
  }
  // By a click, but too soon behind another key; then a second later.
  await card(page).getByRole("heading").click();
  await second(page);
  await page.keyboard.press("x");
  await page.keyboard.press("a");
  await undecided(id);
  await sees(page.getByText(/^Too quick. Nothing was decided/).first());
  for (const key of ["Control+a", "Shift+A"]) {
    await second(page);
    await page.keyboard.press(key);
    await undecided(id);
  }
  await second(page);
  await page.keyboard.press("a");
  await decided(/ approve sha256:/);

  // By the key that leads there; a key that is held repeats itself, and decides nothing by that.
  id = await ask();
  await box(page).focus();
  await page.keyboard.press("x");
  await page.keyboard.press("Control+j");
  await page.keyboard.press("d");
  await undecided(id);
  await page.keyboard.down("d");
  await second(page);
  await page.keyboard.down("d");
  await undecided(id);
  await page.keyboard.up("d");
  await second(page);
  await page.keyboard.press("d");
  await decided(/ deny/);
  await holds(box(page), "x");
  await hasFocus(box(page)); // it is where one writes again

  // By Tab onto the button: Enter and the space bar wait a second, too.
  for (const key of ["Enter", "Space"]) {
    id = await ask();
    await box(page).focus();
    for (let n = 0; n < 20 && !(await allow(page).evaluate((e) => e === document.activeElement)); n++) await page.keyboard.press("Shift+Tab");
    await page.keyboard.press(key);
    await undecided(id);
    await page.keyboard.down(key);
    await second(page);
    await page.keyboard.down(key);
    await page.keyboard.up(key);
    await undecided(id);
    await second(page);
    await page.keyboard.press(key);
    await decided(/ approve sha256:/);
  }
}, { clock: true }));

test("a question that comes under the pointer is not answered by the click that was on its way", () => withWindow(async ({ page, mock }) => {
  const d = await draft(page, mock);
  for (let n = 0; n < 20; n++) mock.append(d, "User", "input/markdown", `line ${n}`); // the question stands at the foot
  await sees(page.getByText("line 19", { exact: true }));
  await still(page);
  mock.ask(d);
  const at = () => comes(page, "Allow once");
  await page.mouse.click(...(await at()));
  await sees(page.getByText(/^Nothing was decided: the question had only just come/));
  // The hand put nothing there by that: a key of the next sentence does not decide either.
  await page.clock.runFor(1200);
  await page.keyboard.press("a");
  assert.deepEqual(decisions(mock), []);

  // What moves is as new as what comes: another message waits, and all of it goes up.
  await box(page).focus();
  await page.keyboard.insertText("and then");
  const before = await at();
  await page.keyboard.press("Control+Enter");
  await sees(queued(page));
  assert.notDeepEqual(await at(), before);
  await page.mouse.click(...(await at()));
  assert.deepEqual(decisions(mock), []);
  await page.clock.runFor(1100);
  await page.mouse.click(...(await at()));
  await until(() => mock.puts.length === 1);
  assert.match(mock.puts[0].control, / approve /);
}, { clock: true }));

test("a letter of a text that lost its focus opens no new dialog", () => withWindow(async ({ page, mock }) => {
  await draft(page, mock);
  const here = page.url();
  await box(page).click();
  await page.keyboard.type("Today and");
  await page.evaluate(() => document.activeElement.blur());
  await page.keyboard.press("n");
  await page.clock.fastForward(5000);
  await page.keyboard.press("n");
  assert.equal(page.url(), here);
  // Who goes elsewhere by hand means it, at once.
  await page.getByRole("region", { name: "Dialog text" }).click();
  await page.keyboard.press("x");
  await page.keyboard.press("n");
  await sees(page.getByRole("heading", { name: "New dialog" }));
}, { clock: true }));

test("the second click of a double click falls on nothing that has just come", () => withWindow(async ({ page, mock }) => {
  const d = await draft(page, mock);
  mock.hold();
  await say(page, "hello");
  await sees(page.getByRole("button", { name: "Stop", disabled: false }));
  await still(page);
  const click = (name) => page.getByRole("button", { name, exact: true }).evaluate((e) => e.click());
  await click("Stop");
  await comes(page, "Continue");
  await click("Continue");
  await click("Finish");
  await sees(page.getByText("Not done yet: the page had just moved. Click once more."));
  assert.deepEqual(mock.puts.map((p) => Object.keys(p).at(-1)), ["prompt", "status"]);
  await page.clock.resume();
  await page.getByRole("button", { name: "Finish", disabled: false }).click();
  await until(() => d.status === "done");

  await page.goto(mock.url + "#/projects");
  await sees(page.getByRole("button", { name: "Delete project lighthouse" }));
  await still(page);
  await click("Delete project lighthouse");
  await comes(page, /^Delete project$/);
  await click("Delete project");
  assert.equal(mock.projects.size, 1);
  await page.clock.resume();
  await page.getByRole("button", { name: "Delete project", exact: true, disabled: false }).click();
  await until(() => mock.projects.size === 0);
}, { clock: true }));

test("words that were told to a question stay where it goes away", () => withWindow(async ({ page, mock }) => {
  const d = await draft(page, mock);
  mock.ask(d);
  await page.getByRole("button", { name: "Tell it why…" }).click();
  await page.getByRole("textbox", { name: "Why not" }).fill("Ask me first");
  result(mock, d, d.pending.pop(), "denied");
  mock.rest(d, "waiting", "reply");
  await gone(card(page));
  await holds(box(page), "Ask me first");
}));

test("words that were told to a question outlive a reload, and stay where another tab answers", () => withWindow(async ({ page, mock, open }) => {
  const d = await draft(page, mock);
  mock.ask(d);
  const why = page.getByRole("textbox", { name: "Why not" });
  await page.getByRole("button", { name: "Tell it why…" }).click();
  await why.fill("Ask me first");
  await page.reload();
  await holds(why, "Ask me first");
  const other = await open(new URL(page.url()).hash);
  await other.getByRole("button", { name: "Don’t", disabled: false }).click();
  await gone(card(page));
  await holds(box(page), "Ask me first");
  assert.equal(mock.puts.length, 1);
  assert.equal(mock.puts[0].prompt, undefined);
}));

test("a text that was typed is there at once where the page before a reload lives on for a while", () => withWindow(async ({ page, mock, open }) => {
  await draft(page, mock);
  await box(page).fill("half a thought");
  const other = await open("#/");
  const name = await page.evaluate(() => sessionStorage.getItem("vibey.tab"));
  const lock = `vibey.alive/${name}`;
  // Like a page that goes slowly: it has the name's lock before the next page can have it.
  await other.evaluate((n) => void navigator.locks.request(n, () => new Promise(() => undefined)), lock);
  await page.reload();
  await holds(box(page), "half a thought");
  const holder = await other.evaluate(async (n) => (await navigator.locks.query()).held.some((l) => l.name === n), lock);
  assert.ok(holder, "the lock is held while the text is there");
  assert.equal(await page.evaluate(() => sessionStorage.getItem("vibey.tab")), name);
}));

test("a bar that comes above a doc takes no click that was meant for the text", () => withWindow(async ({ page, mock }) => {
  const text = page.getByRole("textbox", { name: /^Text of / });
  await text.getByText("game about").click();
  await page.keyboard.type("Mine. ");
  await sees(page.getByText("Not saved"));
  await still(page);
  mock.writeFile("lighthouse", "doc-main.md", "Theirs.\n");
  await comes(page, "Take theirs");
  await page.getByRole("button", { name: "Take theirs" }).evaluate((e) => e.click());
  await page.clock.resume();
  await sees(page.getByText("Not done yet: the page had just moved. Click once more."));
  assert.match(await text.innerText(), /Mine\./);
  await page.getByRole("button", { name: "Take theirs", disabled: false }).click();
  await sees(text.getByText("Theirs."));
}, { clock: true, path: "#/project/lighthouse/docs/doc-main.md" }));
