// The real program and the scripted provider, each a process of its own.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

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
export class World {
  static async open(script, { keys = true, agent = "", flags = [] } = {}) {
    const w = new World();
    w.base = mkdtempSync(join(tmpdir(), "vibey-world-"));
    w.root = join(w.base, "root");
    w.keys = keys;
    w.flags = [...flags];
    if (agent !== "") {
      writeFileSync(join(w.base, "agent.txt"), agent);
      w.flags.push("--agent", `mock=${join(process.env.VIBEY_BUILT, "mock")} agent ${join(w.base, "agent.jsonl")} ${join(w.base, "agent.txt")}`);
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
    this.vibey = await start("vibey", ["serve", ...this.flags], env);
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

/** until waits for a condition outside the page. */
export async function until(is, what = String(is)) {
  for (let i = 0; i < 1200; i++) {
    const found = await is();
    if (found) return found;
    await new Promise((ok) => setTimeout(ok, 25));
  }
  assert.fail(`never: ${what}`);
}
