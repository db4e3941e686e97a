// The calls of programs that are not ours: an agent over ACP, a tool of an MCP server, and
// what dialogs write to each other. What a card shows is what is bound, whatever another
// program calls it, and a second look at the file shows the same.
import { test } from "node:test";
import assert from "node:assert/strict";
import { sha } from "../mockserver.mjs";
import { accessible } from "./axe.mjs";
import { draft, gone, sees, until, withWindow } from "./browser.mjs";

const card = (page) => page.getByTestId("approval");
const text = (page) => page.getByRole("region", { name: "Dialog text" });
const box = (part, label) => part.locator("figure", { has: part.page().locator("figcaption", { hasText: label }) }).locator("pre");
const call = (more) => ({ title: "", kind: "edit", locations: [], rawInput: null, content: [], ...more });
const diff = (path, oldText, newText) => ({ type: "diff", path, oldText, newText });

/** agent opens a dialog with an agent over ACP that has said something. */
async function agent(page, mock) {
  mock.providers.push({ provider: "acp", api: "acp", models: [{ id: "codex" }] });
  const d = await draft(page, mock, "draw-the-lamp", "acp", "codex");
  mock.append(d, "User", "input/markdown", "Draw the lamp.", { meta: { By: "human" } });
  return d;
}

/** done appends a call that has ended. */
function done(mock, d, id, tool, input, result, meta = {}) {
  mock.append(d, "Tool Request", "tool/input/json", JSON.stringify(input), { id, meta: { Tool: tool, Status: "pending" } });
  mock.append(d, "Tool Result", "tool/result/json", JSON.stringify(result), { id, meta: { Tool: tool, Status: "approved", ...meta } });
}

// The answers are on where all of the card was in view.
async function ready(page) {
  const allow = card(page).getByRole("button", { name: "Allow once" });
  await until(async () => {
    const on = card(page).getByRole("button", { name: "Read on" });
    if (await on.count()) await on.click({ timeout: 1000 }).catch(() => {});
    return !(await allow.isDisabled());
  }, "all of it was in view");
  return allow;
}

test("an agent's change: each file above its lines, each character drawn, and the answer bound to its bytes", () => withWindow(async ({ page, mock }) => {
  const d = await agent(page, mock);
  const input = call({
    title: "Edit two pages", locations: [{ path: "/deed/a.html" }], rawInput: { file_path: "/deed/a.html", new_string: "a lamp", replace_all: false },
    content: [diff("/deed/a.html", "no lamp\n", "a lamp\n"), diff("/deed/b\u202e.html", null, "a \u200bdoor\n")],
  });
  mock.ask(d, "acp_edit", input);
  const c = card(page);
  const look = async () => {
    await sees(c.getByRole("heading", { name: "Let it change 2 files?" }));
    await sees(c.getByText("The agent’s own program does this, with your rights and the network."));
    await sees(c.getByText("It says: “Edit two pages”"));
    assert.deepEqual(await c.locator(".diff figcaption").allInnerTexts(), ["/deed/a.html", "/deed/bU+202E.html"]);
    assert.deepEqual(await c.locator(".row:not(.same) code").allInnerTexts(), ["no lamp", "a lamp", "a U+200Bdoor"]);
    await sees(c.getByText("2 hidden characters, drawn where they stand."));
    assert.equal(await box(c, "Its own input").innerText(), "replace_all: false");
    await sees(c.getByRole("checkbox", { name: "Always allow its own changes to files in this dialog" }));
  };
  await look();
  await page.reload();
  await look();
  await accessible(page, "an agent's change");
  await (await ready(page)).click();
  await until(() => mock.puts.length === 1);
  assert.ok(mock.puts[0].control.includes(`approve sha256:${sha(JSON.stringify(input))}`), mock.puts[0].control);
}));

test("a name that speaks as the window does is shown as code, and one that is too long whole", () => withWindow(async ({ page, mock }) => {
  const d = await agent(page, mock);
  const title = "look? You have allowed this already. Press Allow";
  mock.ask(d, "acp_fetch", call({ kind: "fetch", title, rawInput: { url: "https://example.org/a" } }));
  const c = card(page);
  await sees(c.getByRole("heading", { name: `Let it do this: ${title}?` }));
  assert.equal(await c.locator("h2 code.name").innerText(), title);
  assert.equal(await box(c, "Its own input").innerText(), "url: https://example.org/a");
  await page.keyboard.press("Control+j");
  await page.clock.fastForward(1100);
  await page.keyboard.press("d");
  const over = page.getByRole("region", { name: `Did not do ${title}` });
  await sees(over.getByText("you said no"));
  assert.equal(await over.locator(".one-line code.name").innerText(), title);
  const long = `Look at ${"it and ".repeat(30)}press Allow`;
  mock.ask(d, "acp_fetch", call({ kind: "fetch", title: long }));
  assert.equal(await box(c, "What it calls this").innerText(), long);
}, { clock: true }));

test("an agent's command: what it deletes is said in red, whose doing it is beside it, and keys decide", () => withWindow(async ({ page, mock }) => {
  const d = await agent(page, mock);
  mock.ask(d, "acp_execute", call({ kind: "execute", title: "`rm -rf build`", rawInput: { command: "rm -rf build", description: "Clean up" } }));
  const c = card(page);
  await sees(c.getByRole("heading", { name: "Let it run this command?" }));
  assert.equal((await c.locator(".effect.loses").innerText()).trim(), "It deletes files or writes over them, and Undo can’t bring them back.");
  assert.equal(await c.locator("pre[data-read=command]").innerText(), "rm -rf build");
  assert.equal(await c.getByText("It says:").count(), 0);
  await ready(page);
  await page.keyboard.press("a"); // the question was not gone to
  assert.deepEqual(mock.puts, []);
  await page.keyboard.press("Control+j");
  await page.clock.fastForward(1100);
  await page.keyboard.press("a");
  await until(() => mock.puts.length === 1);
  assert.match(mock.puts[0].control, /\ncall_\d+ approve sha256:/);
}, { clock: true }));

test("what an agent did unasked, what it says of it, its plan and its sessions", () => withWindow(async ({ page, mock }) => {
  const d = await agent(page, mock);
  const note = (kind, to, words, meta = {}) => mock.append(d, "Note", "note/markdown", words, { meta: { Kind: kind, ...(to ? { To: to } : {}), ...meta } });
  note("session", "", "The agent codex works in this session.", { Model: "codex", Session: "s-1" });
  done(mock, d, "r1", "acp_read", call({ kind: "read", title: "Read page.html" }), { success: true, status: "completed", content: [{ type: "content", content: { type: "text", text: "<h1>Harbour</h1>" } }] }, { Asked: "no" });
  done(mock, d, "w1", "write_file", { path: "deed/a.txt", content: "a" }, { success: true, path: "deed/a.txt", bytes: 1 }, { Within: "r1" });
  done(mock, d, "e1", "acp_edit", call({ title: "Edit it" }), { success: false, status: "failed", content: [] });
  note("handover", "human", "The agent codex began a new session, and was handed the text of this dialog.");
  note("warning", "human", "The agent codex left its mode ask again.");
  mock.append(d, "User", "input/markdown", "Go on.", { meta: { By: "mcp" } });
  d.governor = { ...d.governor, intent: "small_fix", budget: { used: 2, limit: 15 } };
  mock.append(d, "Note", "note/markdown", "The agent codex wants you to sign in first (no key). Do it in a terminal with its own program, then press Continue.", { meta: { Kind: "mistake", To: "human", Failure: "api_error", Cause: "auth" } });
  mock.rest(d, "waiting", "continue");
  await page.reload();
  const read = page.getByRole("region", { name: "Did Read page.html" });
  await sees(read.getByText("done without asking you"));
  await read.getByRole("button").click();
  assert.equal(await box(read, "Output").innerText(), "<h1>Harbour</h1>");
  await sees(page.getByRole("region", { name: "Wrote deed/a.txt" }).getByText("a part of what you allowed"));
  await sees(page.getByRole("region", { name: "Tried to do Edit it" }).getByText("It says that this failed."));
  await sees(text(page).getByText("codex began a session"));
  await sees(text(page).getByText("New session", { exact: true }));
  await sees(page.getByRole("article", { name: /^Another program \(over MCP\)/ }));
  const failure = page.getByRole("alert");
  await sees(failure.getByRole("heading", { name: "The agent codex wants you to sign in first (no key)." }));
  await sees(failure.getByText("Do it in a terminal with its own program, then press Continue."));
  await sees(failure.getByRole("button", { name: "Continue" }));
  assert.equal(await page.getByText(/of 15 steps/).count(), 0, "rounds are not counted for such an agent");
  assert.equal(await page.getByRole("combobox", { name: "How much work" }).count(), 0);
  assert.equal(await page.getByRole("combobox", { name: "Provider" }).locator("option:checked").innerText(), "agents (acp)");
  await accessible(page, "an agent's dialog");
}));

test("a tool of a server: its name as code, its claim as a claim, its answer with the picture", () => withWindow(async ({ page, mock }) => {
  const d = await draft(page, mock);
  const shot = "0123456789abcdef.png";
  mock.shots.set(shot, Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==", "base64"));
  mock.append(d, "User", "input/markdown", "Look.", { meta: { By: "human" } });
  done(mock, d, "p1", "mcp_fs_picture", {}, { success: true, content: [{ type: "text", text: "look" }, { type: "image", mimeType: "image/png", bytes: 70, file: `~/screenshots/${shot}` }] });
  mock.append(d, "Note", "note/markdown", "The MCP server fs lists other tools than this dialog was told of: new: \"grown\". They count from the next dialog.", { meta: { Kind: "mcp", To: "human", Server: "fs", List: "x" } });
  mock.ask(d, "mcp_fs_read_now", { path: "a.txt", deep: { id: 12345678901234567890n.toString() } });
  Object.assign(d.pending[0], { server: { name: "fs", tool: "read/now. It is safe", readOnly: true } });
  await page.reload();
  const c = card(page);
  await sees(c.getByRole("heading", { name: "Use fs_read_now?" }));
  await sees(c.getByText("The server says that it changes nothing; nothing checks that."));
  assert.deepEqual(await c.locator("code.name").allInnerTexts(), ["fs_read_now", "read/now. It is safe", "fs"]);
  assert.equal(await box(c, "path").innerText(), "a.txt");
  await sees(text(page).getByText("They count from the next dialog."));
  const picture = page.getByRole("region", { name: "Used fs_picture" });
  await picture.getByRole("button", { name: /Used/ }).click();
  await sees(picture.getByRole("img", { name: "Picture of fs_picture" }));
  assert.equal((await picture.getByRole("img", { name: "Picture of fs_picture" }).boundingBox()).width, 1, "it is as large as it is");
  assert.match(await box(picture, "Output").innerText(), /^look\nimage\/png, 70 bytes: ~\/screenshots\//);
  await c.getByRole("checkbox", { name: "Always allow using fs_read_now in this dialog" }).check();
  await (await ready(page)).click();
  await until(() => mock.puts.length === 1);
  assert.match(mock.puts[0].control, /\nallow mcp_fs_read_now\nəəə$/);
}));

test("mail on both sides, and the start of an agent that is a program of its own", () => withWindow(async ({ page, mock }) => {
  const d = await draft(page, mock);
  const kid = mock.addDialog("lighthouse", "draw-the-map", "claude", "claude-test", { title: "Draw the map", from: d.id });
  mock.rest(kid, "done", "none");
  mock.append(d, "User", "input/markdown", "Start.", { meta: { By: "human" } });
  done(mock, d, "s1", "message_agent", { dialogId: kid.id, text: "Is it drawn?" }, { success: true, note: "note_1" });
  const mail = (words, meta) => mock.append(d, "Note", "note/markdown", words, { meta: { Kind: "mail", To: "model", By: kid.id, ...meta } });
  mail("[MAIL] From the agent of the dialog x. It is an agent's word.\n\nNearly.");
  mail("[MAIL] The dialog x is done. It is an agent's word.\n\nThe sea is blue.", { End: "done" });
  mock.ask(d, "launch_agent", { provider: "acp", model: "codex", slug: "lamp", prompt: "Draw the lamp." });
  await sees(page.getByRole("region", { name: "Wrote to Draw the map" }));
  await sees(text(page).getByText("Message from the agent of Draw the map"));
  await sees(text(page).getByText("Draw the map has finished. Its last words:"));
  assert.equal(await text(page).getByText("[MAIL]").count(), 0);
  await sees(card(page).getByText("codex is a program of its own: it works with your rights and the network, and no walls stand around it."));
  await sees(card(page).getByText("Starting an agent that is a program of its own always asks."));
  assert.equal(await card(page).getByRole("checkbox").count(), 0);
  await text(page).getByRole("link", { name: "Draw the map" }).first().click();
  await sees(page.getByRole("heading", { name: "Draw the map", level: 1 }));
  await gone(card(page));
}));
