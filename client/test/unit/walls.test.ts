import { test } from "node:test";
import assert from "node:assert/strict";
import table from "../../src/text/walls.json" with { type: "json" };
import { callWords } from "../../src/text/calls.ts";
import { networkAllowed } from "../../src/text/network.ts";
import { walled, wallsWords } from "../../src/text/walls.ts";
import type { Section } from "../../src/types.ts";

const grant = (text: string): Section => ({ role: "Authorization", id: "a", time: "", resources: { in: 0, out: 0, total: 0, tools: 0, ms: 0 }, payloads: [{ type: "control/v1", text }] });

test("each level is told in words of its own, and an unheard one as if nothing held", () => {
  const all = Object.keys(table.levels).map((l) => wallsWords(l, false));
  assert.equal(new Set(all).size, all.length);
  assert.match(wallsWords("bwrap", false), /^Stays inside this project: it can change only deed\/ and its own home folder.* It has no network beyond this project's own servers\.$/);
  assert.match(wallsWords("bwrap", true), /It can use the network: that is allowed in this dialog\.$/);
  assert.match(wallsWords("none", true), /^Nothing contains this command: it can do whatever you can do on this computer\. Read it\.$/);
  for (const level of ["", "moat", "constructor"]) assert.match(wallsWords(level, false), /take it that nothing does/);
  assert.deepEqual(["bwrap", "container", "none", "", "moat", "unknown"].map(walled), [true, true, false, false, false, false]);
});

test("commands and servers say what stands around them, files do not", () => {
  for (const tool of ["run_command", "start_server"]) {
    assert.equal(callWords(tool, { command: "ls" }, "landlock", true).effect, wallsWords("landlock", true));
    assert.equal(callWords(tool, { command: "ls" }).effect, wallsWords("", false));
  }
  const asks = callWords("run_command", { command: "ls", network: true }, "bwrap").effect;
  assert.match(asks, /^Stays inside this project.* It asks for the network, and has it if you allow this\.$/);
  assert.doesNotMatch(asks, /no network/);
  assert.equal(callWords("run_command", { command: "ls", network: true }, "bwrap", true).effect, wallsWords("bwrap", true));
  assert.equal(callWords("start_server", { command: "ls", network: true }, "bwrap").effect, wallsWords("bwrap", false)); // it has no such field
  assert.doesNotMatch(callWords("write_file", { path: "a", content: "b" }, "none").effect, /contains/);
});

test("the network is open from an allow on, until a line takes it back", () => {
  const rows: [string[], boolean][] = [
    [[], false],
    [["allow run_command"], false],
    [["allow network"], true],
    [["allow network", "allow run_command\ncall_1 approve sha256:ab"], true],
    [["allow network", "ask network"], false],
    [["allow network", "deny network"], false],
    [["deny network", "allow network"], true],
    [["deny network\nallow network"], false],
  ];
  for (const [lines, want] of rows) assert.equal(networkAllowed(lines.map(grant)), want, JSON.stringify(lines));
  assert.equal(networkAllowed([{ ...grant("allow network"), role: "Assistant" }]), false);
});
