import { test } from "node:test";
import assert from "node:assert/strict";
import { allowWords } from "../../src/text/allow.ts";
import { callWords } from "../../src/text/calls.ts";
import { partsOf } from "../../src/text/parts.ts";
import { whyAllowed } from "../../src/text/why.ts";
import type { Section } from "../../src/types.ts";

const call = (more: object) => ({ title: "Edit the page", kind: "edit", locations: [{ path: "a.html" }], rawInput: { n: 1 }, content: [{ type: "diff", path: "a.html", oldText: "one\ntwo\n", newText: "one\n2\n" }], ...more });

test("what another program would do is asked about in words, and as its word", () => {
  const w = callWords("acp_edit", call({}));
  assert.equal(w.question, "Let it change a.html?");
  assert.match(w.effect, /^The agent’s own program does this, with your rights and the network\./);
  assert.equal(callWords("acp_fetch", call({ content: [], title: "Look it\nup" })).question, "Let it do this: Look it up?");
  assert.equal(callWords("acp_other", {}).question, "Let it do this: other things that it does itself?");
  assert.equal(callWords("acp_execute", call({ rawInput: { command: ["ls", "-la"] } })).object, "ls -la");
  assert.equal(callWords("mcp_fs_read_file", { path: "x" }).question, "Use fs_read_file?");
});

test("a command of an agent that deletes is told as one", () => {
  const w = callWords("acp_execute", call({ rawInput: { command: "rm -rf build" } }));
  assert.deepEqual([w.question, w.loses], ["Let it run this command?", true]);
  assert.match(w.effect, /^It deletes files/);
});

test("the changes of an agent's call are shown line by line, and no member stays unseen", () => {
  const labels = (more: object) => partsOf("acp_edit", JSON.stringify(call(more))).parts.map((p) => `${p.kind} ${p.label}`);
  assert.deepEqual(labels({}), ["diff a.html", "text title", "text kind", "text locations", "text rawInput"]);
  // A piece of content that says more than a diff is shown as it is besides.
  assert.deepEqual(labels({ content: [{ type: "diff", path: "a.html", newText: "x", also: 1 }] }).at(-1), "text content");
  assert.deepEqual(labels({ content: [...call({}).content, { type: "terminal", terminalId: "t" }] }), ["diff a.html", "text title", "text kind", "text locations", "text rawInput", "text content"]);
  const shown = partsOf("acp_execute", JSON.stringify(call({ rawInput: { command: "ls" }, content: [] }))).parts;
  assert.deepEqual(shown.find((p) => p.key === "command"), { key: "command", label: "", kind: "text", text: "ls" });
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
  assert.equal(whyAllowed(sections).get("c1"), "done without asking");
});
