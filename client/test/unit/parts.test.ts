import { test } from "node:test";
import assert from "node:assert/strict";
import type { Section } from "../../src/types.ts";
import { clipRows, editedPart, leftOut, LIMIT, rowsOf } from "../../src/text/part.ts";
import { partsOf } from "../../src/text/parts.ts";
import { clashes, editEffect } from "../../src/text/file.ts";
import { outcomeOf } from "../../src/text/outcome.ts";

const edit = (old_string: string, new_string: string, more = {}) => JSON.stringify({ path: "a.txt", old_string, new_string, ...more });

test("every member of an input is shown once", () => {
  const { parts, warning } = partsOf("run_command", '{"command":"ls","description":"List","cwd":"/","n":[1]}');
  assert.equal(warning, "");
  assert.deepEqual(parts.map((p) => [p.key, p.label]), [["command", ""], ["member cwd", "cwd"], ["member n", "n"]]);
  assert.deepEqual(partsOf("write_file", '{"path":7,"content":"x"}').parts.map((p) => p.key), ["content", "member path"]);
  assert.deepEqual(partsOf("edit_file", edit("a", "b")).parts.map((p) => p.key), ["diff"]);
});

test("bytes that can be read in two ways are shown as they are", () => {
  const twice = '{"command":"ls","command":"rm -rf deed"}';
  const { parts, warning } = partsOf("run_command", twice);
  assert.notEqual(warning, "");
  assert.deepEqual(parts.at(-1), { key: "raw", label: "Exact input", kind: "text", text: twice });
  assert.deepEqual(partsOf("run_command", "{broken").parts.map((p) => p.key), ["raw"]);
});

test("an edit that was made has the numbers of its file, and the lines around it", () => {
  const hunk = (from: number, old: string[], now: string[], more = {}) => ({ from, to: from + now.length - 1, was: from, old, new: now, above: [], below: [], byte: 0, ...more });
  const of = (old: string, now: string, ...hunks: ReturnType<typeof hunk>[]) => editedPart({ call: "c", path: "deed/a.txt", sha256: "", replaced: "", now: "", hunks }, old, now)?.lines.map((l) => `${l.kind} ${l.at} ${l.text}`) ?? null;
  assert.deepEqual(of("a", "b\nc", hunk(5, ["1 a 2"], ["1 b", "c 2"], { above: ["x", "y"], below: ["z"] })), ["same 3 x", "same 4 y", "del 5 1 a 2", "add 5 1 b", "add 6 c 2", "same 7 z"]);
  // What the agent sent reaches further than what is told around it.
  assert.deepEqual(of("1\n2\n3\n4\n5\na\n", "1\n2\n3\n4\n5\nb\n", hunk(9, ["a"], ["b"], { above: ["3", "4", "5"], below: ["6"] })), ["same 4 1", "same 5 2", "same 6 3", "same 7 4", "same 8 5", "del 9 a", "add 9 b", "same 10 6"]);
  // Words that follow may be a part of the line in which they stand.
  assert.deepEqual(of("a", "a\nb", hunk(1, ["a2"], ["a", "b2"])), ["del 1 a2", "add 1 a", "add 2 b2"]);
  assert.deepEqual(of("x\na\nb", "x\na", hunk(3, ["b"], [], { above: ["x", "a"] })), ["same 1 x", "same 2 a", "del 3 b"]);
  assert.equal(of("a\nb\nc", "a\nB\nc", hunk(7, ["other"], ["another"])), null, "it does not stand there");
  assert.equal(of("a", "a\n", hunk(5, ["a"], ["a"])), null);
  assert.equal(editedPart(null, "a", "b"), null);
});

test("an edit's effect is told in lines", () => {
  const effect = (a: string, b: string) => editEffect(partsOf("edit_file", edit(a, b)).parts).words;
  const within = (a: string, b: string) => editEffect(partsOf("edit_file", edit(a, b)).parts, { old_string: a, new_string: b });
  assert.deepEqual(within("a b", "a c"), { words: "Changes words in one line. Nothing else in the file changes.", loses: false });
  assert.deepEqual(within("a b", ""), { words: "Takes words out of one line. Nothing else in the file changes.", loses: true });
  assert.equal(within("a\n", "").words, "Removes 1 line. Nothing else in the file changes.");
  assert.equal(effect("a\nb", "a\nc"), "Replaces 1 line. Nothing else in the file changes.");
  assert.equal(effect("a\nb", "x\ny\nz"), "Replaces 2 lines with 3 lines. Nothing else in the file changes.");
  assert.equal(effect("a\n", "a\nb\n"), "Adds 1 line. Nothing else in the file changes.");
  assert.equal(effect("a\nb\n", "a\n"), "Removes 1 line. Nothing else in the file changes.");
  assert.equal(effect("a", "a\n"), "Only the line break at the end changes.");
});

test("a call that was read anew does not clash with itself", () => {
  const call = (id: string, old_string: string) => ({ id, tool: "edit_file", input: {}, inputText: edit(old_string, "x"), sha256: "" });
  const before = { is: "text", text: "a b" } as const;
  assert.equal(clashes(call("c1", "a b"), [call("c1", "a b")], before), false);
  assert.equal(clashes(call("c1", "a b"), [call("c1", "a b"), call("c2", "b")], before), true);
});

test("what a card leaves out is counted, so that it can be asked to be opened", () => {
  const lines = (n: number) => Array.from({ length: n }, (_, i) => `l${i}`).join("\n");
  const of = (tool: string, input: object) => partsOf(tool, JSON.stringify(input)).parts.map(leftOut);
  assert.deepEqual(of("write_file", { path: "a", content: lines(LIMIT.lines) }), [""]);
  assert.deepEqual(of("write_file", { path: "a", content: lines(LIMIT.lines + 212) }), ["212 more lines"]);
  assert.deepEqual(of("run_command", { command: "x".repeat(LIMIT.chars + 5) }), ["5 more characters"]);
  assert.deepEqual(of("edit_file", { path: "a", old_string: "", new_string: lines(LIMIT.lines + 1) }), ["1 more line"]);
  assert.deepEqual(of("edit_file", { path: "a", old_string: "a", new_string: "b".repeat(LIMIT.chars + 1) }), ["2 more characters"]);
  // Unchanged text is context; it stays folded and asks for nothing.
  assert.deepEqual(of("edit_file", { path: "a", old_string: lines(200) + "\nx", new_string: lines(200) + "\ny" }), [""]);
});

test("a folded diff says how many lines it folds", () => {
  const a = Array.from({ length: 20 }, (_, i) => `l${i}`);
  const d = partsOf("edit_file", edit(a.join("\n"), a.map((l, i) => (i === 10 ? "new" : l)).join("\n"))).parts[0]!;
  assert.ok(d.kind === "diff");
  assert.deepEqual(rowsOf(d, false).map((r) => ("fold" in r ? r.fold : "kind" in r ? r.kind : "")), [7, "same", "same", "same", "del", "add", "same", "same", "same", 6]);
  assert.equal(rowsOf(d, true).length, 21);
  assert.equal(clipRows(rowsOf(d, true), { lines: 5, chars: 1000 }).more, "16 more lines");
});

const result = (text: string, status = "approved"): Section => ({
  role: "Tool Result", id: "c", time: "", resources: { in: 0, out: 0, total: 0, tools: 1, ms: 5 }, meta: { Status: status }, payloads: [{ type: "tool/result/json", text }],
});

test("a result is told in words; its JSON, with hashes, paths and ids, stands apart", () => {
  const told = (tool: string, r: object) => outcomeOf(tool, "{}", result(JSON.stringify(r)));
  const read = told("read_file", { success: true, path: "deed/a.md", sha256: "a".repeat(64), bytes: 1200, lines: 12, from: 1, to: 2, content: "one\ntwo\n", cut: true });
  assert.deepEqual(read.texts, [{ label: "Result", text: "Bytes: 1.2 kB\nLines: 12\nFrom: 1\nTo: 2\nCut: yes" }, { label: "Content", text: "one\ntwo" }]);
  assert.ok(read.raw.includes('"sha256": "aaaa'));
  const agents = told("list_agents", { success: true, agents: [{ dialogId: "20260101-000000-x", title: "The map", status: "active", words: "cold", from: "20260101-000000-root" }], more: 0 });
  assert.deepEqual(agents.texts, [{ label: "Result", text: "More: 0" }, { label: "Agents", text: "The map · active · cold · root" }]);
  const list = told("list_files", { success: true, path: "deed", entries: [{ path: "deed/a.md", bytes: 3, sha256: "a".repeat(64) }, { path: "deed/b/", nested: { x: 1 } }] });
  assert.deepEqual(list.texts, [{ label: "Entries", text: "deed/a.md · 3 bytes\ndeed/b/" }]);
  assert.deepEqual(told("write_file", { success: true, path: "deed/a", sha256: "a".repeat(64), replaced: "" }).texts, []);
  assert.equal(told("run_command", { success: true, exitCode: 0, stdout: "a" }).texts.at(-1)!.text, "Exit code: 0");
});

test("an outcome is read from its result, and success is never guessed", () => {
  const run = outcomeOf("run_command", "{}", result('{"success":true,"exitCode":0,"stdout":"a\\nb\\n","stderr":""}'));
  assert.equal(run.state, "done");
  assert.equal(run.size, "2 lines");
  assert.deepEqual(run.texts[0], { label: "Output", text: "a\nb\n" });
  const failed = outcomeOf("run_command", "{}", result('{"success":false,"exitCode":2,"stdout":"out","stderr":"no\\nnot at all\\n","error":"exit code 2. Read stdout and stderr for the cause before you go on."}'));
  assert.deepEqual([failed.error, failed.size], ["Exit code 2: not at all", ""]);
  assert.ok(failed.texts.some((t) => t.text.startsWith("exit code 2. Read")), "what the agent was told can be read");
  const ended = (more: string) => outcomeOf("run_command", "{}", result(`{"success":false,"exitCode":1,${more}}`)).error;
  assert.equal(ended('"stdout":"out","error":"exit code 1. Read"'), "Exit code 1: out");
  assert.equal(ended('"error":"exit code 1. Read"'), "Exit code 1");
  assert.equal(ended('"stderr":"x","error":"It ran into its limit of 30 seconds."'), "It ran into its limit of 30 seconds.");
  assert.equal(ended('"error":"ended by signal 9 (killed). Read stderr, find the cause."'), "ended by signal 9 (killed).");
  const refused = (rule: string) => outcomeOf("write_file", "{}", { ...result('{"success":false,"error":"Not run. Say in words what was done."}')!, meta: { Status: "error", Refused: rule } }).error;
  assert.deepEqual(["budget", "phase", "recovery", "newer"].map(refused), ["Not run: no steps were left", "Not run: it has to propose first", "Not run: this turn was over", "Not run."]);
  const odd = outcomeOf("edit_file", "{}", { ...result('{"success":false,"error":"edit_file was not run: there is no property \\"old_text\\". Received: {\\"old_text\\":1}"}'), meta: { Status: "error", Failure: "schema_reject" } });
  assert.equal(odd.error, "Not run: what the agent sent did not fit. It was told.");
  assert.ok(odd.texts.some((t) => t.text.startsWith("edit_file was not run: there is no property")), "its words can be read");
  assert.equal(outcomeOf("edit_file", edit("a", "b\nc"), result('{"success":true,"bytes":3}')).size, "+2 −1");
  assert.equal(outcomeOf("write_file", "{}", result('{"success":true,"bytes":1200}')).size, "1.2 kB");
  assert.equal(outcomeOf("write_file", "{}", result('{"success":false,"error":"no room"}')).error, "no room");
  assert.equal(outcomeOf("write_file", "{}", result('{"success":false,"error":"Denied by user"}', "denied")).state, "denied");
  assert.equal(outcomeOf("launch_agent", "{}", result('{"success":true,"dialogId":"20260101-000000-x"}')).dialogId, "20260101-000000-x");
  const shot = (tool: string, more: string) => outcomeOf(tool, "{}", result(`{"success":true,"url":"http://127.0.0.1:1/",${more}}`)).picture;
  assert.deepEqual(shot("request_visual_qa", '"title":"Lamp","question":"Red?","screenshot":"~/screenshots/0123456789abcdef.png"'), { name: "0123456789abcdef.png", page: "Lamp (http://127.0.0.1:1/)", question: "Red?" });
  assert.deepEqual(shot("browser_console", '"screenshot":"~/screenshots/0123456789abcdef.png"'), { name: "0123456789abcdef.png", page: "http://127.0.0.1:1/", question: "" });
  for (const other of ["~/screenshots/../0123456789abcdef.png", "/etc/0123456789abcdef.png", "~/screenshots/x.png"]) assert.equal(shot("browser_console", `"screenshot":"${other}"`), null);
  assert.equal(shot("run_command", '"screenshot":"~/screenshots/0123456789abcdef.png"'), null);
  assert.equal(outcomeOf("run_command", "{}", result("garbage")).state, "failed");
  assert.equal(outcomeOf("run_command", "{}", null).state, "running");
});
