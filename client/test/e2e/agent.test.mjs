// An agent over ACP in the window: its change is approved and made, the file tells of it,
// and what it asked when the server was killed can't be approved any more.
import { test } from "node:test";
import assert from "node:assert/strict";
import { card, dialog, gone, project, read, say, sees, shot, text, until, withWorld } from "./real.mjs";

const edit = (id, was, now) => `{"toolCallId":"${id}","title":"Edit page.html","kind":"edit","status":"pending","rawInput":{"n":"${id}"},"content":[{"type":"diff","path":"$DEED/page.html","oldText":${was},"newText":"${now}\\n"}]}`;

const agent = `
modes auto default
prompt
update {"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"I draw the lamp."}}
ask ${edit("e1", "null", "<p>A lamp.</p>")}
allowed call fs/write_text_file {"path":"$DEED/page.html","content":"<p>A lamp.</p>\\n"}
allowed update {"sessionUpdate":"tool_call_update","toolCallId":"e1","status":"completed"}
update {"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"The lamp is drawn."}}
prompt
ask ${edit("e2", '"<p>A lamp.</p>\\n"', "<p>A door.</p>")}
allowed write $DEED/page.html broken
`;

test("an agent's change is approved; one that it asked for before a kill is refused with words, and a message goes on", () => withWorld({ replies: [] }, async ({ world, page, open }) => {
  const file = () => world.read("p", world.names("p").find((n) => n.startsWith("dialog-")));
  const allow = card(page).getByRole("button", { name: "Allow once" });
  const asks = async () => {
    await sees(card(page).getByRole("heading", { name: /^Let it change .*deed\/page\.html\?$/ }));
    await read(card(page), allow);
  };
  await project(page, "p");
  await dialog(page, "lamp", "acp");
  await say(page, "Draw the lamp.");
  await asks();
  await shot(page, "agent-1-asks");
  assert.ok(!world.there("p", "deed", "page.html"));
  await allow.click();
  await sees(text(page).getByText("The lamp is drawn."));
  assert.equal(world.read("p", "deed", "page.html"), "<p>A lamp.</p>\n");
  await sees(page.getByRole("region", { name: "Wrote deed/page.html" }).getByText("a part of what you allowed"));
  assert.match(file(), /## Authorization[^]*\ne1 approve sha256:[0-9a-f]{64}[^]*## Tool Result\n> Id: e1\n/);
  assert.match(file(), /> Within: e1\n/);
  assert.ok(world.heard().some((m) => m.result?.outcome?.optionId === "yes"));

  await say(page, "Now a door.");
  await asks();
  const other = await open(page.url());
  await sees(card(other).getByRole("heading", { name: /^Let it change/ }));
  const asked = world.heard().length, id = /dialogs\/([^/]+)$/.exec(page.url())[1];
  const { pending: [old] } = await world.ask("GET", `/project/p/dialog/${id}`);
  assert.equal(old.id, "e2");
  await world.vibey.stop("SIGKILL");
  await world.serve();
  const control = `əəəcontrol/v1\n${old.id} approve sha256:${old.sha256}\nəəə`;
  await assert.rejects(world.ask("PUT", "/project/p/dialog", { dialogId: id, control }), /409 .*the agent that asked for this has ended, so it can.t be approved any more/);
  // The windows take the question away by themselves, and say why.
  for (const p of [page, other]) await sees(text(p).getByText("interrupted: the agent that asked has ended, so this call can't run any more. Nothing was run. Send a message to go on."));
  await shot(page, "agent-2-lapsed");
  await gone(card(page));
  await gone(card(other));
  assert.match(file(), /> Id: e2\n[^]*> Status: error\n[^]*interrupted: the agent that asked has ended/);
  assert.ok(!/\ne2 approve/.test(file()), "the approval was taken");
  assert.equal(world.read("p", "deed", "page.html"), "<p>A lamp.</p>\n");
  assert.equal(world.heard().length, asked, "no agent was started for it");

  await say(page, "Draw it once more.");
  await sees(text(page).getByText("New session", { exact: true }));
  await asks();
  await card(page).getByRole("button", { name: /^Don’t/ }).click();
  await sees(text(page).getByText("The lamp is drawn.").nth(1));
  assert.ok(world.heard().some((m) => m.result?.outcome?.optionId === "no"));
  await shot(page, "agent-3-over");
}, { agent, expect: /409|ERR_CONNECTION|Failed to load|ERR_/ }));
