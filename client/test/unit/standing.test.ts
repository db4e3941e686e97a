import { test } from "node:test";
import assert from "node:assert/strict";
import { controlText } from "../../src/text/control.ts";
import { standingAllows } from "../../src/text/standing.ts";
import type { Section } from "../../src/types.ts";

const section = (text: string, more: Partial<Section> = {}): Section => ({ role: "Authorization", id: "a", time: "", resources: { in: 0, out: 0, total: 0, tools: 0, ms: 0 }, payloads: [{ type: "control/v1", text }], ...more });

test("what stands allowed is the last word on each tool, and nothing above what is void", () => {
  const rows: [Section[], string[]][] = [
    [[], []],
    [[section("allow edit_file\nc1 approve sha256:ab"), section("allow network")], ["edit_file", "network"]],
    [[section("allow edit_file"), section("ask edit_file")], []],
    [[section("allow edit_file"), section("deny edit_file")], []],
    [[section("deny edit_file"), section("allow edit_file")], ["edit_file"]],
    [[section("deny edit_file\nallow edit_file")], []],
    [[section("allow edit_file"), section("deny edit_file\nallow edit_file")], []],
    [[section("allow edit_file"), section("allow write_file", { void: true }), section("allow run_command")], ["run_command"]],
    [[section("allow edit_file"), section("x", { role: "Note", void: true })], []],
    [[section("allow edit_file", { torn: true })], []],
    [[section("allow edit_file", { role: "User" })], []],
    [[section("allow edit_file deed/my game/")], ["edit_file deed/my game/"]],
    [[section("allow edit_file deed/a/"), section("ask edit_file deed/a/")], []],
    [[section("allow edit_file deed/a/\nallow write_file deed/a/"), section("ask edit_file")], ["write_file deed/a/"]],
    [[section("allow edit_file deed/a/"), section("allow edit_file")], ["edit_file"]],
    [[section("allow edit_file deed/a/\ndeny edit_file")], []],
    [[section("deny edit_file deed/a/\nallow edit_file deed/a/\nallow edit_file")], ["edit_file"]],
    [[section("allow edit_file deed/a/"), section("x", { role: "Note", void: true })], []],
    [[section("allow edit_file deed/a\nallow edit_file /deed/a/\nallow edit_file deed/../a/\nallow start_server deed/\nallow edit_file deed\\a/")], []],
  ];
  for (const [sections, want] of rows) assert.deepEqual(standingAllows(sections), want, JSON.stringify(sections.map((s) => s.payloads![0]!.text)));
});

test("what is taken back asks again", () => {
  assert.equal(controlText([], [], ["edit_file", "network"]), "əəəcontrol/v1\nask edit_file\nask network\nəəə");
  assert.deepEqual(standingAllows([section("allow edit_file\nallow network"), section(controlText([], [], ["network"]))]), ["edit_file"]);
});
