// A Chromium before the real program.
import { after, before } from "node:test";
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { chromium } from "playwright-core";
import { until, World } from "./world.mjs";

export { until };

const ARGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];

let browser;
let failures = 1;
before(async () => {
  const executablePath = process.env.CHROMIUM ?? ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(existsSync);
  assert.ok(executablePath, "no Chromium found: install it, or name it in CHROMIUM");
  browser = await chromium.launch({ executablePath, args: ARGS });
});
after(() => browser?.close());

/**
 * withWorld runs a test with a page of the real window, logged in by the
 * printed address. What the page logs as an error, also a broken content
 * policy, fails the test, but for what `expect` matches; so does a request to
 * another origin, but for what `elsewhere` matches. `agent` is the script of an agent over
 * ACP, which is called mock; `flags` are more flags of the program.
 */
export async function withWorld(script, run, { width = 1280, height = 860, dark = false, keys = true, agent = "", flags = [], expect = /^$/, elsewhere = /^$/ } = {}) {
  const world = await World.open(script, { keys, agent, flags });
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: dark ? "dark" : "light", reducedMotion: "reduce" });
  const errors = [];
  const open = async (to) => {
    const page = await context.newPage();
    page.setDefaultTimeout(30_000); // a busy machine is slow, and no less right
    page.on("pageerror", (e) => errors.push(String(e)));
    page.on("console", (m) => { if (m.type() === "error" && !expect.test(m.text())) errors.push(m.text()); });
    page.on("request", (r) => { if (!r.url().startsWith("http://" + world.addr) && !/^(data|blob):/.test(r.url()) && !elsewhere.test(r.url())) errors.push("asked elsewhere: " + r.url()); });
    // A click on what asks counts once it rests, and so a person waits for that.
    await page.addLocatorHandler(page.locator("[data-settling]").first(), () => undefined);
    await page.goto(to);
    return page;
  };
  try {
    const page = await open(world.url);
    await sees(page.getByRole("heading", { name: keys ? "Projects" : "First light" })); // without a key a first visit begins there
    await run({ world, page, context, open });
    assert.deepEqual(errors, [], "the page logged errors");
    assert.ok(!/level=ERROR/.test(world.vibey.log()), world.vibey.log());
  } catch (e) {
    for (const [i, page] of context.pages().entries()) await shot(page, `failed-${failures}-${i + 1}`);
    failures++;
    throw e;
  } finally {
    await context.close();
    await world.close();
  }
}

/** shot keeps a picture for human eyes, where VIBEY_SHOTS names a folder. */
export async function shot(page, name) {
  if (process.env.VIBEY_SHOTS) await page.screenshot({ path: join(process.env.VIBEY_SHOTS, name + ".png") });
}

/** sees waits until a locator is visible. */
export const sees = (locator) => locator.waitFor({ state: "visible" });
/** gone waits until a locator is not there. */
export const gone = (locator) => locator.waitFor({ state: "hidden" });

/** agrees waits until what is read is what is wanted, for it may come a moment after the click that makes it so. */
export async function agrees(read, want) {
  const end = Date.now() + 30_000;
  while (Date.now() < end && !isDeepStrictEqual(await read(), want)) await new Promise((ok) => setTimeout(ok, 15));
  assert.deepEqual(await read(), want);
}

/** counts waits until so many elements are there. */
export const counts = (locator, n) => agrees(() => locator.count(), n);
/** holds waits until a field has that text. */
export const holds = (field, text) => agrees(() => field.inputValue(), text);

/** project makes a project in the window. */
export async function project(page, name) {
  await page.getByRole("button", { name: "New project" }).click();
  await page.getByLabel("Project title").fill(name);
  await page.getByRole("button", { name: "Create project" }).click();
  await sees(page.getByRole("link", { name: "Docs" }).and(page.locator("[aria-current=page]")));
}

/** dialog makes a draft of that name in the project in view, and opens it. */
export async function dialog(page, name, provider) {
  await page.evaluate(async ([title, provider]) => {
    const project = location.hash.split("/")[2];
    const headers = { Authorization: `Bearer ${localStorage.getItem("vibey.token")}`, "Content-Type": "application/json" };
    const res = await fetch(`/project/${project}/dialog/new`, { method: "POST", headers, body: JSON.stringify({ title, provider }) });
    location.hash = `#/project/${project}/dialogs/${(await res.json()).dialogId}`;
  }, [name, provider]);
  await sees(page.getByRole("textbox", { name: "Message" }));
}

/** say writes a message and sends it. */
export async function say(page, text) {
  await page.getByRole("textbox", { name: "Message" }).fill(text);
  await page.getByRole("button", { name: "Send", exact: true }).click();
}

/** allow answers the one question that is asked, once all of it was in view: a card that just does not fit wants that. */
export async function allow(page) {
  await read(card(page), page.getByRole("button", { name: "Allow once" }));
  await decides(page, () => page.getByRole("button", { name: "Allow once", disabled: false }).click());
}

/** decides clicks until an answer is sent: a click was too soon where the card has just moved, and then a person clicks again. */
export async function decides(page, click) {
  for (let sent = false; !sent; ) {
    const put = page.waitForRequest((r) => r.method() === "PUT", { timeout: 3000 }).then(() => true, () => false);
    await click();
    sent = await put;
  }
}

/** read reads on in a part of the page until what needs it is on. */
export const read = (part, button) => until(async () => {
  const on = part.getByRole("button", { name: "Read on" });
  await on.evaluateAll((all) => all.forEach((e) => e.click()));
  return !(await button.evaluate((e) => e.disabled)); // isDisabled() is also true while the card has just moved
}, "all of it was read");

export const card = (page) => page.getByTestId("approval");
export const text = (page) => page.getByRole("region", { name: "Dialog text" });
