// The figures of the log, in the real program: each is the median of five, told and not judged,
// for a busy machine is slow and no less right.
import { test } from "node:test";
import { answerText, dialogText } from "./written.mjs";
import { switching } from "./switching.mjs";
import { dialog, project, say, sees, text, until, withWorld } from "../e2e/real.mjs";

const TIMES = Number(process.env.VIBEY_TIMES ?? 5);

const median = (all) => all.toSorted((a, b) => a - b)[Math.floor(all.length / 2)];
const tell = (name, value, unit, goal) => console.log(`${name}: ${Math.round(value * 10) / 10} ${unit} (goal ${goal})`);

// Runs in the page: navigates, and tells when the end was drawn and when all of it stood in the page.
async function opens({ hash, last, first }) {
  const begin = performance.now();
  location.hash = hash;
  const frame = () => new Promise((ok) => requestAnimationFrame(() => { const c = new MessageChannel(); c.port1.onmessage = ok; c.port2.postMessage(0); }));
  const has = (words, which) => {
    const log = document.querySelector(".log");
    if (log === null) return null;
    // Earlier text may stand in the page without its form for a moment.
    const all = log.querySelectorAll(which === "last" ? ".turn" : ".items");
    const found = all[which === "last" ? all.length - 1 : 0];
    return found?.textContent.includes(words) ? { found, log } : null;
  };
  let end = 0;
  for (;;) {
    await frame();
    const at = has(last, "last");
    if (at === null) continue;
    // The question of the last turn, which may fill the view.
    const r = at.log.querySelector(".approval")?.getBoundingClientRect(), v = at.log.getBoundingClientRect();
    if (r && r.bottom > v.top && r.top < v.bottom) break;
  }
  end = performance.now() - begin;
  while (has(first, "first") === null) await frame();
  const whole = performance.now() - begin;
  while (document.querySelector(".log .items.plain") !== null) await frame();
  return { end, whole, drawn: performance.now() - begin };
}

// Runs in the page: scrolls to the top, a part of the view each frame, and returns how long each frame took.
async function scrolls() {
  const log = document.querySelector(".log");
  const took = [];
  let before = await new Promise(requestAnimationFrame);
  for (let i = 0; i < 300 && log.scrollTop > 0; i++) {
    log.scrollTop -= 300;
    const now = await new Promise(requestAnimationFrame);
    took.push(now - before);
    before = now;
  }
  return took;
}

test("long dialogs open, and scroll", () => withWorld({ replies: [] }, async ({ world, page, context }) => {
  await project(page, "p");
  const ids = {};
  for (const n of [500, 5000]) {
    ids[n] = `20260216-00000${n === 500 ? 0 : 1}-long-${n}`;
    world.write(dialogText(ids[n], n), "p", `dialog-${ids[n]}-waiting.md`);
  }
  const figures = { 500: [], 5000: [] };
  const worked = { 500: [], 5000: [] };
  const frames = [], paints = [];
  for (let i = 0; i < TIMES; i++) {
    for (const n of [500, 5000]) {
      const tab = await context.newPage();
      await tab.goto(`http://${world.addr}/#/project/p/dialogs`);
      await sees(tab.locator(".list.dialogs a[href$=long-500]"));
      paints.push(await tab.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0].startTime));
      const last = Math.max(...[...dialogText(ids[n], n).matchAll(/Section (\d+) of it/g)].map((m) => Number(m[1])));
      const cdp = await context.newCDPSession(tab);
      await cdp.send("Performance.enable", { timeDomain: "threadTicks" });
      const busy = async () => (await cdp.send("Performance.getMetrics")).metrics.find((m) => m.name === "TaskDuration").value * 1000;
      const before = await busy();
      figures[n].push(await tab.evaluate(opens, { hash: `#/project/p/dialogs/${ids[n]}`, last: `Section ${last} of it`, first: "Section 1 of it" }));
      worked[n].push((await busy()) - before);
      if (n === 5000) frames.push(...(await tab.evaluate(scrolls)));
      await tab.close();
    }
  }
  tell("first paint", median(paints), "ms", 200);
  tell("500 sections show their end", median(figures[500].map((f) => f.end)), "ms", 300);
  tell("500 sections are whole", median(figures[500].map((f) => f.whole)), "ms", "none");
  tell("5,000 sections show their end", median(figures[5000].map((f) => f.end)), "ms", 500);
  tell("5,000 sections are whole", median(figures[5000].map((f) => f.whole)), "ms", 1500);
  tell("5,000 sections are drawn, in idle time", median(figures[5000].map((f) => f.drawn)), "ms", "none");
  // What a busy machine does not change: for how long the page's own thread worked.
  for (const n of [500, 5000]) tell(`${n} sections: the page worked`, median(worked[n]), "ms", "none");
  tell("a frame of scrolling, p95", frames.toSorted((a, b) => a - b)[Math.floor(frames.length * 0.95)], "ms", 17);
  tell("a frame of scrolling, p50", median(frames), "ms", 17);
}));

test("switches between dialogs", () => withWorld({ replies: [{ text: answerText(40), chunk: 40 }] }, async (w) => {
  const { before, now } = await switching(w, 500);
  tell("after 500 switches: more nodes", now.nodes - before.nodes, "", 3000);
  tell("after 500 switches: the heap grows", now.heap - before.heap, "MB", 8);
}));

const CHUNKS = Number(process.env.VIBEY_CHUNKS ?? 100_000);

test("many chunks", () => {
  const answer = answerText(800).slice(0, CHUNKS * 5);
  return withWorld({ replies: [{ text: "warm" }, { text: answer, chunk: 5 }] }, async ({ page, context }) => {
    await project(page, "p");
    await dialog(page, "much", "claude");
    await say(page, "a little");
    await sees(text(page).getByText("warm", { exact: true }));
    const cdp = await context.newCDPSession(page);
    const heap = async () => {
      await cdp.send("HeapProfiler.collectGarbage");
      return (await cdp.send("Runtime.getHeapUsage")).usedSize;
    };
    const before = await heap();
    await say(page, "much");
    const begin = Date.now();
    await sees(page.getByRole("button", { name: "Stop" }));
    await until(() => page.getByRole("button", { name: "Stop" }).isHidden());
    tell(`${CHUNKS} chunks took`, (Date.now() - begin) / 1000, "s", "none");
    tell(`${CHUNKS} chunks: the heap grows`, ((await heap()) - before) / 1e6, "MB", 5);
  });
});
