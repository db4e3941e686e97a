import { test } from "node:test";
import assert from "node:assert/strict";
import type { Call, FileTarget } from "../../src/types.ts";
import { fileEffect, type Before } from "../../src/text/file.ts";
import { partsOf } from "../../src/text/parts.ts";
import { controlText, decisionsOf, readControl } from "../../src/text/control.ts";

const call = (id: string) => ({ id, sha256: "ab".repeat(32) });

test("an approval carries the hash of what was shown, a denial does not", () => {
  assert.equal(
    controlText([{ call: call("toolu_1"), verdict: "approve" }, { call: call("toolu_2"), verdict: "deny" }], ["edit_file", "edit_file"]),
    `əəəcontrol/v1\ntoolu_1 approve sha256:${"ab".repeat(32)}\ntoolu_2 deny\nallow edit_file\nəəə`,
  );
});

test("an approval is bound to the file that was shown too", () => {
  const line = (target?: FileTarget) => controlText([{ call: { ...call("c1"), ...(target ? { target } : {}) }, verdict: "approve" }]).split("\n")[1];
  const approved = `c1 approve sha256:${"ab".repeat(32)}`;
  assert.equal(line({ path: "a", sha256: "cd".repeat(32), exists: true, bytes: 3 }), `${approved} target:${"cd".repeat(32)} path:a`);
  assert.equal(line({ path: "deed/my game/a b", exists: false, bytes: 0 }), `${approved} target:none path:deed/my game/a b`);
  assert.equal(line({ path: "a", exists: true, bytes: 1e9 }), `${approved} path:a`);
  for (const path of ["", " a", "a ", "a\nb", "a\u2028b"]) assert.equal(line({ path, exists: false, bytes: 0 }), `${approved} target:none`);
  assert.equal(line(), approved);
});

test("a tool that is always allowed has a bound yes for each of its calls that was shown", () => {
  const pending = (id: string, tool: string, target?: FileTarget): Call => ({ ...call(id), tool, inputText: "{}", ...(target ? { target } : {}) }) as Call;
  const there = { path: "doc-a.md", sha256: "cd".repeat(32), exists: true, bytes: 3 };
  const calls = [
    pending("c1", "write_file", { path: "deed/n", exists: false, bytes: 0 }), pending("c2", "write_file", there), pending("c3", "write_file", there),
    pending("c4", "write_file", there), pending("c5", "write_file", { path: "big", exists: true, bytes: 1e9 }), pending("c6", "run_command"),
  ];
  const said = decisionsOf(calls, new Map([["c1", "approve"], ["c3", "deny"]]), ["write_file"], (c) => c.id !== "c4");
  const yes = `approve sha256:${"ab".repeat(32)} target:`;
  assert.deepEqual(controlText(said, ["write_file"]).split("\n").slice(1, -1), [`c1 ${yes}none path:deed/n`, `c2 ${yes}${"cd".repeat(32)} path:doc-a.md`, "c3 deny", "allow write_file"]);
});

test("an allow of a folder says yes to what lies in it by its path and by where it leads", () => {
  const pending = (id: string, path: string, real = path): Call => ({ ...call(id), tool: "write_file", input: { path }, inputText: "", target: { path: real, exists: false, bytes: 0 } });
  const calls = [pending("c1", "deed/my game/a"), pending("c2", "deed/my game2/a"), pending("c3", "deed/my game/link/a", "deed/other/a"), pending("c4", "deed/link", "deed/my game/a"), pending("c5", "./deed//x/../my game/a", "deed/my game/a")];
  assert.deepEqual(decisionsOf(calls, new Map(), ["write_file deed/my game/"], () => true).map((d) => d.call.id), ["c1", "c5"]);
  assert.deepEqual(decisionsOf(calls, new Map(), ["edit_file deed/my game/"], () => true), []);
  assert.equal(controlText([], ["write_file deed/my game/"]), "əəəcontrol/v1\nallow write_file deed/my game/\nəəə");
});

test("no allow says yes to a change of the doc that leads", () => {
  const pending = (id: string, path: string): Call => ({ ...call(id), tool: "edit_file", input: { path }, inputText: JSON.stringify({ path }), target: { path, sha256: "cd".repeat(32), exists: true, bytes: 3 } });
  const calls = [pending("c1", "deed/a.js"), pending("c2", "doc-main.md"), pending("c3", "deed/b.js"), pending("c4", "./DOC-main.md"), pending("c5", "deed/doc-main.md")];
  const ids = (verdicts: [string, "approve" | "deny"][]) => decisionsOf(calls, new Map(verdicts), ["edit_file"], () => true).map((d) => d.call.id);
  assert.deepEqual(ids([["c1", "approve"]]), ["c1", "c3", "c5"]);
  assert.deepEqual(ids([["c2", "approve"]]), ["c1", "c2", "c3", "c5"]); // by its own answer it is
});

test("what a write does to the file that stands there is said", () => {
  const words = (tool: string, target?: FileTarget, before: Before = { is: "none" }) => {
    const inputText = JSON.stringify({ path: "a", content: "x\n" });
    const call = { id: "c", tool, input: {}, inputText, sha256: "", ...(target ? { target } : {}) };
    return fileEffect(call, partsOf(tool, inputText, before.is === "text" ? before.text : undefined).parts, before);
  };
  const there = { path: "a", sha256: "00", exists: true, bytes: 12 };
  assert.deepEqual(words("write_file", { path: "a", exists: false, bytes: 0 }), { words: "It makes a new file of 1 line (2 bytes).", loses: false });
  assert.deepEqual(words("write_file", { path: "b/a", exists: false, bytes: 0 }), { words: "This path leads to b/a. It makes a new file of 1 line (2 bytes).", loses: false });
  assert.deepEqual(words("write_file", there, { is: "text", text: "x\ny\n" }), { words: "Takes lines out of a: 1 line goes, 1 stays.", loses: true });
  assert.deepEqual(words("write_file", there, { is: "text", text: "y\nz\n" }), { words: "Replaces all of a: 2 lines go, 1 comes.", loses: true });
  assert.deepEqual(words("write_file", there, { is: "text", text: "x\n" }), { words: "Nothing changes: the file holds exactly this already.", loses: false });
  assert.deepEqual(words("write_file", there, { is: "text", text: "x" }), { words: "Only the line break at the end changes.", loses: false });
  assert.deepEqual(words("write_file", there, { is: "text", text: "" }), { words: "Adds 1 line to a. Nothing in it goes.", loses: false });
  assert.match(words("write_file", there, { is: "unshown" }).words, /12 bytes go, 2 bytes come/);
  assert.equal(words("write_file").words, "The file gets 1 line (2 bytes). What it held before is replaced.");
  assert.equal(words("edit_file", { path: "a", exists: false, bytes: 0 }).words, "There is no such file now. If you allow this, nothing happens but that the agent is told so.");
  assert.equal(words("run_command").words, "");
});

test("stored control is read line by line; what it does not know falls away", () => {
  assert.deepEqual(readControl("# a comment\n\n  c1 approve sha256:00 run_command\r\nc2 deny\nallow edit_file\nask run_command\nallow two words\nwhatever\n"), [
    { kind: "call", id: "c1", verdict: "approve" },
    { kind: "call", id: "c2", verdict: "deny" },
    { kind: "tool", verb: "allow", tool: "edit_file", folder: "" },
    { kind: "tool", verb: "ask", tool: "run_command", folder: "" },
  ]);
});
