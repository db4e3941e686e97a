import { test } from "node:test";
import assert from "node:assert/strict";
import { allowWords, offersFor } from "../../src/text/allow.ts";

const offers = (tool: string, path: string) => offersFor({ tool, inputText: JSON.stringify({ path }) }).map((o) => o.subject);

test("a folder is offered for what writes below one, and only one that the server takes", () => {
  assert.deepEqual(offers("edit_file", "deed/my game/a.js"), ["edit_file deed/my game/", "edit_file"]);
  assert.deepEqual(offers("write_file", "deed/a.js"), ["write_file deed/", "write_file"]);
  assert.deepEqual(offers("edit_file", "doc-a.md"), ["edit_file"]);
  assert.deepEqual(offers("read_file", "deed/a.js"), ["read_file"]);
  for (const path of ["deed/../a.js", "/etc/a", "deed//a", "./a", "deed/\u202ea/b", "C:/a"]) assert.deepEqual(offers("edit_file", path), ["edit_file"], path);
});

test("what is allowed is told in words", () => {
  assert.deepEqual(["edit_file", "edit_file deed/my game/", "write_file deed/", "run_command", "brew"].map(allowWords), ["changes to files", "changes in deed/my game/", "writing files in deed/", "commands", "brew"]);
});
