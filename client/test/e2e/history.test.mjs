// The history of a doc in the real program: what a human wrote in the window, an agent
// changed and the human put back, and what vibey why says of it.
import { test } from "node:test";
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { allow, card, dialog, gone, project, say, sees, shot, text, until, withWorld } from "./real.mjs";

const edit = { replies: [
  { text: "I add a tea.", calls: [{ id: "tea_1", name: "edit_file", args: { path: "doc-tea.md", old_string: "Green.", new_string: "Green.\n\nBlack, from Assam." } }] },
  { text: "It is there." },
] };

/** why is what the command line says of a file. */
const why = (world, ...words) => JSON.parse(execFileSync(join(process.env.VIBEY_BUILT, "vibey"), ["why", "--json", ...words], { env: { HOME: world.base, VIBEY_DIR: world.root, VIBEY_STATE: join(world.base, "state") }, encoding: "utf8" }));
const box = (page) => page.getByRole("textbox", { name: /^Text of / });
const who = (page) => page.getByRole("dialog", { name: "Who wrote this" });
const opens = async (page, item) => {
  await page.getByRole("button", { name: "Menu of Tea" }).click();
  await page.getByRole("menuitem", { name: item }).click();
};

test("a doc's versions are listed, told by paragraph, compared, and put back", () => withWorld(edit, async ({ world, page }) => {
  await project(page, "p");
  await page.getByRole("button", { name: "New doc" }).click();
  await page.getByLabel("Title", { exact: true }).fill("Tea");
  await page.getByRole("button", { name: "Create doc" }).click();
  await box(page).click();
  await page.keyboard.press("Control+End");
  await page.keyboard.insertText("Green.\n");
  await page.keyboard.press("Control+s");
  await sees(page.getByText(/^Saved · /));
  const at = page.url();
  await dialog(page, "tea, please", "claude");
  await say(page, "Add a tea.");
  await allow(page);
  await sees(text(page).getByText("It is there."));
  await page.goto(at);
  await box(page).getByText("Black, from Assam.").click();
  await opens(page, "Who wrote this");
  await sees(who(page).getByText(/^An agent wrote this: \d\d:\d\d\.$/));
  await sees(who(page).getByRole("link", { name: "In the dialog “tea, please”" }));
  await shot(page, "history-1-agent");
  await page.keyboard.press("Escape");
  await box(page).getByText("Green.").click();
  await opens(page, "Who wrote this");
  await sees(who(page).getByText(/^You wrote this and saved it: \d\d:\d\d\.$/));
  await page.keyboard.press("Escape");

  await opens(page, "History");
  const list = page.getByRole("dialog", { name: "History of Tea" });
  await sees(list.getByRole("checkbox", { name: /^Version 3 .* an agent changed it/ }));
  await list.getByRole("checkbox", { name: /^Version 2 .* you saved it/ }).check();
  await list.getByRole("checkbox", { name: /^Version 3 / }).check();
  await list.getByRole("button", { name: "Compare" }).click();
  await sees(list.getByRole("region", { name: "From version 2 to version 3" }).getByText("Black, from Assam."));
  await shot(page, "history-2-compared");
  await list.getByRole("checkbox", { name: /^Version 3 / }).uncheck();
  await list.getByRole("button", { name: "Put back" }).click();
  await gone(list);
  await until(() => world.read("p", "doc-tea.md") === "# Tea\n\nGreen.\n");
  assert.deepEqual(why(world, "p/doc-tea.md").map((l) => [l.from, l.to, l.who]), [[1, 2, "human"], [3, 3, "human"]]);
  await opens(page, "History");
  await sees(list.getByRole("checkbox", { name: /^Version 4 .* you saved it .*as it is now/ }));
}));

const file = (id, was, now) => `{"toolCallId":"${id}","title":"Edit a.txt","kind":"edit","status":"pending","rawInput":{"n":"${id}"},"content":[{"type":"diff","path":"$DEED/a.txt","oldText":${was},"newText":"${now}\\n"}]}`;
const agent = `
modes auto default
prompt
ask ${file("e1", "null", "A lamp.")}
allowed call fs/write_text_file {"path":"$DEED/a.txt","content":"A lamp.\\n"}
allowed update {"sessionUpdate":"tool_call_update","toolCallId":"e1","status":"completed"}
update {"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"The lamp is there."}}
`;

test("what an agent of its own wrote by us is told as its, with the approval that covers it", () => withWorld({ replies: [] }, async ({ world, page }) => {
  await project(page, "p");
  await dialog(page, "lamp", "acp");
  await say(page, "A lamp.");
  await sees(card(page));
  await allow(page);
  await sees(text(page).getByText("The lamp is there."));
  const [line] = why(world, "p/deed/a.txt");
  assert.deepEqual([line.who, line.allowed.by, line.from, line.to], ["agent", "human", 1, 1]);
}, { agent }));
