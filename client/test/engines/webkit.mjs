// WebKitGTK's small browser, over WebDriver.
import { spawn } from "node:child_process";
import { createServer } from "node:net";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** open starts a WebKitGTK behind its driver, in a display of its own. */
export async function open(executable, { width, height }) {
  const home = mkdtempSync(join(tmpdir(), "vibey-webkit-"));
  const display = spawn("Xvfb", ["-displayfd", "1", "-screen", "0", "1400x1000x24", "-nolisten", "tcp"], { stdio: ["ignore", "pipe", "ignore"] });
  const number = await new Promise((ok, no) => {
    display.stdout.once("data", (b) => ok(String(b).trim()));
    display.once("exit", () => no(new Error("Xvfb ended before it began")));
  });
  const port = await free();
  const driver = spawn("WebKitWebDriver", ["--host=127.0.0.1", `--port=${port}`], { stdio: "ignore", env: { ...process.env, DISPLAY: ":" + number, HOME: home, XDG_DATA_HOME: home, XDG_CACHE_HOME: home, WEBKIT_DISABLE_COMPOSITING_MODE: "1", LIBGL_ALWAYS_SOFTWARE: "1" } });
  const gone = new Promise((ok) => driver.on("exit", ok));
  const send = async (method, path, body) => {
    const r = await fetch(`http://127.0.0.1:${port}${path}`, { method, body: body && JSON.stringify(body) });
    const { value } = await r.json();
    if (!r.ok) throw new Error(`${path}: ${value.error}: ${value.message}`);
    return value;
  };
  for (let i = 0; ; i++) {
    try { await send("GET", "/status"); break; } catch (e) { if (i === 200) throw e; }
    await new Promise((ok) => setTimeout(ok, 50));
  }
  const { sessionId } = await send("POST", "/session", { capabilities: { alwaysMatch: { browserName: "MiniBrowser", "webkitgtk:browserOptions": { binary: executable, args: ["--automation"] } } } });
  const at = "/session/" + sessionId;
  await send("POST", at + "/window/rect", { width, height });
  return {
    navigate: (url) => send("POST", at + "/url", { url }),
    script: (f, ...args) => send("POST", at + "/execute/sync", { script: `return (${f})(...arguments)`, args }),
    act: (actions) => send("POST", at + "/actions", { actions }),
    shot: async () => Buffer.from(await send("GET", at + "/screenshot"), "base64"),
    async end() {
      await send("DELETE", at).catch(() => undefined);
      driver.kill("SIGKILL");
      await gone;
      display.kill("SIGKILL");
      try {
        rmSync(home, { recursive: true, force: true, maxRetries: 5 });
      } catch (e) {
        if (e.code !== "EBUSY") throw e; // a portal of the desktop has a mount in it, as long as it lives
      }
    },
  };
}

/** free is a port that nothing listens on. */
const free = () => new Promise((ok) => {
  const s = createServer().listen(0, "127.0.0.1", () => {
    const { port } = s.address();
    s.close(() => ok(port));
  });
});
