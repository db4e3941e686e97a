// A turn is reviewed in the real program: one hunk is taken back, the other stays, comments
// become a message; and the dialog is forked from an answer of it.
import { test } from "node:test";
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { agrees, allow, counts, dialog, gone, project, say, sees, shot, text, until, withWorld } from "./real.mjs";

const sha = (s) => createHash("sha256").update(s).digest("hex");
const before = "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\n", after = before.replace("two", "TWO").replace("eight", "EIGHT");

test("a turn is reviewed: a hunk is taken back, and the comments go to the agent as one message", () => withWorld({ replies: [
  { calls: [{ name: "write_file", args: { path: "deed/poem.txt", content: after } }] }, { text: "They are loud." }, { text: "I see." }, { text: "In the fork." },
] }, async ({ world, page }) => {
  await project(page, "poems");
  world.write(before, "poems", "deed", "poem.txt");
  await dialog(page, "loud", "claude");
  await say(page, "Louder, please.");
  await allow(page);
  await sees(text(page).getByText("They are loud."));
  await page.getByRole("button", { name: "Review", exact: true }).click();
  const review = page.getByRole("region", { name: "Review" });
  await counts(review.getByRole("group"), 2);
  await shot(page, "review-1");
  const first = review.getByRole("group", { name: "deed/poem.txt, line 2" }), second = review.getByRole("group", { name: "deed/poem.txt, line 8" });
  await second.getByRole("button", { name: "Take back", exact: true }).click();
  await sees(second.getByText("Taken back"));
  const half = before.replace("two", "TWO");
  assert.equal(world.read("poems", "deed", "poem.txt"), half);
  await second.getByRole("button", { name: "Redo", exact: true }).click();
  await sees(second.getByRole("button", { name: "Take back", exact: true }));
  assert.equal(world.read("poems", "deed", "poem.txt"), after);
  await second.getByRole("button", { name: "Take back", exact: true }).click();
  await sees(second.getByText("Taken back"));
  world.write(half.replace("TWO", "too"), "poems", "deed", "poem.txt"); // by hand
  await first.getByRole("button", { name: "Take back", exact: true }).click();
  await sees(first.getByRole("alert").getByText("deed/poem.txt was left as it is: these lines were changed since."));
  await first.getByRole("button", { name: "Comment on line 2", exact: true }).click();
  await page.keyboard.type("Not so loud.");
  await review.getByRole("button", { name: "Send", exact: true }).click();
  await gone(review);
  await sees(text(page).getByText("I see."));
  const body = (await world.bodies()).at(-1).text;
  assert.ok(body.includes(`On deed/poem.txt (sha256 ${sha(after)}), line 2:\\n\\n> TWO\\n\\nNot so loud.`), body.slice(-900));

  // Forked at the first answer of the agent that says something: the comments are not in it.
  const answer = page.getByRole("article").filter({ hasText: "They are loud." });
  await answer.hover();
  await answer.getByRole("button", { name: "Menu of this message" }).click();
  await page.getByRole("menuitem", { name: "Fork from here" }).click();
  await sees(page.getByRole("heading", { name: "loud (from answer 1)", level: 1 }));
  await sees(text(page).getByText("They are loud."));
  assert.equal(await text(page).getByText("I see.").count(), 0);
  await page.getByRole("button", { name: "Review", exact: true }).click();
  await sees(review.getByText(/^Nothing is taken back here: that was done in the dialog .*-loud; take it back there\.$/));
  await page.keyboard.press("Escape");
  await page.getByRole("navigation", { name: "Dialogs that belong together" }).getByRole("link", { name: "loud" }).click();
  await sees(text(page).getByText("I see."));
  await until(() => world.names("poems").filter((n) => n.startsWith("dialog-")).length === 2);
  await agrees(() => page.getByRole("heading", { level: 1 }).first().innerText(), "loud");
}));
