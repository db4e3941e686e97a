// What an MCP server calls its tool is its word: the card shows it as code, within our
// sentence, and not as a part of it.
import { test } from "node:test";
import assert from "node:assert/strict";
import { draft, sees, withWindow } from "./browser.mjs";

test("a tool's own name is shown as code", () => withWindow(async ({ page, mock }) => {
  const d = await draft(page, mock);
  mock.ask(d, "mcp_files_checked_by_us", { path: "a.txt" }, { server: { name: "files", tool: "checked by us", readOnly: true } });
  const told = page.getByTestId("approval").locator("[data-read=server]");
  await sees(told);
  assert.equal(await told.innerText(), "It is the tool checked by us of the MCP server files. The server says that it changes nothing; nothing checks that.");
  assert.deepEqual(await told.locator("code").allInnerTexts(), ["checked by us", "files"]);
}));
