import { test } from "node:test";
import assert from "node:assert/strict";
import { agrees, counts, draft, gone, sees, until, withWindow } from "./browser.mjs";

const at = (mock, d) => `${mock.url}#/project/lighthouse/dialogs/${d.id}`;
const texts = (page) => page.getByRole("region", { name: "Dialog text" });

// Opens n tabs, each at a dialog of its own that is at work.
async function tabs(n, { mock, page, context }) {
  const all = [];
  for (let i = 0; i < n; i++) {
    const d = mock.addDialog("lighthouse", `agent-${i}`);
    mock.append(d, "User", "input/markdown", "go");
    mock.work(d);
    const tab = i === 0 ? page : await context.newPage();
    await tab.goto(at(mock, d));
    all.push({ d, tab });
  }
  return all;
}

async function live(mock, all, words) {
  for (const { d } of all) {
    d.open = words;
    mock.emit(d, { type: "chunk", content: words });
  }
  for (const { tab } of all) await sees(texts(tab).getByText(words));
}

test("twelve tabs are live over one stream", () => withWindow(async (w) => {
  const all = await tabs(12, w);
  await until(() => w.mock.lives.size === 1 && [...w.mock.lives][0].watches.length === 14, "one stream follows all");
  await live(w.mock, all, "A light turns.");
  // A tab that is closed is followed no more.
  await all.pop().tab.close();
  await until(() => [...w.mock.lives].every((l) => l.watches.length === 13) && w.mock.lives.size === 1);
  await live(w.mock, all, "A light turns on.");
}));

test("without a shared worker one tab leads, and another one after it", () => withWindow(async (w) => {
  await w.context.addInitScript(() => { delete window.SharedWorker; });
  await w.page.reload();
  const all = await tabs(4, w);
  await until(() => w.mock.lives.size === 1 && [...w.mock.lives][0].watches.length === 6, "one stream follows all");
  await live(w.mock, all, "A light turns.");
  await all.shift().tab.close();
  await until(() => w.mock.lives.size === 1 && [...w.mock.lives][0].watches.length === 5, "another tab leads");
  await live(w.mock, all, "A light turns on.");
}));

test("without locks each tab has a stream of its own", () => withWindow(async (w) => {
  await w.context.addInitScript(() => {
    delete window.SharedWorker;
    Object.defineProperty(Navigator.prototype, "locks", { get: () => undefined });
  });
  await w.page.reload();
  const all = await tabs(2, w);
  await until(() => w.mock.lives.size === 2);
  await live(w.mock, all, "A light turns.");
}));

// Each tab asks some times whether the switchboard is there.
async function ask(all) {
  for (let i = 0; i < 4; i++) for (const { tab } of all) await tab.clock.fastForward(4000);
}

test("a shared worker that died is replaced, and every tab is live again", () => withWindow(async (w) => {
  const all = await tabs(3, w);
  await live(w.mock, all, "A light turns.");
  const cdp = await w.context.browser().newBrowserCDPSession();
  const workers = (await cdp.send("Target.getTargets", { filter: [{ type: "shared_worker" }] })).targetInfos;
  assert.equal(workers.length, 1);
  await cdp.send("Target.closeTarget", { targetId: workers[0].targetId });
  await until(() => w.mock.lives.size === 0, "its stream ends");
  await ask(all);
  await until(() => w.mock.lives.size === 1 && [...w.mock.lives][0].watches.length === 5, "one stream follows all");
  await live(w.mock, all, "A light turns on.");
  for (const { tab } of all) await counts(texts(tab).getByText("A light turns on."), 1);
}, { clock: true }));

test("a shared worker that is late is left, and taken again when it answers", () => withWindow(async (w) => {
  await w.context.addInitScript(() => {
    window.SharedWorker = class extends SharedWorker {
      constructor(url, options) {
        super(url, options);
        if (options.name !== "vibey") return;
        const hears = this.port.postMessage.bind(this.port);
        this.port.postMessage = (said) => window.held ? window.held.push(said) : hears(said);
        window.release = () => {
          for (const said of window.held) hears(said);
          window.held = null;
        };
      }
    };
  });
  await w.page.reload();
  const all = await tabs(3, w);
  await live(w.mock, all, "A light turns.");
  await until(() => w.mock.lives.size === 1);
  const { tab } = all[1];
  await tab.evaluate(() => { window.held = []; });
  await ask([all[1]]);
  await until(() => w.mock.lives.size === 2, "the tab has another stream");
  await live(w.mock, all, "A light turns on.");
  await tab.evaluate(() => window.release());
  await until(() => w.mock.lives.size === 1 && [...w.mock.lives][0].watches.length === 5, "one stream follows all");
  await live(w.mock, all, "A light turns once more.");
  for (const { tab } of all) await counts(texts(tab).getByText("A light turns once more."), 1);
}, { clock: true }));

test("where the tab that leads hears nothing, another one takes over", () => withWindow(async (w) => {
  await w.context.addInitScript(() => {
    delete window.SharedWorker;
    window.channels = [];
    window.BroadcastChannel = class extends BroadcastChannel { constructor(name) { super(name); window.channels.push(this); } };
  });
  await w.page.reload();
  const all = await tabs(3, w);
  await live(w.mock, all, "A light turns.");
  const [first, ...others] = all;
  await first.tab.evaluate(() => window.channels.forEach((c) => { c.onmessage = null; c.postMessage = () => undefined; }));
  await ask(others);
  await live(w.mock, others, "A light turns on.");
  await until(() => w.mock.lives.size === 1 && [...w.mock.lives][0].watches.length === 4, "the first leads no more");
}, { clock: true }));

test("a lost connection comes back in every tab, with what came meanwhile", () => withWindow(async (w) => {
  const all = await tabs(3, w);
  await live(w.mock, all, "A light turns.");
  await w.mock.down();
  for (const { tab } of all) await sees(tab.getByText(/Connection lost/));
  for (const { d } of all) w.mock.append(d, "Assistant", "output/markdown", "It was lit meanwhile.");
  w.mock.writeFile("lighthouse", "doc-new.md", "# New\n");
  await w.mock.listen(w.mock.port);
  for (const { tab, d } of all) {
    await sees(texts(tab).getByText("It was lit meanwhile."));
    await gone(tab.getByText(/Connection lost/));
    await counts(texts(tab).getByText("It was lit meanwhile."), 1);
  }
  const { tab } = all[0];
  await tab.getByRole("link", { name: "Docs" }).click();
  await sees(tab.getByRole("link", { name: "new" }));
}, { expect: /ERR_CONNECTION|Failed to load|ERR_EMPTY_RESPONSE|ERR_INCOMPLETE/ }));

test("a server that stalls is told after 2 s, with the age of what is shown, until it goes on", () => withWindow(async (w) => {
  const all = await tabs(2, w);
  await live(w.mock, all, "A light turns.");
  await new Promise((ok) => setTimeout(ok, 3000));
  for (const { tab } of all) assert.equal(await tab.locator(".bar").count(), 0, "one that has nothing to say has not stalled");
  const places = () => all[0].tab.evaluate(() => [...document.querySelectorAll(".topbar, .side, main, main h1, .composer, article")].map((e) => JSON.stringify(e.getBoundingClientRect())));
  const before = await places();
  w.mock.stalls = true;
  const from = Date.now();
  await sees(all[0].tab.getByText(/Connection lost\. What you see is [2-9] s old\./)); // a tab behind another is slow to tell
  assert.ok(Date.now() - from > 900, "one that is silent for a moment has not stalled");
  assert.deepEqual(await places(), before, "the bar moved the page");
  await sees(all[1].tab.getByText(/What you see is \d+ s old\./));
  const [stream] = w.mock.lives;
  w.mock.stalls = false;
  for (const { tab } of all) await gone(tab.getByText(/Connection lost/));
  assert.deepEqual([...w.mock.lives], [stream], "the stream is the same");
  await live(w.mock, all, "A light turns on.");
}));

test("a server that starts again behind other walls says so without a reload", () => withWindow(async (w) => {
  const [{ tab }] = await tabs(1, w);
  await sees(tab.getByText("Commands run without safeguards"));
  await w.mock.down();
  await sees(tab.getByText(/Connection lost/));
  w.mock.sandbox = "landlock";
  await w.mock.listen(w.mock.port);
  await sees(tab.getByText("Commands run with fewer safeguards"));
}, { expect: /ERR_CONNECTION|Failed to load|ERR_EMPTY_RESPONSE|ERR_INCOMPLETE/ }));

test("what the server refuses to follow says so, and is live once it may be", () => withWindow(async ({ page, mock }) => {
  mock.refuses = "Close some windows.";
  const d = await draft(page, mock);
  await sees(page.getByText(/Some of what you see is not followed just now.* Close some windows\./));
  mock.refuses = "";
  mock.append(d, "Assistant", "output/markdown", "It is lit.");
  await sees(texts(page).getByText("It is lit."));
  await gone(page.getByText(/is not followed just now/));
}));

test("a request that stalls says so", () => withWindow(async ({ page, mock, context }) => {
  const d = mock.addDialog("lighthouse", "slow");
  let answer;
  await context.route("**/project/lighthouse/dialog/*", (r) => { answer = () => r.continue(); });
  await page.goto(at(mock, d));
  await sees(page.getByText(/taking long to answer/));
  await answer();
  await gone(page.getByText(/taking long to answer/));
  await agrees(() => page.getByRole("heading", { level: 1 }).textContent(), "slow");
}));

for (const together of [true, false]) test(`what is selected while it is written stays so when it is whole, ${together ? "and the turn ends at once" : "and the agent works on"}`, () => withWindow(async ({ page, mock }) => {
  const d = mock.addDialog("lighthouse", "long");
  mock.append(d, "User", "input/markdown", "go");
  mock.work(d);
  await page.goto(at(mock, d));
  d.open = "The lamp turns in the night.\n\nIt burns oil, and";
  mock.emit(d, { type: "chunk", content: "" });
  await sees(texts(page).getByText("It burns oil, and"));
  await page.evaluate(() => {
    const [first, last] = document.querySelectorAll(".open-text p");
    getSelection().setBaseAndExtent(first.firstChild, 4, last.firstChild, 8);
  });
  const selected = () => page.evaluate(() => getSelection().toString().replace(/\s+/g, " "));
  await agrees(selected, "lamp turns in the night. It burns");
  mock.append(d, "Assistant", "output/markdown", "The lamp turns in the night.\n\nIt burns oil, and shines.");
  if (together) mock.rest(d, "waiting", "reply");
  await sees(texts(page).getByText("It burns oil, and shines."));
  await gone(page.locator(".open-text p"));
  await agrees(selected, "lamp turns in the night. It burns");
}));

test("while it is written, text is rendered, never shrinks, and is the same when it is whole", () => withWindow(async ({ page, mock }) => {
  const d = mock.addDialog("lighthouse", "long");
  mock.append(d, "User", "input/markdown", "go");
  mock.work(d);
  await page.goto(at(mock, d));
  await sees(page.getByRole("article", { name: "claude-test, writing" }));
  const paragraphs = Array.from({ length: 12 }, (_, i) => `Paragraph ${i} tells of a lamp that burns. `.repeat(6).trim());
  const heights = [];
  const measure = async () => heights.push(await page.locator(".tail, .turn.agent").last().evaluate((e) => e.offsetHeight));
  for (let i = 1; i <= paragraphs.length; i++) {
    d.open = paragraphs.slice(0, i).join("\n\n");
    mock.emit(d, { type: "chunk", content: "" });
    await sees(texts(page).getByText(`Paragraph ${i - 1} tells`));
    await measure();
  }
  await counts(page.locator(".open-text p"), 12);
  // The reader scrolls up, and stays there when the answer is whole.
  await page.locator(".log").evaluate((e) => { e.scrollTop = 100; });
  await sees(page.getByRole("button", { name: "To the end" }));
  mock.append(d, "Assistant", "output/markdown", paragraphs.join("\n\n"));
  mock.rest(d, "waiting", "reply");
  await gone(page.locator(".open-text"));
  await measure();
  assert.deepEqual(heights, heights.toSorted((a, b) => a - b), "it shrank");
  assert.equal(await page.locator(".log").evaluate((e) => e.scrollTop), 100);
}));
