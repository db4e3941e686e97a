import { mock, test } from "node:test";
import assert from "node:assert/strict";

// What the lists need of a browser; its live stream says nothing here.
const kept = new Map([["vibey.token", "old"]]);
const shelf = { getItem: (k: string) => kept.get(k) ?? null, setItem: (k: string, v: string) => void kept.set(k, v), removeItem: (k: string) => void kept.delete(k) };
const none = () => undefined;
const browser = {
  localStorage: shelf, sessionStorage: shelf, addEventListener: none, removeEventListener: none, location: { hash: "" }, document: { visibilityState: "visible", title: "" }, navigator: {},
  LIVE_WORKER: "/worker.js", SharedWorker: class { port = { postMessage: none, close: none, onmessage: null }; },
};
for (const [name, value] of Object.entries(browser)) Object.defineProperty(globalThis, name, { value, configurable: true });
mock.timers.enable({ apis: ["setTimeout", "setInterval"] });

const settled = async () => { for (let i = 0; i < 20; i++) await new Promise<void>((ok) => setImmediate(ok)); };

test("what was refused by an old token is read again where another tab has signed in meanwhile", async () => {
  const refuse: (() => void)[] = [];
  globalThis.fetch = ((path: string, init: { headers: { Authorization: string } }) => {
    if (init.headers.Authorization === "Bearer old") return new Promise<Response>((ok) => refuse.push(() => ok(new Response("{}", { status: 401 }))));
    return Promise.resolve(new Response(path.endsWith("/files?titles=1") ? '[{"name":"doc-main.md","title":"Main"}]' : "[]"));
  }) as typeof fetch;
  const { token } = await import("../../src/state/session.ts");
  const { dialogs, files, openProject } = await import("../../src/state/project.ts");
  openProject("p");
  mock.timers.tick(60);
  await settled();
  assert.equal(refuse.length, 2);
  token.value = "new"; // as another tab's login tells it
  for (const f of refuse) f();
  await settled();
  mock.timers.tick(3000);
  await settled();
  assert.deepEqual([dialogs.peek(), files.peek()], [[], [{ name: "doc-main.md", title: "Main" }]]);
  openProject(null);
});
