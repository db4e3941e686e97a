import { test } from "node:test";
import assert from "node:assert/strict";
import { controlText, readControl } from "../../src/text/control.ts";

const call = (id: string) => ({ id, sha256: "ab".repeat(32) });

test("an approval carries the hash of what was shown, a denial does not", () => {
  assert.equal(
    controlText([{ call: call("toolu_1"), verdict: "approve" }, { call: call("toolu_2"), verdict: "deny" }], ["edit_file", "edit_file"]),
    `əəəcontrol/v1\ntoolu_1 approve sha256:${"ab".repeat(32)}\ntoolu_2 deny\nallow edit_file\nəəə`,
  );
});

test("stored control is read line by line; what it does not know falls away", () => {
  assert.deepEqual(readControl("# a comment\n\n  c1 approve sha256:00 run_command\r\nc2 deny\nallow edit_file\nask run_command\nallow two words\nwhatever\n"), [
    { kind: "call", id: "c1", verdict: "approve" },
    { kind: "call", id: "c2", verdict: "deny" },
    { kind: "tool", verb: "allow", tool: "edit_file" },
    { kind: "tool", verb: "ask", tool: "run_command" },
  ]);
});
