// One Chromium a test file, one page and one mock a test. VIBEY_SLOW says how many times
// slower than this machine the pages are.
import { after, before } from "node:test";
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { chromium } from "playwright-core";
import { Mock } from "../mockserver.mjs";

const ARGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];

// The headless shell is the same engine without the desktop around it: these tests need half the CPU with it.
const EXECUTABLES = ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

const SLOW = Number(process.env.VIBEY_SLOW ?? 1);

let browser;
before(async () => {
  const executablePath = process.env.CHROMIUM ?? EXECUTABLES.find(existsSync);
  assert.ok(executablePath, "no Chromium found: install it, or name it in CHROMIUM");
  browser = await chromium.launch({ executablePath, args: ARGS });
});
after(() => browser?.close());

/**
 * withWindow runs a test in a fresh browser context that is logged in. Whatever
 * the page logs as an error, also a broken content policy, fails the test, but
 * for what `expect` matches. With `clock` the page's time can be moved on.
 */
export async function withWindow(run, { width = 1280, height = 860, dark = false, project = "lighthouse", path = "", expect = /^$/, login = true, clock = false } = {}) {
  const mock = await new Mock().listen();
  if (project) mock.addProject(project);
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: dark ? "dark" : "light", reducedMotion: "reduce" });
  await context.addInitScript(() => { if (self === top) localStorage.setItem("vibey.pointed", "yes"); });
  if (login) await context.addInitScript(() => { if (self === top) localStorage.setItem("vibey.token", "tok"); });
  if (clock) await context.clock.install(); // it runs, and fastForward makes it jump
  const errors = [];
  const open = async (to = path) => {
    const page = await context.newPage();
    if (SLOW > 1) await (await context.newCDPSession(page)).send("Emulation.setCPUThrottlingRate", { rate: SLOW });
    page.setDefaultTimeout(30_000); // a busy machine is slow, and no less right
    page.on("pageerror", (e) => errors.push(String(e)));
    page.on("console", (m) => { if (m.type() === "error" && !expect.test(m.text())) errors.push(m.text()); });
    // A click on what asks counts once it rests, and so a person waits for that.
    await page.addLocatorHandler(settling(page), () => undefined);
    await page.goto(mock.url + to);
    return page;
  };
  try {
    const page = await open();
    await run({ page, mock, open, context });
    assert.deepEqual(errors, [], "the page logged errors");
  } finally {
    await context.close();
    await mock.down();
  }
}

/** draft opens a dialog that was just created in the mock. */
export async function draft(page, mock, slug = "please-start", provider, model) {
  const d = mock.addDialog("lighthouse", slug, provider, model);
  await page.goto(`${mock.url}#/project/lighthouse/dialogs/${d.id}`);
  await page.getByRole("heading", { name: slug, level: 1 }).waitFor();
  return d;
}

/** say writes a message and sends it. */
export async function say(page, text) {
  await page.getByRole("textbox", { name: "Message" }).fill(text);
  await page.getByRole("button", { name: "Send", exact: true }).click();
}

/** sees waits until a locator is visible. */
export const sees = (locator) => locator.waitFor({ state: "visible" });
const settling = (page) => page.locator("[data-settling]").first();

/** pause stops the page's clock at a time. Nothing comes to rest then, and nothing waits for that. */
export async function pause(page, at) {
  await page.removeLocatorHandler(settling(page));
  await page.clock.pauseAt(at);
}

/** rests waits until a card that asks is there, and counts what is clicked on it. */
export const rests = (page) => until(async () => (await page.getByTestId("approval").count()) > 0 && (await page.locator("[data-settling]").count()) === 0, "the question rests");
/** gone waits until a locator is not there. */
export const gone = (locator) => locator.waitFor({ state: "hidden" });

/** until waits for a condition of the mock. */
export async function until(is, what = String(is)) {
  const end = Date.now() + 30_000;
  do {
    if (await is()) return;
    await new Promise((ok) => setTimeout(ok, 25));
  } while (Date.now() < end);
  assert.fail(`never: ${what}`);
}

/** agrees waits until what is read is what is wanted, for it may come a moment after the click that makes it so. */
export async function agrees(read, want) {
  const end = Date.now() + 30_000;
  while (Date.now() < end && !isDeepStrictEqual(await read(), want)) await new Promise((ok) => setTimeout(ok, 25));
  assert.deepEqual(await read(), want);
}

/** counts waits until so many elements are there. */
export const counts = (locator, n) => agrees(() => locator.count(), n);
/** holds waits until a field has that text. */
export const holds = (field, text) => agrees(() => field.inputValue(), text);
/** hasFocus waits until an element has the focus. */
export const hasFocus = (locator) => agrees(() => locator.evaluate((e) => e === document.activeElement), true);
