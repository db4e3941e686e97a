import { test } from "node:test";
import assert from "node:assert/strict";
import { partsOf } from "../../src/text/parts.ts";
import { alwaysAsks, callWords } from "../../src/text/calls.ts";
import { deletes } from "../../src/text/callwords.ts";
import { readInput, restOf } from "../../src/text/input.ts";

test("the question is asked in words", () => {
  assert.equal(callWords("edit_file", { path: "game/index.html" }).question, "Change game/index.html?");
  assert.equal(callWords("write_file", { path: "deed/a.txt", content: "one\ntwo\n" }).question, "Write deed/a.txt?");
  assert.equal(callWords("run_command", { command: "ls\n  -la" }).object, "ls -la");
  assert.deepEqual([callWords("message_agent", { dialogId: "20260216-201100-kid", text: "x" }).question, callWords("message_agent", {}).object], ["Send this message to the agent of kid?", "an agent"]);
  assert.equal(callWords("launch_agent", { provider: "openai", model: "gpt-5", slug: "draw" }).object, "draw (openai · gpt-5)");
  assert.equal(callWords("brew_tea", null).question, "Use brew_tea?");
});

test("an item for the plan is asked about in words, and nothing of it stays unseen", () => {
  const input = { kind: "decision", title: "Narrator", choice: "first person", why: "closeness", words: "let her tell it" };
  const asked = (more: object) => { const w = callWords("plan_decision_log", { ...input, ...more }); return [w.question, w.effect]; };
  assert.deepEqual(asked({}), ["Note in the plan: Narrator – first person?", "It goes among the decisions. It quotes you: “let her tell it”. Allowing it marks the item as confirmed by you."]);
  assert.deepEqual(asked({ words: undefined, kind: "idea" }), ["Note in the plan: Narrator – first person?", "It goes among the ideas."]);
  assert.deepEqual(asked({ title: 7, kind: "law", words: "a\nb" }), ["Note this in the plan?", "It quotes you, as is shown below. Allowing it marks the item as confirmed by you."]);
  const parts = (more: object) => partsOf("plan_decision_log", JSON.stringify({ ...input, ...more })).parts.map((p) => p.label);
  assert.deepEqual(parts({}), ["Why"]);
  assert.deepEqual(parts({ title: "a\nb", words: "x".repeat(301), kind: "law" }), ["Why", "kind", "title", "choice", "words"]);
  assert.equal(callWords("plan_decision_log", input).verb.done + " " + callWords("plan_decision_log", input).object, "Noted in the plan: Narrator");
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

test("a command that deletes or writes over is told as one", () => {
  for (const c of ["rm -rf book; ls", "cd deed && mv a b", "git clean -fd", "find . -name x -delete", "echo a > b.txt", "echo a >b", "ls; rm x"]) assert.ok(deletes(c), c);
  for (const c of ["ls -la", "grep form a.txt", "make 2>&1", "npm test 2>/dev/null", "echo a >> b.txt", "node run.js > /dev/null", "cat storm.txt"]) assert.ok(!deletes(c), c);
  const w = callWords("run_command", { command: "rm -rf book" }, "bwrap");
  assert.ok(w.loses && w.effect.startsWith("It deletes files or writes over them, and Undo may not bring them back. Stays inside this project"));
  assert.ok(callWords("run_command", { command: "rm -rf book" }, "bwrap", false, true).effect.startsWith("It deletes files or writes over them. Stays inside this project"));
});
