// Twenty dialogs that write 50 tokens a second each: frames a second on the board, and
// how long a key in a composer beside the list takes to be drawn.
//   npm run build && node test/measure/board.mjs
import { existsSync } from "node:fs";
import { chromium } from "playwright-core";
import { Mock } from "../mockserver.mjs";

const DIALOGS = 20, SECONDS = 8;
const WORDS = "the rail was cold and the glass sang and for the first time Ana did not count the turns of the lamp ".split(" ");

const mock = await new Mock().listen();
mock.addProject("lighthouse");
const all = Array.from({ length: DIALOGS }, (_, i) => mock.addDialog("lighthouse", `agent-${i}`, "claude", "claude-test", { title: `Agent ${i}`, words: "" }));
const rest = mock.addDialog("lighthouse", "rest", "claude", "claude-test", { title: "At rest" });
for (const d of all) mock.work(d);

// As the server: an entry at most five times a second, the text ten times.
let at = 0;
const timer = setInterval(() => {
  at += 10;
  for (const d of all) d.words = WORDS.slice(at % 10).concat(WORDS).slice(0, 30).join(" ");
}, 200);
const telling = setInterval(() => { for (const d of all) mock.tell(d); }, 200);
const writing = setInterval(() => {
  for (const d of all) {
    d.open = (d.open + " " + WORDS.slice(at % 20, (at % 20) + 5).join(" ")).slice(-4000);
    mock.emit(d, { type: "chunk", content: "" });
  }
}, 100);

const executablePath = process.env.CHROMIUM ?? ["/usr/bin/chromium", "/usr/bin/google-chrome"].find(existsSync);
const browser = await chromium.launch({ executablePath, args: ["--headless", "--no-sandbox", "--disable-gpu"] });
const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
await context.addInitScript(() => localStorage.setItem("vibey.token", "tok"));

const board = await context.newPage();
await board.goto(`${mock.url}#/project/lighthouse/board`);
await board.locator(".tile").nth(DIALOGS).waitFor();
const frames = await board.evaluate((ms) => new Promise((done) => {
  const gaps = [];
  let last = performance.now();
  const end = last + ms;
  const frame = (now) => {
    gaps.push(now - last);
    last = now;
    if (now < end) requestAnimationFrame(frame);
    else done(gaps.slice(1));
  };
  requestAnimationFrame(frame);
}), SECONDS * 1000);
const sorted = [...frames].sort((a, b) => a - b);
const p = (q) => sorted[Math.floor(sorted.length * q)].toFixed(1);
console.log(`board: ${(1000 * frames.length / frames.reduce((a, b) => a + b)).toFixed(1)} frames a second; a frame p50 ${p(0.5)} ms, p95 ${p(0.95)} ms, most ${p(0.9999)} ms`);
await board.close();

const dialog = await context.newPage();
await dialog.goto(`${mock.url}#/project/lighthouse/dialogs/${rest.id}`);
const box = dialog.getByRole("textbox", { name: "Message" });
await box.click();
await dialog.evaluate(() => {
  window.took = [];
  new PerformanceObserver((l) => { for (const e of l.getEntries()) if (e.name === "keydown") window.took.push(e.duration); }).observe({ type: "event", durationThreshold: 16 });
});
for (let i = 0; i < 60; i++) {
  await dialog.keyboard.press("x");
  await dialog.waitForTimeout(50);
}
const took = (await dialog.evaluate(() => window.took)).sort((a, b) => a - b);
// Keys that took less than 16 ms are not listed.
while (took.length < 60) took.unshift(16);
console.log(`composer: a key p50 ${took[30]} ms, p95 ${took[57]} ms`);
for (const t of [timer, telling, writing]) clearInterval(t);
await browser.close();
await mock.down();
