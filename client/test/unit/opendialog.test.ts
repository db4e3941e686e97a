import { mock, test } from "node:test";
import assert from "node:assert/strict";
import type { Section } from "../../src/types.ts";

// What the class needs of a browser; its live stream says nothing here.
const kept = new Map<string, string>();
const shelf = { getItem: (k: string) => kept.get(k) ?? null, setItem: (k: string, v: string) => void kept.set(k, v), removeItem: (k: string) => void kept.delete(k) };
const none = () => undefined;
const browser = {
  localStorage: shelf, sessionStorage: shelf, addEventListener: none, removeEventListener: none, location: { hash: "" }, document: { visibilityState: "visible" }, navigator: {},
  LIVE_WORKER: "/worker.js", SharedWorker: class { port = { postMessage: none, close: none, onmessage: null }; },
};
for (const [name, value] of Object.entries(browser)) Object.defineProperty(globalThis, name, { value, configurable: true });
mock.timers.enable({ apis: ["setTimeout", "setInterval"] });

const settled = async () => { for (let i = 0; i < 20; i++) await new Promise<void>((ok) => setImmediate(ok)); };
const section = (n: number): Section => ({ role: "User", id: `m${n}`, time: "", resources: { in: 0, out: 0, total: 0, tools: 0, ms: 0 }, meta: {}, payloads: [{ type: "input/markdown", text: String(n) }] });
const json = (v: unknown, status = 200) => new Response(JSON.stringify(v), { status, headers: { "Content-Type": "application/json" } });
const call = { id: "c1", tool: "run_command", input: {}, inputText: "{}", sha256: "ab" };

// A dialog of 200 sections that asks; `earlier` answers for those before the last 80.
async function opened(earlier: (all: () => Response) => Response | Promise<Response>) {
  globalThis.fetch = (async (path: string, init: RequestInit) => {
    if (init.method === "PUT") return json({ type: "x:stale", title: "It changed." }, 409);
    const from = Number(new URL(path, "http://h").searchParams.get("from"));
    const head = { dialogId: "d", filename: "f", status: "waiting", needs: "approval", pending: [call], provider: "p", model: "m", total: 200, at: "1+0" };
    const all = (first: number, n: number) => json({ ...head, from: first, sections: Array.from({ length: n }, (_, i) => section(first + i)) });
    return from < 0 ? all(120, 80) : earlier(() => all(0, 120));
  }) as typeof fetch;
  const { OpenDialog } = await import("../../src/state/dialog.ts");
  const d = new OpenDialog("p", "d");
  await settled();
  return d;
}

test("a decision that was refused while the earlier sections were still read reads the dialog again", async () => {
  let answer: (() => void) | null = null;
  const d = await opened((all) => (answer === null ? new Promise<Response>((ok) => { answer = () => ok(all()); }) : all()));
  assert.equal(d.known.peek().earlier, 120);
  const decided = d.decide([{ call, verdict: "deny" }], [], "m200");
  await settled();
  answer!();
  await decided;
  await settled();
  assert.deepEqual([d.known.peek().loaded, d.known.peek().sections.length, d.known.peek().earlier], [true, 200, 0]);
  d.close();
});

test("earlier sections that could not be read once are asked for again", async () => {
  let asked = 0;
  const d = await opened((all) => (asked++ === 0 ? json({ title: "busy" }, 503) : all()));
  assert.deepEqual([asked, d.known.peek().earlier], [1, 120]);
  mock.timers.tick(2000);
  await settled();
  assert.deepEqual([asked, d.known.peek().sections.length, d.known.peek().earlier], [2, 200, 0]);
  d.close();
});

test("a Continue that is refused leaves the failure that it was for", async () => {
  const d = await opened((all) => all());
  const failure = { title: "The model did not answer.", detail: "", raw: "", again: true };
  d.known.value = { ...d.known.peek(), failure };
  await assert.rejects(d.resume());
  assert.deepEqual(d.known.peek().failure, failure);
  d.close();
});
