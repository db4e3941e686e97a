import { test } from "node:test";
import assert from "node:assert/strict";
import { allowWords } from "../../src/text/allow.ts";
import { alwaysAsks, callWords } from "../../src/text/calls.ts";
import { readInput } from "../../src/text/input.ts";
import { allows } from "../../src/text/control.ts";
import { failureWords } from "../../src/text/failure.ts";
import { outcomeOf } from "../../src/text/outcome.ts";
import { partsOf } from "../../src/text/parts.ts";
import { whyAllowed } from "../../src/text/why.ts";
import type { Section } from "../../src/types.ts";

const call = (more: object) => ({ title: "Edit the page", kind: "edit", locations: [{ path: "a.html" }], rawInput: { n: 1 }, content: [{ type: "diff", path: "a.html", oldText: "one\ntwo\n", newText: "one\n2\n" }], ...more });

test("what another program would do is asked about in words, and as its word", () => {
  const w = callWords("acp_edit", call({}));
  assert.equal(w.question, "Let it change a.html?");
  assert.match(w.whose!, /^The agent’s own program does this, with your rights and the network\./);
  assert.equal(w.says, "Edit the page");
  assert.equal(callWords("acp_fetch", call({ content: [], title: "Look it\nup" })).question, "Let it do this: Look it up?");
  assert.equal(callWords("acp_other", {}).question, "Let it do this: other things that it does itself?");
  assert.equal(callWords("acp_execute", call({ rawInput: { command: ["ls", "-la"] } })).object, "ls -la");
  assert.equal(callWords("mcp_fs_read_file", { path: "x" }).question, "Use fs_read_file?");
});

test("a name is apart from the question's own words, whatever it says", () => {
  assert.deepEqual(callWords("acp_fetch", call({ content: [], title: "Look? Press Allow" })).quoted, { before: "Let it do this: ", name: "Look? Press Allow", after: "?" });
  assert.deepEqual(callWords("mcp_fs_read", {}).quoted, { before: "Use ", name: "fs_read", after: "?" });
  assert.equal(callWords("acp_edit", call({})).quoted!.name, "a.html");
});

test("a command of an agent that deletes is told as one", () => {
  const w = callWords("acp_execute", call({ rawInput: { command: "rm -rf build" } }));
  assert.deepEqual([w.question, w.loses], ["Let it run this command?", true]);
  assert.match(w.effect, /^It deletes files/);
});

const labels = (more: object, tool = "acp_edit") => partsOf(tool, JSON.stringify(call(more))).parts.map((p) => `${p.kind} ${p.label}`);

test("the changes of an agent's call are shown line by line, and no member stays unseen", () => {
  const own = "text Its own input";
  assert.deepEqual(labels({}), ["diff ", own]);
  assert.deepEqual(partsOf("acp_edit", JSON.stringify(call({}))).parts[1], { key: "rawInput", label: "Its own input", kind: "text", text: "n: 1" });
  assert.deepEqual(labels({ kind: "read" }), ["diff ", own, "text kind"]);
  assert.deepEqual(labels({ locations: [{ path: "other.html", line: 3 }] }), ["diff ", "text Where", own]);
  assert.deepEqual(labels({ locations: [{ path: "a.html", more: 1 }] }), ["diff ", own, "text locations"]);
  assert.deepEqual(labels({ title: "two\nlines" }), ["text What it calls this", "diff ", own]);
  // A piece of content that says more than a diff is shown as it is.
  assert.deepEqual(labels({ content: [{ type: "diff", path: "a.html", newText: "x", also: 1 }] })[0], "text More that it says");
  assert.deepEqual(labels({ content: [...call({}).content, { type: "terminal", terminalId: "t" }] }), ["diff ", "text More that it says", own]);
  assert.deepEqual(labels({ content: [{ type: "content", content: { type: "text", text: "so" } }] })[0], "text What it says of it");
  const shown = partsOf("acp_execute", JSON.stringify(call({ rawInput: { command: "ls" }, content: [] }))).parts;
  assert.deepEqual(shown.find((p) => p.key === "command"), { key: "command", label: "", kind: "text", text: "ls" });
});

test("two changed files are named, each above its lines", () => {
  const two = [{ type: "diff", path: "a", oldText: "x", newText: "y" }, { type: "diff", path: "b", oldText: "x", newText: "z" }];
  assert.deepEqual(labels({ content: two }).slice(0, 2), ["diff a", "diff b"]);
});

test("what an agent says twice, letter for letter, is shown once; what differs is shown", () => {
  assert.deepEqual(labels({ rawInput: { file_path: "a.html", old_string: "two", new_string: "2" } }), ["diff "]);
  assert.deepEqual(labels({ rawInput: { file_path: "b.html" } }), ["diff ", "text Its own input"]);
  assert.deepEqual(labels({ rawInput: { new_string: "three" } }), ["diff ", "text Its own input"]);
  assert.deepEqual(labels({ rawInput: { also_delete: "a.html" } }), ["diff ", "text Its own input"]);
  assert.deepEqual(labels({ rawInput: { mode: "" }, content: [{ type: "diff", path: "a.html", oldText: null, newText: "x" }] }), ["diff ", "text Its own input"]);
  assert.deepEqual(labels({ rawInput: { old_string: "" } }), ["diff ", "text Its own input"]);
  assert.deepEqual(labels({ rawInput: { mode: "o" } }), ["diff ", "text Its own input"]);
  assert.deepEqual(labels({ rawInput: { patch: "one\ntwo" } }), ["diff ", "text Its own input: patch"]);
  // What is folded away in the diff is not seen there.
  const long = Array.from({ length: 40 }, (_, i) => `l${i}`);
  const content = [{ type: "diff", path: "a.html", oldText: long.join("\n"), newText: [...long.slice(0, 39), "end"].join("\n") }];
  assert.deepEqual(labels({ content, rawInput: { old_string: "l2\nl3" } }), ["diff ", "text Its own input: old_string"]);
  assert.deepEqual(labels({ content, rawInput: { old_string: "l38\nl39" } }), ["diff "]);
});

test("input that is not shown as it stands is doubted, however deep", () => {
  const warning = (text: string) => readInput(text).warning;
  assert.match(warning('{"args":{"path":"a","Path":"b"}}'), /twice/);
  assert.match(warning('[1,{"a":1}]'), /not an object/);
  assert.match(warning('{"to":{"id":12345678901234567890}}'), /number/);
  assert.match(warning('{"n":1e400}'), /number/);
  for (const fine of ['{"a":{"a":1},"b":[{"a":2},{"a":3}]}', '{"n":[0,-1.5,1e9,123456789012345,0.00]}', '{"text":"12345678901234567890 \\"a\\":{"}']) assert.equal(warning(fine), "", fine);
  assert.equal(partsOf("mcp_a_b", '{"id":12345678901234567890}').parts.at(-1)!.key, "raw");
});

test("the start of an agent that is a program of its own says so, and asks each time", () => {
  const input = { provider: "acp", model: "codex", slug: "draw", prompt: "x" };
  assert.match(callWords("launch_agent", input).effect, /codex is a program of its own: it works with your rights and the network/);
  assert.notEqual(alwaysAsks("launch_agent", input, "bwrap"), "");
  assert.equal(alwaysAsks("launch_agent", { ...input, provider: "claude" }, "bwrap"), "");
  assert.equal(allows("launch_agent", { tool: "launch_agent", input }), false);
  assert.equal(allows("launch_agent", { tool: "launch_agent", input: { ...input, provider: "claude" } }), true);
});

const ended = (tool: string, result: object, status = "approved") => outcomeOf(tool, JSON.stringify(call({})), { role: "Tool Result", id: "c", meta: { Status: status }, payloads: [{ type: "tool/result/json", text: JSON.stringify(result) }] } as unknown as Section);

test("what another program answers is told as texts, pictures and files", () => {
  const picture = { type: "image", mimeType: "image/png", file: "~/screenshots/0123456789abcdef.png", bytes: 68 };
  const o = ended("mcp_fs_show", { success: true, content: [{ type: "text", text: "look" }, picture, { type: "audio", mimeType: "audio/wav", file: "~/mcp/a.wav", bytes: 4 }, { type: "resource_link", uri: "https://example.org/a" }], structured: { n: 1 }, note: "1 is left out" });
  assert.deepEqual(o.texts.map((t) => t.label), ["Output", "More that it says", "Data", "What was left out"]);
  assert.equal(o.texts[0]!.text, "look\nimage/png, 68 bytes: ~/screenshots/0123456789abcdef.png\naudio/wav, 4 bytes: ~/mcp/a.wav");
  assert.deepEqual(o.pictures.map((p) => [p.name, p.page]), [["0123456789abcdef.png", "fs_show"]]);
  assert.deepEqual(ended("mcp_fs_add", { success: true, content: [{ type: "text", text: '{"n":1}' }], structured: { n: 1 } }).texts.map((t) => t.label), ["Output"]);
  assert.equal(ended("mcp_fs_show", { success: true, content: [{ ...picture, file: "~/screenshots/../key.png" }] }).pictures.length, 0);
});

test("a call of an agent that failed says so, also without a word of it", () => {
  assert.equal(ended("acp_edit", { success: false, status: "failed", content: [] }).error, "It says that this failed.");
  assert.equal(ended("acp_edit", { success: false, status: "failed", content: [{ type: "content", content: { type: "text", text: "No such file\nat line 2" } }] }).error, "at line 2");
});

test("an agent's failure is told in its own words, not in those about a model's key", () => {
  const f = failureWords("auth", "The agent codex wants you to sign in first (no key). Do it in a terminal with its own program, then press Continue.", true);
  assert.deepEqual([f.title, f.detail, f.again], ["The agent codex wants you to sign in first (no key).", "Do it in a terminal with its own program, then press Continue.", true]);
  assert.match(failureWords("auth", "x").title, /key/);
  assert.equal(failureWords("cut", "It broke", true).title, "It broke");
});

test("a new file is shown as lines that come", () => {
  const d = partsOf("acp_edit", JSON.stringify(call({ content: [{ type: "diff", path: "b", oldText: null, newText: "one\n" }] }))).parts[0];
  assert.deepEqual(d?.kind === "diff" ? d.lines.filter((l) => l.kind !== "same").map((l) => `${l.kind} ${l.text}`) : null, ["add one"]);
});

test("what is always allowed is said in words", () => {
  assert.equal(allowWords("acp_execute"), "its own commands");
  assert.equal(allowWords("mcp_fs_read"), "using fs_read");
});

test("a call that an agent ran unasked says so", () => {
  const sections = [
    { role: "Tool Request", id: "c1", meta: { Tool: "acp_read" } },
    { role: "Tool Result", id: "c1", meta: { Tool: "acp_read", Asked: "no" } },
  ] as unknown as Section[];
  assert.equal(whyAllowed(sections).get("c1"), "done without asking you");
});

test("what an agent did as a part of what was allowed says so", () => {
  const sections = [
    { role: "Tool Request", id: "w1", meta: { Tool: "write_file" } },
    { role: "Tool Result", id: "w1", meta: { Tool: "write_file", Within: "c1" } },
  ] as unknown as Section[];
  assert.equal(whyAllowed(sections).get("w1"), "a part of what you allowed");
});

test("what the file no longer fits is told without the ids and the words that are for the agent", () => {
  const error = (text: string) => ended("edit_file", { success: false, error: text }).error;
  assert.equal(error("doc-a.md is not as it was when the human approved this call: the call toolu_01 of this dialog left it so. Nothing was written. Read it again, then send the call anew."), "Nothing was changed: another change of this dialog came first, and doc-a.md was not as you had seen it any more.");
  assert.equal(error("old_string does not stand in doc-a.md (12 bytes); nothing was changed. Read the file and copy the place exactly."), "Nothing was changed: the words to be replaced do not stand in doc-a.md any more.");
});
