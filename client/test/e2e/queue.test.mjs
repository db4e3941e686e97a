// What is written while the real program works and asks: nothing of it decides,
// and each message is in the file once, behind what it waited for.
import { test } from "node:test";
import assert from "node:assert/strict";
import { allow, card, dialog, gone, holds, project, say, sees, shot, text, until, withWorld } from "./real.mjs";

const script = {
  replies: [
    { text: "I look. ".repeat(60), chunk: 5, delay_ms: 20, calls: [{ id: "c1", name: "run_command", args: { command: "echo ran >> deed/log" } }] },
    { text: "It is done." },
    { text: "I heard the first." },
    { text: "I heard the second." },
  ],
};

test("writing on through work and question decides nothing, and goes out once, in two tabs", () => withWorld(script, async ({ world, page, open }) => {
  await project(page, "p");
  await dialog(page, "lamp", "claude");
  await say(page, "go");
  await sees(page.locator(".open-text"));
  const other = await open(page.url());
  const box = (p) => p.getByRole("textbox", { name: "Message" });
  const queued = (p) => p.getByRole("list", { name: "Next messages" }).getByRole("listitem");
  await box(page).click();
  await page.keyboard.type("and a lamp");
  await page.keyboard.press("Control+Enter");
  await page.keyboard.type("an");
  await say(other, "and a door");
  for (const p of [page, other]) await until(async () => (await queued(p).count()) === 2, "both wait in both tabs");
  await sees(card(page).getByRole("heading", { name: "Run this command?" }));
  for (const key of ["d", " ", "a", "n", "d", "Enter", "a"]) await page.keyboard.press(key);
  await shot(page, "queue-1-question");
  const file = () => world.read("p", world.names("p").find((n) => n.startsWith("dialog-")));
  assert.ok(!file().includes("## Authorization"), "a letter decided");
  assert.ok(!world.there("p", "deed", "log"));
  await holds(box(page), "and and\na");
  await page.reload();
  await until(async () => (await queued(page).count()) === 2, "they outlive a reload");
  await allow(page);
  await sees(text(page).getByText("I heard the second."));
  await sees(text(other).getByText("I heard the second."));
  const said = [...file().matchAll(/^əəəinput\/markdown\n(.*)$/gm)].map((m) => m[1]);
  assert.deepEqual(said, ["go", "and a lamp", "and a door"]);
  const roles = [...file().matchAll(/^## (User|Tool Result|Authorization)$/gm)].map((m) => m[1]);
  assert.deepEqual(roles, ["User", "Authorization", "Tool Result", "User", "User"]);
  assert.equal(world.read("p", "deed", "log"), "ran\n");
  for (const p of [page, other]) await gone(queued(p).first());
  await world.bodies();
}));
