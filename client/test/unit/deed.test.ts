import { test } from "node:test";
import assert from "node:assert/strict";
import { addressOf, firstPage, inDeed, treeOf } from "../../src/text/deed.ts";
import { readRoute, writeRoute } from "../../src/text/route.ts";

const file = (path: string) => ({ path, bytes: 1, mtime: "" });

test("paths become folders, in their order", () => {
  const top = treeOf(["a/b/c.txt", "a/d.txt", "e.txt"].map(file));
  assert.deepEqual(top.files.map((f) => f.name), ["e.txt"]);
  assert.deepEqual(top.folders.map((f) => [f.name, f.path, f.files.map((x) => x.name), f.folders.map((x) => x.path)]), [["a", "a/", ["d.txt"], ["a/b/"]]]);
});

test("the first page is the index, and each file has an address", () => {
  assert.equal(firstPage(["a/x.html", "index.html"].map(file)), "index.html");
  assert.equal(firstPage(["a.txt", "a/x.html"].map(file)), "a/x.html");
  assert.equal(firstPage([file("a.txt")]), null);
  assert.equal(addressOf("http://127.0.0.1:1/w/", "my game/a?.html"), "http://127.0.0.1:1/w/my%20game/a%3F.html");
  assert.deepEqual(["deed/a/b", "deed/", "doc-a.md"].map(inDeed), ["a/b", null, null]);
});

test("a file of the deed has a place of its own", () => {
  for (const path of [null, "index.html", "my game/a?#.html"]) {
    const r = { at: "deed" as const, project: "p", path };
    assert.deepEqual(readRoute(writeRoute(r)), r);
  }
});
