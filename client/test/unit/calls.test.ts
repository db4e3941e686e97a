import { test } from "node:test";
import assert from "node:assert/strict";
import { alwaysAsks, callWords, readInput, restOf } from "../../src/text/calls.ts";

test("the question is asked in words", () => {
  assert.equal(callWords("edit_file", { path: "game/index.html" }).question, "Change game/index.html?");
  assert.equal(callWords("write_file", { path: "deed/a.txt", content: "one\ntwo\n" }).effect, "The file gets 2 lines (8 bytes).");
  assert.equal(callWords("run_command", { command: "ls\n  -la" }).object, "ls -la");
  assert.equal(callWords("launch_agent", { provider: "openai", model: "gpt-5", slug: "draw" }).object, "draw (openai · gpt-5)");
  assert.equal(callWords("brew_tea", null).question, "Use brew_tea?");
});

test("input that readers could disagree on is told apart", () => {
  assert.equal(readInput('{"command":"ls"}').warning, "");
  assert.equal(readInput("").warning, "");
  for (const bad of ['{"command":"ls","command":"rm"}', '{"command":"ls","Command":"rm"}', '{"a":1,"\\u0061":2}', "[1]", "{", '"x"', "null"]) {
    assert.notEqual(readInput(bad).warning, "", bad);
  }
  // The same name deeper down is another member.
  assert.equal(readInput('{"a":{"a":1},"b":[{"a":2}],"c":"\\"a\\":{"}').warning, "");
});

test("no member of the input stays unseen", () => {
  assert.deepEqual(restOf({ path: "x", content: "y", mode: 7, why: "z" }, ["path", "content"]), [{ name: "mode", value: "7" }, { name: "why", value: "z" }]);
});

test("what a blanket allow never covers is said", () => {
  assert.notEqual(alwaysAsks("edit_file", { path: "doc-main.md" }, "bwrap"), "");
  assert.notEqual(alwaysAsks("write_file", { path: "./DOC-MAIN.md" }, "bwrap"), "");
  assert.notEqual(alwaysAsks("run_command", {}, "none"), "");
  assert.notEqual(alwaysAsks("start_server", {}, "none"), "");
  assert.equal(alwaysAsks("run_command", {}, "bwrap"), "");
  assert.equal(alwaysAsks("edit_file", { path: "doc-notes.md" }, "none"), "");
});
