// What the governor does, with the real program: a stop that is continued, a wish that
// is confirmed, turns that are summed up.
import { test } from "node:test";
import assert from "node:assert/strict";
import { agrees, card, counts, dialog, gone, project, say, sees, shot, text, withWorld } from "./real.mjs";

const look = (id) => ({ id, name: "list_files", args: { path: "deed" } });

test("a turn that used its rounds says so, and Continue gives it more", () => withWorld({
  replies: [
    { text: "I look.", calls: [look("c1")] },
    { text: "I look again.", calls: [look("c2")] },
    { text: "Now it is done." },
  ],
}, async ({ world, page }) => {
  await project(page, "p");
  world.write("# p\n\nəəəproject/v1\ntools read\nbudget small_fix 1\nəəə\n", "p", "doc-main.md");
  await dialog(page, "typo", "claude");
  await say(page, "Fix the typo in the title.");
  const stop = text(page).getByRole("region", { name: "Stopped: it used all its steps" });
  const strip = page.getByRole("group", { name: "Where it stands" });
  for (const again of [false, true]) {
    if (again) await page.reload();
    await sees(stop.getByText(/The one step/));
    await sees(text(page).getByText("In short: see what the results say."));
    await sees(text(page).getByText("Asked the agent to say what was really done"));
    await sees(strip.getByText("1 of 1 step"));
    await sees(strip.getByText("Stopped: it used all its steps"));
  }
  await shot(page, "governor-1-stop");
  await stop.getByRole("button", { name: "Continue", disabled: false }).click();
  await sees(text(page).getByText("Now it is done."));
  await sees(text(page).getByText("You let it go on"));
  await gone(strip.getByText("Stopped: it used all its steps"));
  await gone(stop.getByRole("button", { name: "Continue" }));
  await world.bodies();
}));

test("a wish is confirmed on the card, and holds in the next dialog", () => withWorld({
  replies: [{ text: "I write.", calls: [{ id: "w1", name: "write_file", args: { path: "deed/a.txt", content: "a\n" } }] }, { text: "Written." }],
}, async ({ world, page }) => {
  await project(page, "p");
  world.write("# p\n\nəəəproject/v1\nlimit 120\nlimit often\nəəə\n\nəəəcontrol/v1\nallow write_file\nəəə\n", "p", "doc-main.md");
  await page.goto(`http://${world.addr}/#/project/p/docs/doc-main.md`);
  await sees(page.getByText("waits for you to confirm it"));
  await page.getByText("What agents may do here").click();
  const rules = page.getByRole("region", { name: "Rules of this project" });
  await sees(rules.getByText("A command may run for 120 seconds."));
  await sees(rules.getByText("limit wants one whole number from 1 to 600"));
  await sees(rules.getByText("line 5"));
  await sees(rules.getByText(/^Agents may write files without asking/));
  await shot(page, "governor-2-wish");
  await rules.getByRole("button", { name: "Confirm", disabled: false }).click();
  await sees(rules.getByText("You confirmed this: it holds in each new dialog"));
  assert.match(world.read("p", "doc-main.md"), /\n# confirmed [0-9a-f]{64}\n/);
  await page.reload();
  await page.getByText("What agents may do here").click();
  await sees(rules.getByText("You confirmed this: it holds in each new dialog"));
  await dialog(page, "write", "claude");
  await say(page, "Write a file.");
  await sees(text(page).getByText("Written."));
  assert.equal(await card(page).count(), 0);
  await agrees(() => world.read("p", "deed", "a.txt"), "a\n");
}));

test("earlier turns are summed up from the menu, and read again after Undo", () => withWorld({ replies: Array.from({ length: 7 }, (_, i) => ({ text: `Answer ${i + 1}.` })) }, async ({ world, page }) => {
  await project(page, "p");
  await dialog(page, "talk", "claude");
  for (let i = 1; i <= 5; i++) {
    await say(page, `Tell me of ${i}.`);
    await sees(text(page).getByText(`Answer ${i}.`));
  }
  await page.getByRole("button", { name: "More", disabled: false }).click();
  await page.getByRole("menuitem", { name: "Sum up earlier turns", disabled: false }).click();
  const folded = text(page).getByRole("region", { name: "The agent now reads a short version of turn 1" });
  await sees(folded);
  await agrees(() => folded.evaluate((e) => { const r = e.getBoundingClientRect(), a = e.closest(".scroll").getBoundingClientRect(); return r.top >= a.top && r.bottom <= a.bottom; }), true); // it is at the top, and was scrolled to
  assert.equal(await text(page).getByText("Answer 1.", { exact: true }).isVisible(), false);
  await page.reload();
  await sees(folded);
  await say(page, "And now?");
  await counts(text(page).getByText("Answer 5.", { exact: true }), 2); // the provider counts the answers that it is told
  assert.ok((await world.bodies()).at(-1).text.includes("[SUMMARY]"));
  await folded.getByRole("button", { name: "Undo", disabled: false }).click();
  await gone(folded);
  await sees(text(page).getByText("Answer 1.", { exact: true }));
  await say(page, "And again?");
  await sees(text(page).getByText("Answer 7."));
  assert.ok(!(await world.bodies()).at(-1).text.includes("[SUMMARY]"));
}));
