// Each class that a piece of code may have has a rule.
import { test } from "node:test";
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";

test("code has colours", () => {
  const given = readFileSync("src/editor/highlight.ts", "utf8");
  const css = readFileSync("src/css/code.css", "utf8");
  const classes = new Set([...given.matchAll(/"(code-[a-z]+)"/g)].map((m) => m[1]));
  assert.deepEqual([...classes].sort(), ["code-added", "code-comment", "code-keyword", "code-name", "code-number", "code-removed", "code-string"]);
  for (const c of classes) assert.match(css, new RegExp(`\\.${c} \\{`), c);
});
