// What an agent changed is taken back from its card, from its message, and brought back again.
import { test } from "node:test";
import assert from "node:assert/strict";
import { sha } from "../mockserver.mjs";
import { counts, draft, gone, sees, until, withWindow } from "./browser.mjs";

/** changed makes a turn of a dialog that wrote these files over "old". */
function changed(mock, d, ...paths) {
  const user = mock.append(d, "User", "input/markdown", "Please change them.", { meta: { By: "human" } });
  for (const path of paths) {
    const id = `call_${d.sections.length}`;
    mock.append(d, "Tool Request", "tool/input/json", JSON.stringify({ path, content: "new" }), { id, meta: { Tool: "write_file", Status: "pending" } });
    mock.append(d, "Tool Result", "tool/result/json", JSON.stringify({ success: true, path, bytes: 3, sha256: sha("new" + path), replaced: sha("old" + path) }), { id, meta: { Tool: "write_file", Status: "approved" } });
  }
  mock.append(d, "Assistant", "output/markdown", "They are changed.", { meta: { Stop: "end" } });
  return user;
}

test("a change is taken back from its card, and brought back from the line that tells it", () => withWindow(async ({ page, mock }) => {
  const d = await draft(page, mock);
  const asked = [];
  mock.onUndo = (body) => {
    asked.push(body);
    return { undone: [{ path: "deed/a.txt", sha256: asked.length % 2 === 1 ? sha("olddeed/a.txt") : sha("newdeed/a.txt") }], refused: [] };
  };
  d.governor = { ...d.governor, ledger: { read: [], modified: [{ path: "deed/a.txt", sha256: sha("newdeed/a.txt") }] } };
  changed(mock, d, "deed/a.txt");
  await page.reload();
  const files = page.getByRole("group", { name: "Where it stands" }).getByText("Files changed 1");
  await sees(files);
  const card = page.getByRole("region", { name: "Wrote deed/a.txt" });
  const undo = card.getByRole("button", { name: "Undo: puts deed/a.txt back as before" });
  await undo.click();
  await sees(card.getByText("Taken back"));
  const line = page.getByRole("complementary", { name: "Undo" });
  await sees(line.getByText("You took back what was changed in deed/a.txt."));
  await gone(files); // it is no longer changed
  await page.reload();
  await sees(card.getByText("Taken back"));
  await line.getByRole("button", { name: /^Redo/ }).click();
  await sees(line.getByText("You brought back what was changed in deed/a.txt."));
  await sees(undo);
  await sees(files);
  assert.deepEqual(asked.map((b) => b.dialogId), [d.id, d.id]);
  assert.match(asked[0].id, /^call_/);
  assert.equal(asked[1].id, d.sections.find((s) => s.meta.Kind === "undo").id);
}));

test("the focus stays where a change was taken back by a key", () => withWindow(async ({ page, mock }) => {
  const d = await draft(page, mock);
  mock.onUndo = () => ({ undone: [{ path: "deed/a.txt", sha256: sha("olddeed/a.txt") }], refused: [] });
  changed(mock, d, "deed/a.txt");
  const card = page.getByRole("region", { name: "Wrote deed/a.txt" });
  await card.getByRole("button", { name: /^Undo: / }).focus();
  await page.keyboard.press("Enter");
  await sees(card.getByText("Taken back"));
  await until(() => card.evaluate((c) => c.contains(document.activeElement)));
}));

test("what can't be taken back of a command is counted, also where its result does not name it", () => withWindow(async ({ page, mock }) => {
  const d = await draft(page, mock);
  mock.append(d, "User", "input/markdown", "Please change them.", { meta: { By: "human" } });
  mock.append(d, "Tool Request", "tool/input/json", '{"command":"make"}', { id: "call_1", meta: { Tool: "run_command", Status: "pending" } });
  const named = Array.from({ length: 200 }, (_, i) => ({ path: `deed/f${i}`, sha256: sha(`new${i}`), replaced: sha(`old${i}`) }));
  mock.append(d, "Tool Result", "tool/result/json", JSON.stringify({ success: true, tried: true, exitCode: 0, changed: named, changedMore: 20 }), { id: "call_1", meta: { Tool: "run_command", Status: "approved" } });
  mock.append(d, "Assistant", "output/markdown", "They are changed.", { meta: { Stop: "end" } });
  await sees(page.getByRole("button", { name: "Undo: puts deed/f199, deed/f198, deed/f197 and 197 more files back as before; 20 other files stay as they are" }));
  await sees(page.getByRole("button", { name: /^Undo this turn: .* 197 more files back as before; 20 other files stay as they are$/ }));
}));

test("a turn is taken back as a whole, and what is refused is told with its reason", () => withWindow(async ({ page, mock }) => {
  const d = await draft(page, mock);
  let body;
  mock.onUndo = (b) => {
    body = b;
    return { undone: [{ path: "deed/b.txt", sha256: sha("olddeed/b.txt") }], refused: [{ path: "deed/a.txt", why: "you changed it at 20:11" }] };
  };
  const user = changed(mock, d, "deed/a.txt", "deed/b.txt");
  await page.getByRole("article", { name: /^You/ }).getByRole("button", { name: "Undo this turn: puts deed/b.txt, deed/a.txt back as before" }).click();
  await sees(page.getByText("deed/a.txt was left as it is: you changed it at 20:11.").first());
  assert.deepEqual(body, { dialogId: d.id, turn: user.id });
  await sees(page.getByRole("region", { name: "Wrote deed/b.txt" }).getByText("Taken back"));
}));

test("an undo that puts nothing back says why, also after a reload", () => withWindow(async ({ page, mock }) => {
  const d = await draft(page, mock);
  mock.onUndo = () => ({ undone: [], refused: [{ path: "deed/a.txt", why: "a human or a command changed it since" }] });
  changed(mock, d, "deed/a.txt");
  await page.getByRole("button", { name: /^Undo this turn/ }).click();
  const line = page.getByRole("complementary", { name: "Undo" });
  const told = async () => {
    await sees(line.getByText("An undo put nothing back."));
    await sees(line.getByText("deed/a.txt was left as it is: a human or a command changed it since."));
    await counts(line.getByRole("button"), 0);
  };
  await told();
  await page.reload();
  await told();
  await sees(page.getByRole("region", { name: "Wrote deed/a.txt" }).getByRole("button", { name: /^Undo/ }));
}));

test("nothing is taken back while the agent works", () => withWindow(async ({ page, mock }) => {
  const d = await draft(page, mock);
  changed(mock, d, "deed/a.txt");
  const undo = page.getByRole("region", { name: "Wrote deed/a.txt" }).getByRole("button", { name: /^Undo/ });
  await sees(undo);
  mock.work(d);
  mock.append(d, "User", "input/markdown", "Go on.", { meta: { By: "human" } });
  await page.getByRole("region", { name: "Wrote deed/a.txt" }).getByRole("button", { name: /^Undo/, disabled: true }).waitFor();
}));
