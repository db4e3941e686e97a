// The real program and the scripted provider, each a process of its own, and a
// Chromium before them.
import { after, before } from "node:test";
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { chromium } from "playwright-core";

const ARGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];

let browser;
let failures = 1;
before(async () => {
  const executablePath = process.env.CHROMIUM ?? ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(existsSync);
  assert.ok(executablePath, "no Chromium found: install it, or name it in CHROMIUM");
  browser = await chromium.launch({ executablePath, args: ARGS });
});
after(() => browser?.close());

/** start runs one of the built programs until `stop`, and waits for its first line. */
async function start(name, args, env) {
  const child = spawn(join(process.env.VIBEY_BUILT, name), args, { env: { PATH: process.env.PATH, ...env }, stdio: ["ignore", "pipe", "pipe"] });
  let out = "", log = "";
  const gone = new Promise((ok) => child.on("exit", ok));
  child.stderr.on("data", (b) => { log += b; });
  const line = await new Promise((ok, no) => {
    child.stdout.on("data", (b) => {
      out += b;
      if (out.includes("\n")) ok(out.slice(0, out.indexOf("\n")));
    });
    void gone.then(() => no(new Error(`${name} ended before its first line: ${log}`)));
  });
  return { line, log: () => log, signal: (name) => child.kill(name), stop: async (signal = "SIGTERM") => { child.kill(signal); await gone; } };
}

/** World is one folder of projects with its program and its provider. */
class World {
  static async open(script, { keys = true, agent = "" } = {}) {
    const w = new World();
    w.base = mkdtempSync(join(tmpdir(), "vibey-world-"));
    w.root = join(w.base, "root");
    w.keys = keys;
    if (agent !== "") {
      writeFileSync(join(w.base, "agent.txt"), agent);
      w.flags = ["--agent", `mock=${join(process.env.VIBEY_BUILT, "mock")} agent ${join(w.base, "agent.jsonl")} ${join(w.base, "agent.txt")}`];
    }
    writeFileSync(join(w.base, "script.json"), JSON.stringify(script));
    w.mock = await start("mock", [join(w.base, "script.json")], {});
    await w.serve();
    return w;
  }

  /** serve starts the program, on the same port again where it ran before. */
  async serve() {
    const env = { HOME: this.base, VIBEY_DIR: this.root, VIBEY_STATE: join(this.base, "state"), VIBEY_ADDR: this.addr ?? "127.0.0.1:0", ANTHROPIC_BASE_URL: this.mock.line, OPENAI_BASE_URL: this.mock.line + "/v1" };
    if (this.keys) Object.assign(env, { ANTHROPIC_API_KEY: "k", OPENAI_API_KEY: "k" });
    this.vibey = await start("vibey", ["serve", ...(this.flags ?? [])], env);
    this.url = this.vibey.line.replace("vibey: ", "");
    this.addr = new URL(this.url).host;
  }

  async close() {
    await this.vibey.stop("SIGKILL");
    await this.mock.stop("SIGKILL");
    rmSync(this.base, { recursive: true, force: true });
  }

  path(...parts) { return join(this.root, ...parts); }
  read(...parts) { return readFileSync(this.path(...parts), "utf8"); }
  there(...parts) { return existsSync(this.path(...parts)); }
  names(...parts) { return readdirSync(this.path(...parts)); }
  write(text, ...parts) {
    mkdirSync(dirname(this.path(...parts)), { recursive: true });
    writeFileSync(this.path(...parts), text);
  }

  /** heard are the messages that the agent got, oldest first. */
  heard() { return readFileSync(join(this.base, "agent.jsonl"), "utf8").trim().split("\n").map((l) => JSON.parse(l)); }

  /** ask makes a request with the token, as a script would. */
  async ask(method, path, body) {
    const headers = { Authorization: "Bearer " + readFileSync(join(this.base, "state", "token"), "utf8").trim() };
    if (body !== undefined) headers["Content-Type"] = "application/json";
    const r = await fetch(`http://${this.addr}${path}`, { method, headers, body: body === undefined ? undefined : JSON.stringify(body) });
    const text = await r.text();
    assert.ok(r.ok, `${method} ${path}: ${r.status} ${text}`);
    return r.headers.get("Content-Type")?.startsWith("application/json") ? JSON.parse(text) : text;
  }

  /** bodies are the requests that the provider got; each must have been legal. */
  async bodies() {
    const all = await (await fetch(this.mock.line + "/_bodies")).json();
    for (const b of all) assert.equal(b.fault ?? "", "", b.text);
    return all;
  }
}

/**
 * withWorld runs a test with a page of the real window, logged in by the
 * printed address. What the page logs as an error, also a broken content
 * policy, fails the test, but for what `expect` matches; so does a request to
 * another origin, but for what `elsewhere` matches. `agent` is the script of an agent over
 * ACP, which is called mock.
 */
export async function withWorld(script, run, { width = 1280, height = 860, dark = false, keys = true, agent = "", expect = /^$/, elsewhere = /^$/ } = {}) {
  const world = await World.open(script, { keys, agent });
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

/** until waits for a condition outside the page. */
export async function until(is, what = String(is)) {
  for (let i = 0; i < 1200; i++) {
    const found = await is();
    if (found) return found;
    await new Promise((ok) => setTimeout(ok, 25));
  }
  assert.fail(`never: ${what}`);
}

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
  await page.getByRole("button", { name: "Allow once", disabled: false }).click();
}

/** read reads on in a part of the page until what needs it is on. */
export const read = (part, button) => until(async () => {
  const on = part.getByRole("button", { name: "Read on" });
  await on.evaluateAll((all) => all.forEach((e) => e.click()));
  return !(await button.evaluate((e) => e.disabled)); // isDisabled() is also true while the card has just moved
}, "all of it was read");

export const card = (page) => page.getByTestId("approval");
export const text = (page) => page.getByRole("region", { name: "Dialog text" });
