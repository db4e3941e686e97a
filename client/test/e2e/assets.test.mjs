// The window's files as a browser gets them.
import { test } from "node:test";
import assert from "node:assert/strict";
import { get } from "node:http";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { withWorld } from "./real.mjs";

const fetched = (url, accept) => new Promise((ok, no) => get(url, { headers: { "Accept-Encoding": accept } }, (r) => {
  const all = [];
  r.on("data", (b) => all.push(b)).on("end", () => ok({ encoding: r.headers["content-encoding"], bytes: Buffer.concat(all) }));
}).on("error", no));

test("scripts and sheets come in brotli, or in gzip, and are the same", () => withWorld({ replies: [] }, async ({ world, page }) => {
  const names = await page.evaluate(() => performance.getEntriesByType("resource").map((e) => e.name).filter((n) => /\.(js|css)$/.test(n)));
  assert.ok(names.length >= 2, names.join(" "));
  let packed = 0;
  for (const name of names) {
    const [plain, br, gz] = [await fetched(name, "identity"), await fetched(name, "gzip, deflate, br"), await fetched(name, "gzip")];
    if (plain.bytes.length < 1024) continue; // to pack so little saves nothing
    packed++;
    assert.deepEqual([plain.encoding, br.encoding, gz.encoding], [undefined, "br", "gzip"], name);
    assert.ok(brotliDecompressSync(br.bytes).equals(plain.bytes) && gunzipSync(gz.bytes).equals(plain.bytes), name);
    assert.ok(br.bytes.length < gz.bytes.length, name);
  }
  assert.ok(packed >= 2, `${packed} of ${names.length} were packed`);
  const r = await page.request.get(`http://${world.addr}/vibey-client.js`);
  assert.equal(r.headers()["content-encoding"], "br");
}));
