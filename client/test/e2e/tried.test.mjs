// What a tried command changed, from a dialog's file to the card, and the human's no back into it.
import { test } from "node:test";
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { agrees, allow, card, dialog, project, say, sees, shot, text, withWorld } from "./real.mjs";

const sha = (bytes) => createHash("sha256").update(bytes).digest("hex");
const PNG = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==", "base64");

/** The changes as RFC 8785 has them: the keys of each in order. */
const CHANGES = [
  { after: sha("new words\n"), before: sha("old words\n"), bytes: 10, kind: "changed", mode: "644", path: "deed/ch1/one.md", type: "file" },
  { after: sha(PNG), bytes: PNG.length, kind: "added", mode: "644", path: "deed/ch1/pic.png", type: "file" },
  { before: sha("theirs, then\n"), bytes: 13, kind: "deleted", mode: "644", path: "deed/ch1/theirs.md", type: "file" },
];
const NOTE = { effect: { sha256: sha(JSON.stringify(CHANGES)), changes: CHANGES }, exitCode: 0, stdout: "built\n", stderr: "", ms: 12 };

const ID = "20260216-201100-tried";
const section = (role, id, meta, type, text) => `\n## ${role}\n> Id: ${id}\n> Time: 2026-02-16T20:11:00Z - 2026-02-16T20:11:00Z\n> Resources: in=0, out=0, total=0, tools=0\n${meta.map((m) => `> ${m}\n`).join("")}\nəəə${type}\n${text}\nəəə\n`;
const FILE = `# Dialog\n> DialogId: ${ID}\n> Provider: claude\n> Model: m\n> Status: waiting\n> Started: 2026-02-16T20:11:00Z\n`
  + section("User", "u1", ["By: human"], "input/markdown", "Build it.")
  + section("Tool Request", "c1", ["Tool: run_command", "Status: pending"], "tool/input/json", '{"command":"make all"}')
  + section("Note", "n1", ["Kind: started", "To: human", "Tried: yes", "Parent: c1"], "note/markdown", "started")
  + section("Note", "n2", ["Kind: effect", "To: human", "Parent: c1"], "note/json", JSON.stringify(NOTE));

test("a waiting effect is shown from the file and .kept, and a no is stored", () => withWorld({ replies: [{ text: "Then not." }] }, async ({ world, page }) => {
  await project(page, "p");
  for (const bytes of ["new words\n", PNG, "theirs, then\n"]) world.write(bytes, "p", ".kept", sha(bytes));
  world.write("old words\n", "p", "deed", "ch1", "one.md");
  world.write("theirs, now\n", "p", "deed", "ch1", "theirs.md");
  world.write(FILE, "p", `dialog-${ID}-waiting.md`);
  await page.goto(`http://${world.addr}/#/project/p/dialogs/${ID}`);
  const asked = card(page);
  await sees(asked.getByRole("heading", { name: "Keep what this command changed?" }));
  await sees(asked.getByText("It changed one file and made one; it ended well, exit 0."));
  await sees(asked.getByRole("figure", { name: "deed/ch1/one.md: changed" }).getByText("removed: old words"));
  await agrees(() => asked.getByRole("img", { name: "deed/ch1/pic.png now" }).evaluate((e) => e.naturalWidth), 1);
  await shot(page, "tried-1");
  await page.getByRole("button", { name: "Don’t", disabled: false }).click();
  await sees(text(page).getByRole("region", { name: /make all$/ }).getByText(/you said no/));
  const said = () => world.read("p", world.names("p").find((n) => n.startsWith("dialog-")));
  await agrees(() => /^c1 deny$/m.test(said()) && !/^> Status: approved$/m.test(said()), true);
  await agrees(() => /^> Status: denied$[^]*"error":"Denied by user"[^\n]*"tried":true/m.test(said()), true);
  assert.equal(world.read("p", "deed", "ch1", "one.md"), "old words\n");
}));

const run = (id, command) => ({ text: "Next.", calls: [{ id, name: "run_command", args: { command } }] });
const script = { replies: [run("c1", "echo new words >deed/one.md"), run("c2", "rm deed/one.md"), { text: "All done." }] };

test("a command that is tried: Allow puts what it did into the deed, Don’t drops it", () => withWorld(script, async ({ world, page }) => {
  await project(page, "p");
  await dialog(page, "builder", "claude");
  await say(page, "Build it.");
  await sees(page.getByRole("button", { name: "Allow once", disabled: false })); // it stands still
  await page.getByRole("button", { name: /^Try commands first from now on/ }).click();
  await sees(card(page).getByText("It made one new file; it ended well, exit 0."));
  assert.equal(world.there("p", "deed", "one.md"), false);
  await allow(page);
  await sees(card(page).getByText("It removed one file; it ended well, exit 0."));
  assert.equal(world.read("p", "deed", "one.md"), "new words\n");
  await page.getByRole("button", { name: "Don’t", disabled: false }).click();
  await sees(text(page).getByText("All done."));
  assert.equal(world.read("p", "deed", "one.md"), "new words\n");
  const said = world.read("p", world.names("p").find((n) => n.startsWith("dialog-")));
  assert.equal(said.match(/"tried":true/g).length, 2);
  assert.match(said, /"error":"Denied by user"[^\n]*"tried":true/);
  await shot(page, "tried-2");
}));
