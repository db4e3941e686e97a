// Firefox, over WebDriver BiDi, which it speaks by itself.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** open starts a Firefox with a profile of its own, without a window or, where `display` is the environment of a screen, filling that. */
export async function open(executable, { width, height, display }) {
  const profile = mkdtempSync(join(display?.HOME ?? tmpdir(), "vibey-firefox-"));
  const look = display ? ["--kiosk"] : ["--headless", `--width=${width}`, `--height=${height}`];
  const child = spawn(executable, [...look, "--no-remote", "--profile", profile, "--remote-debugging-port=0", display ? "data:text/html," : "about:blank"], { stdio: ["ignore", "ignore", "pipe"], env: { ...process.env, ...display, HOME: profile } });
  const gone = new Promise((ok) => child.on("exit", ok));
  const address = await new Promise((ok, no) => {
    let log = "";
    child.stderr.on("data", (b) => {
      log += b;
      const m = /BiDi listening on (ws:\S+)/.exec(log);
      if (m) ok(m[1]);
    });
    void gone.then(() => no(new Error("Firefox ended before it listened: " + log)));
  });
  const socket = new WebSocket(address + "/session");
  await new Promise((ok, no) => { socket.onopen = ok; socket.onerror = no; });
  const ended = new Promise((_, no) => { socket.onclose = () => no(new Error("Firefox ended")); });
  ended.catch(() => undefined); // it tells what waits, if anything does
  const waits = new Map();
  let ids = 0;
  socket.onmessage = (m) => {
    const answer = JSON.parse(m.data);
    waits.get(answer.id)?.(answer);
    waits.delete(answer.id);
  };
  const send = async (method, params) => {
    const id = ++ids;
    const answer = await Promise.race([ended, new Promise((ok) => { waits.set(id, ok); socket.send(JSON.stringify({ id, method, params })); })]);
    if (answer.type === "error") throw new Error(`${method}: ${answer.error}: ${answer.message}`);
    return answer.result;
  };
  await send("session.new", { capabilities: {} });
  const context = (await send("browsingContext.getTree", {})).contexts[0].context;
  if (!display) await send("browsingContext.setViewport", { context, viewport: { width, height } });
  return {
    navigate: (url) => send("browsingContext.navigate", { context, url, wait: "complete" }),
    async script(f, ...args) {
      const r = await send("script.evaluate", { expression: `JSON.stringify((${f})(...${JSON.stringify(args)})) ?? "null"`, target: { context }, awaitPromise: true });
      if (r.type !== "success") throw new Error(r.exceptionDetails.text);
      return JSON.parse(r.result.value);
    },
    act: (actions) => send("input.performActions", { context, actions }),
    shot: async () => Buffer.from((await send("browsingContext.captureScreenshot", { context })).data, "base64"),
    async end() {
      socket.close();
      child.kill("SIGKILL");
      await gone;
      rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
