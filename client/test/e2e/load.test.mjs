// What is asked for before a doc can be written in, from an empty cache.
import { test } from "node:test";
import assert from "node:assert/strict";
import { counting, noteWritable } from "./counting.mjs";
import { sees, until, withWorld } from "./real.mjs";

test("a doc can be written in after at most 12 requests, and what else the window shows comes behind that", () => withWorld({ replies: [] }, async ({ world, page }) => {
  world.write("# Quay\n\nThe rail was cold.\n", "p", "doc-main.md");
  const proxy = await counting();
  const fresh = await page.context().browser().newContext({ storageState: await page.context().storageState(), proxy: { server: proxy.address, bypass: "<-loopback>" } });
  try {
    const tab = await fresh.newPage();
    await tab.addInitScript(noteWritable);
    await tab.goto(`http://${world.addr}/#/project/p/docs/doc-main.md`);
    const text = tab.getByRole("textbox", { name: "Text of Quay" });
    await sees(text);
    const at = await tab.evaluate(() => window.writable);
    const before = proxy.asked.filter((a) => a.at <= at).map((a) => a.what);
    assert.ok(before.length >= 8 && before.length <= 12, `${before.length} requests:\n${before.join("\n")}`);
    assert.ok(before.includes("GET /project/p/file/doc-main.md"), before.join("\n")); // the proxy is in between
    await text.pressSequentially("Words. ");
    await sees(tab.getByText("Words."));
    // The stream, the dialogs and the rules come by themselves.
    for (const what of [/^GET \/live\?/, /^GET \/project\/p\/dialogs$/, /^GET \/health$/, /^GET \/project\/p\/rules$/]) await until(() => proxy.asked.some((a) => what.test(a.what)), String(what));
  } finally {
    await fresh.close();
    proxy.close();
  }
}));

test("a doc that is not there, and one of which no word comes, keep nothing back for long", () => withWorld({ replies: [] }, async ({ world, page, open }) => {
  world.write("# Quay\n", "p", "doc-main.md");
  const [gone, silent] = [await open("about:blank"), await open("about:blank")];
  await silent.route(/\/file\/doc-main\.md$/, () => undefined);
  for (const [tab, name] of [[gone, "doc-none.md"], [silent, "doc-main.md"]]) {
    const dialogs = tab.waitForRequest(/\/project\/p\/dialogs$/);
    await tab.goto(`http://${world.addr}/#/project/p/docs/${name}`);
    await dialogs;
  }
}, { expect: /404/ }));
