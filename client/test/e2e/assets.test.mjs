// The window's files as a browser gets them.
import { test } from "node:test";
import assert from "node:assert/strict";
import { get } from "node:http";
import { readdirSync } from "node:fs";
import { gunzipSync, gzipSync } from "node:zlib";
import { built } from "../dist.mjs";
import { sees, withWorld } from "./real.mjs";

const fetched = (url, accept) => new Promise((ok, no) => get(url, { headers: { "Accept-Encoding": accept } }, (r) => {
  const all = [];
  r.on("data", (b) => all.push(b)).on("end", () => ok({ encoding: r.headers["content-encoding"], bytes: Buffer.concat(all) }));
}).on("error", no));

test("scripts and sheets come in gzip, or as they are, and are the same", () => withWorld({ replies: [] }, async ({ world, page }) => {
  const names = await page.evaluate(() => performance.getEntriesByType("resource").map((e) => e.name).filter((n) => /\.(js|css)$/.test(n)));
  assert.ok(names.length >= 2, names.join(" "));
  let packed = 0;
  for (const name of names) {
    const [plain, gz] = [await fetched(name, "identity"), await fetched(name, "gzip, deflate, br")];
    if (plain.bytes.length < 1024) continue; // to pack so little saves nothing
    packed++;
    assert.deepEqual([plain.encoding, gz.encoding], [undefined, "gzip"], name);
    assert.ok(gunzipSync(gz.bytes).equals(plain.bytes) && gz.bytes.length < plain.bytes.length, name);
  }
  assert.ok(packed >= 2, `${packed} of ${names.length} were packed`);
  const r = await page.request.get(`http://${world.addr}/vibey-client.js`);
  assert.equal(r.headers()["content-encoding"], "gzip");
}));

// A script and all that it can't do without.
function closure(name, all = new Set()) {
  const bytes = built(name);
  if (all.has(name) || !bytes) return all;
  all.add(name);
  for (const [, from] of bytes.toString().matchAll(/(?:^|[;}\s])import\s*(?:[\w*${},\s]+from\s*)?"\.?\/?([^"]+)"/g)) closure(from.startsWith("assets/") ? from : "assets/" + from, all);
  return all;
}

const packed = (names) => [...names].reduce((sum, f) => sum + gzipSync(built(f)).length, 0);

test("the shell is at most 40 KB of script, and the editor 134 KB more", () => {
  const shell = closure("vibey-client.js");
  assert.ok(shell.size > 1, `${shell.size} scripts`); // the reading of the imports works
  assert.ok(packed(shell) <= 40_000, `the shell: ${packed(shell)} bytes`);
  const editor = readdirSync(new URL("../../dist/assets", import.meta.url)).filter((f) => /^editor-\w+\.js\.gz$/.test(f));
  assert.equal(editor.length, 1);
  const more = [...closure(`assets/${editor[0].slice(0, -3)}`)].filter((f) => !shell.has(f));
  assert.ok(packed(more) > 50_000 && packed(more) <= 134_000, `the editor: ${packed(more)} bytes`);
});

// As after a start of another version below an open window: its parts have other names, and no second try finds them.
test("a part of a window that is older than the server says to load the page again", () => withWorld({ replies: [] }, async ({ page }) => {
  await page.route(/\/assets\/palette-/, (r) => r.fulfill({ status: 404, body: "" }));
  await page.keyboard.press("Control+k");
  await sees(page.getByText("load the page again; what you have written is kept."));
  await page.unrouteAll();
  await page.reload();
  await sees(page.getByRole("heading", { name: "Projects" }));
  await page.keyboard.press("Control+k");
  await sees(page.getByRole("combobox", { name: "Find or do" }));
}, { expect: /404/ }));
