// Each class that the server's rendering gives a piece of code has a rule here:
// the page puts "md-" in front of what it takes over (view/html.ts).
import { test } from "node:test";
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";

test("code has colours", () => {
  const go = readFileSync("../server/markdown/highlight.go", "utf8");
  const css = readFileSync("src/css/prose.css", "utf8");
  const classes = [...go.matchAll(/(?:class = |s\.mark\(i, end, |s\.commentEnd\(i\), |s\.stringEnd\(i\), |s\.wordEnd\(i\), )"([a-z]{1,2})"/g)].map((m) => m[1]);
  assert.deepEqual([...new Set(classes)].sort(), ["c", "gd", "gi", "gu", "k", "m", "nt", "s"]);
  for (const c of classes) assert.match(css, new RegExp(`\\.md-${c}\\b`), c);
});
