import { test } from "node:test";
import assert from "node:assert/strict";
import { confirmItem, planProblems, tentativeItems } from "../../src/text/plan.ts";

// The same page as in dialog/plan's test: both read it alike.
const page = `# Our plan
Some words.

## Decisions
- **Database**: SQLite (why: one file (easy) to back up) {confidence=user source=explicit from=20260216-201100-start}

  more about the database
* **Language**: Go
- **Tone**: warm {confidence=auto source=extracted}
- not an item
## Notes
- **No item**: it stands in no part of the plan

## tasks
- **Write tests** {source=extracted confidence=auto}
- **Odd**: x (why: y) {confidence=certain}
- **Braces**: {a} (why: {b}) {c}

# Ideas
- **Not one**: another level

## Ideas`;

test("what a model wrote and no human confirmed waits", () => {
  assert.deepEqual(tentativeItems(page), [
    { line: 9, kind: "Decision", title: "Tone", text: "warm" },
    { line: 15, kind: "Task", title: "Write tests", text: "" },
    { line: 16, kind: "Task", title: "Odd", text: "x (why: y)" },
  ]);
  assert.deepEqual(tentativeItems(page.replaceAll("\n", "\r\n")), tentativeItems(page));
  assert.deepEqual(tentativeItems(""), []);
});

test("confirming changes the braces of that line alone", () => {
  const [tone, tests] = tentativeItems(page);
  assert.equal(confirmItem(page, tone!), page.replace("warm {confidence=auto source=extracted}", "warm {confidence=user source=extracted}"));
  assert.equal(confirmItem(page, tests!), page.replace("{source=extracted confidence=auto}", "{confidence=user source=extracted}"));
  const crlf = page.replaceAll("\n", "\r\n");
  assert.equal(confirmItem(crlf, tone!), crlf.replace("warm {confidence=auto ", "warm {confidence=user "));
  assert.deepEqual(tentativeItems(confirmItem(page, tone!)!).map((t) => t.title), ["Write tests", "Odd"]);
});

test("an item that is not there as it was shown is not confirmed", () => {
  const [tone] = tentativeItems(page);
  assert.equal(confirmItem(page.replace("warm", "cool"), tone!), null);
  // It is found where it stands now.
  assert.equal(confirmItem("\n" + page, tone!), "\n" + page.replace("warm {confidence=auto ", "warm {confidence=user "));
});

// The same page as in dialog/plan's TestProblems: both read it alike.
test("lines that look like items and are none are problems", () => {
  const doc = "# Plan\n- of all\n\n## Tasks\nWords.\n- [ ] milk\n- **Bread**: now\n  - more of it\n-\n* [x] done\r\n1. first\n\n## Notes\n- free\n";
  assert.deepEqual(planProblems(doc).map((p) => p.line), [6, 10]);
  assert.deepEqual(planProblems(page).map((p) => p.line), [10]);
  assert.deepEqual(planProblems(""), []);
});
