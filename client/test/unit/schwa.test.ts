import { test } from "node:test";
import assert from "node:assert/strict";
import { docParser } from "../../src/editor/schwa.ts";

// Returns the names and texts of the nodes of a doc, without those that only hold others.
function nodes(doc: string, names: RegExp): string[] {
  const out: string[] = [];
  docParser.parse(doc).iterate({ enter: (n) => { if (names.test(n.name)) out.push(`${n.name}: ${doc.slice(n.from, n.to)}`); } });
  return out;
}

test("in a block of schwas no markdown is read", () => {
  const doc = "words\nəəəproject/v1\n# phases on\n- verify `x`\n\n## two\nəəəə\nəəə\n# After\n";
  assert.deepEqual(nodes(doc, /^ATXHeading|^ListItem|^InlineCode/), ["ATXHeading1: # After"]);
  assert.deepEqual(nodes(doc, /^Schwa(Mark|Comment)/), ["SchwaMark: əəəproject/v1", "SchwaComment: # phases on", "SchwaComment: ## two", "SchwaMark: əəə"]);
  assert.deepEqual(nodes(doc, /^SchwaBlock/), [`SchwaBlock: ${doc.slice(6, -9)}`]);
});

test("a block that nothing closes goes on to the end; a fence without a type, or within a line, opens none", () => {
  assert.deepEqual(nodes("əəəcontrol/v1\n# x\n", /^ATX|^SchwaC/), ["SchwaComment: # x"]);
  for (const no of ["əəə\n# x\n", "əəəə\n# x\n", "a əəəx\n# x\n", "> əəəx\n# x\n"]) assert.deepEqual(nodes(no, /^ATX|^SchwaB/), ["ATXHeading1: # x"], no);
});

test("a block ends a list before it, also with CRLF", () => {
  assert.deepEqual(nodes("- a\nəəəx/v1\r\n# b\r\nəəə\r\n# c", /^ATX|^SchwaM/), ["SchwaMark: əəəx/v1\r", "SchwaMark: əəə\r", "ATXHeading1: # c"]);
});
