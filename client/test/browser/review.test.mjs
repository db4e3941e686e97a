// What a turn changed, in one view: from hunk to hunk, taken back, commented on, and one message of it.
import { test } from "node:test";
import assert from "node:assert/strict";
import { sha } from "../mockserver.mjs";
import { accessible } from "./axe.mjs";
import { agrees, counts, draft, gone, hasFocus, holds, sees, until, withWindow } from "./browser.mjs";

/** A hunk that replaces a line of a file by another one. */
const hunk = (n, was, is, more = {}) => ({ from: n, to: n, was: n, old: [was], new: [is], above: [`line ${n - 1}`], below: [`line ${n + 1}`], byte: 0, ...more });

/** changed makes a turn that wrote these files, and makes the mock tell of their hunks. */
async function changed(page, mock, files = { "deed/poem.txt": [hunk(2, "two", "TWO"), hunk(8, "eight", "EIGHT")], "doc-notes.md": [hunk(3, "old words", "new words")], "doc-old.md": [{ ...hunk(1, "gone", ""), to: 0, new: [], above: [], below: [] }] }, works = false) {
  const d = await draft(page, mock, "my-poem");
  const user = mock.append(d, "User", "input/markdown", "Please change them.", { meta: { By: "human" } });
  if (works) mock.work(d);
  const all = Object.entries(files).map(([path, hunks], i) => {
    const call = `call_${i}`;
    mock.append(d, "Tool Request", "tool/input/json", JSON.stringify({ path, content: "new" }), { id: call, meta: { Tool: "write_file", Status: "pending" } });
    mock.append(d, "Tool Result", "tool/result/json", JSON.stringify({ success: true, path, bytes: 3, sha256: sha("new" + path), replaced: sha("old" + path) }), { id: call, meta: { Tool: "write_file", Status: "approved" } });
    return { call, path, sha256: sha("new" + path), replaced: sha("old" + path), now: sha("new" + path), hunks };
  });
  mock.append(d, "Assistant", "output/markdown", "They are changed.", { meta: { Stop: "end" } });
  mock.onChanges = (of) => (of === user.id ? all : []);
  return { d, user, all };
}

const region = (page) => page.getByRole("region", { name: "Review" });
const opens = async (page) => {
  await page.getByRole("button", { name: "Review", exact: true }).click();
  await sees(region(page));
  await gone(region(page).getByText("Reading what changed…"));
};
// A second after the Enter that ended a text a letter is none of it.
const rested = () => new Promise((ok) => setTimeout(ok, 1200));
const at = (page, name) => region(page).getByRole("group", { name, exact: true });

test("at the end of a turn it is told how many files changed, once it has ended, without what is taken back", () => withWindow(async ({ page, mock }) => {
  const { d } = await changed(page, mock);
  const line = page.locator(".turn-end");
  await agrees(() => line.innerText(), "3 files changed · Review");
  // Behind the last of the turn, in front of the next message.
  mock.append(d, "User", "input/markdown", "And now?", { meta: { By: "human" } });
  mock.append(d, "Assistant", "output/markdown", "Nothing more.");
  await sees(page.getByText("Nothing more."));
  await counts(line, 1);
  assert.equal(await line.evaluate((e) => [e.previousElementSibling.textContent.includes("They are changed."), e.nextElementSibling.textContent.includes("And now?")].join()), "true,true");
  mock.append(d, "Note", "note/json", JSON.stringify({ undone: [{ path: "doc-old.md", sha256: sha("olddoc-old.md") }], refused: [] }), { meta: { Kind: "undo", To: "model", By: "human", Parent: "call_2" } });
  await agrees(() => line.innerText(), "2 files changed · Review");
  await page.reload();
  await agrees(() => line.innerText(), "2 files changed · Review");
}));

test("a turn that works or asks has not ended", () => withWindow(async ({ page, mock }) => {
  const { d } = await changed(page, mock, undefined, true);
  await sees(page.getByText("They are changed."));
  assert.equal(await page.locator(".turn-end").count(), 0);
  mock.ask(d);
  await sees(page.getByTestId("approval"));
  assert.equal(await page.locator(".turn-end").count(), 0);
  await page.getByRole("button", { name: "Don’t", exact: true }).click();
  await sees(page.locator(".turn-end"));
}));

test("all changes stand in one view, and J and K lead from hunk to hunk", () => withWindow(async ({ page, mock }) => {
  await changed(page, mock);
  await opens(page);
  const review = region(page);
  await sees(review.getByRole("heading", { name: "3 files changed" }));
  await counts(review.getByRole("group"), 4);
  for (const name of ["deed/poem.txt", "doc-notes.md", "doc-old.md"]) await sees(review.getByRole("link", { name }));
  await sees(review.getByText("4 changes"));
  const names = ["deed/poem.txt, line 2", "deed/poem.txt, line 8", "doc-notes.md, line 3", "doc-old.md, taken out above line 1"];
  for (const [i, name] of names.entries()) {
    await page.keyboard.press("j");
    await hasFocus(at(page, name));
    await sees(review.getByText(`${i + 1} of 4`));
  }
  await page.keyboard.press("j"); // the last one
  await hasFocus(at(page, names[3]));
  await page.keyboard.press("k");
  await hasFocus(at(page, names[2]));
  await review.getByRole("button", { name: "Previous", exact: true }).click();
  await review.getByRole("button", { name: "Previous", exact: true }).click();
  await hasFocus(at(page, names[0]));
  await review.getByRole("button", { name: "Next", exact: true }).click();
  await hasFocus(at(page, names[1]));
  const rows = at(page, names[1]).locator(".row");
  assert.deepEqual(await rows.evaluateAll((all) => all.map((r) => r.innerText.replace(/\s+/g, " ").trim())), ["7 line 7", "8 − removed: eight", "8 + added: EIGHT", "9 line 9"]);
  await page.keyboard.press("Escape");
  await gone(review);
  await hasFocus(page.getByRole("button", { name: "Review", exact: true }));
}));

test("the files stand one below the other, in the whole height below the head", () => withWindow(async ({ page, mock }) => {
  await changed(page, mock);
  await opens(page);
  for (const size of [{ width: 1280, height: 800 }, { width: 390, height: 844 }]) {
    await page.setViewportSize(size);
    const box = await region(page).boundingBox();
    const list = await region(page).locator(".files").boundingBox();
    const head = await region(page).locator("header").boundingBox();
    assert.ok(Math.abs(list.y - head.y - head.height) < 1 && Math.abs(list.y + list.height - box.y - box.height) < 1 && list.height > 500, JSON.stringify([box, head, list]));
    const files = await region(page).locator(".reviewed").evaluateAll((all) => all.map((e) => e.getBoundingClientRect().toJSON()));
    assert.equal(files.length, 3);
    files.slice(1).forEach((f, i) => assert.ok(f.top >= files[i].bottom && f.left === files[i].left && f.width === files[i].width, JSON.stringify(files)));
    assert.ok(files[0].width > Math.min(64 * 16, box.width - 60) - 1, JSON.stringify(files));
  }
}));

test("the second click of a double click on Send falls on nothing that lay below", () => withWindow(async ({ page, mock }) => {
  const { d } = await changed(page, mock);
  await opens(page);
  await at(page, "deed/poem.txt, line 2").getByRole("button", { name: "Comment", exact: true }).click();
  await page.keyboard.type("Not so loud.");
  const under = page.locator(".strip .acts").getByRole("button", { name: "Finish", includeHidden: true });
  const place = await under.boundingBox(), own = await region(page).getByRole("button", { name: "Send", exact: true }).boundingBox();
  const x = (Math.max(place.x, own.x) + Math.min(place.x + place.width, own.x + own.width)) / 2;
  let go;
  const held = new Promise((done) => { go = done; });
  await page.route("**/dialog/*", async (r) => { await held; await r.continue(); }); // the server takes its time
  await page.locator(".strip .acts[aria-disabled=false]").waitFor({ state: "attached" }); // it has stood for long
  await page.mouse.click(x, own.y + own.height / 2);
  await gone(region(page));
  await page.mouse.down({ clickCount: 2 });
  await page.mouse.up({ clickCount: 2 });
  await sees(page.getByText("Not done yet: the page had just moved. Click once more."));
  go();
  await until(() => mock.puts.some((p) => p.prompt));
  assert.ok(mock.puts.every((p) => p.status === undefined));
  assert.notEqual(d.status, "done");
}));

test("what is sent comes into view, from Review and from the box, wherever the log was scrolled to", () => withWindow(async ({ page, mock }) => {
  const { d } = await changed(page, mock);
  for (let i = 0; i < 30; i++) mock.append(d, "User", "input/markdown", `Message ${i} of before`, { meta: { By: "human" } });
  await sees(page.getByText("Message 29 of before"));
  const up = () => page.locator(".log").evaluate((e) => { e.scrollTop = 0; });
  await up();
  await sees(page.getByRole("button", { name: "To the end" }));
  await opens(page);
  await at(page, "deed/poem.txt, line 2").getByRole("button", { name: "Comment", exact: true }).click();
  await page.keyboard.type("Not so loud.");
  await region(page).getByRole("button", { name: "Send", exact: true }).click();
  const inView = (words) => until(() => page.locator(".log").evaluate((log, w) => {
    const of = [...log.querySelectorAll(".turn")].findLast((e) => e.textContent.includes(w))?.getBoundingClientRect(), l = log.getBoundingClientRect();
    return of !== undefined && of.top >= l.top && of.top < l.bottom;
  }, words));
  await inView("Not so loud.");
  await until(() => d.status !== "active");
  await up();
  await sees(page.getByRole("button", { name: "To the end" }));
  await page.getByRole("textbox", { name: "Message", exact: true }).fill("And one more.");
  await page.getByRole("textbox", { name: "Message", exact: true }).press("Control+Enter");
  await inView("And one more.");
}));

test("a file that can be run now is told of, also where none of its lines changed", () => withWindow(async ({ page, mock }) => {
  const { all } = await changed(page, mock, { "deed/run.sh": [] });
  Object.assign(all[0], { mode: "755", modeWas: "644" });
  await opens(page);
  await sees(region(page).getByRole("region", { name: "deed/run.sh" }).getByText("Can be run as a program now."));
}));

test("a hunk is taken back and brought back again, and why it was not is told", () => withWindow(async ({ page, mock }) => {
  const { d, all } = await changed(page, mock);
  const asked = [];
  mock.onUndo = (body) => {
    asked.push(body);
    if (body.hunk?.from === 8) return { undone: [], refused: [{ path: "deed/poem.txt", why: "these lines were changed since" }] };
    const h = all[0].hunks[0];
    if (body.hunk) h.taken = `m${d.n + 1}`;
    else delete h.taken;
    return { undone: [{ path: "deed/poem.txt", sha256: sha(String(asked.length)), replaced: sha("newdeed/poem.txt") }], refused: [] };
  };
  await opens(page);
  const first = at(page, "deed/poem.txt, line 2"), second = at(page, "deed/poem.txt, line 8");
  await first.getByRole("button", { name: "Take back", exact: true }).click();
  await sees(first.getByText("Taken back"));
  await hasFocus(first);
  assert.deepEqual(asked[0], { dialogId: d.id, id: "call_0", hunk: { path: "deed/poem.txt", from: 2, to: 2 } });
  await counts(second.getByRole("button", { name: "Take back", exact: true }), 1);
  await second.getByRole("button", { name: "Take back", exact: true }).click();
  await sees(second.getByRole("alert").getByText("deed/poem.txt was left as it is: these lines were changed since."));
  await first.getByRole("button", { name: "Redo", exact: true }).click();
  await sees(first.getByRole("button", { name: "Take back", exact: true }));
  assert.deepEqual(asked[2], { dialogId: d.id, id: d.sections.find((s) => s.meta.Kind === "undo").id });
  await page.keyboard.press("Escape");
  await sees(page.getByText("You took back a change in deed/poem.txt, line 2."));
}));

test("what another tab takes back shows here, and nothing is taken back while the agent works", () => withWindow(async ({ page, mock }) => {
  const { d, all } = await changed(page, mock);
  await opens(page);
  const first = at(page, "deed/poem.txt, line 2");
  await sees(first.getByRole("button", { name: "Take back", exact: true }));
  all[0].hunks[0].taken = "other";
  mock.append(d, "Note", "note/json", JSON.stringify({ undone: [{ path: "deed/poem.txt", sha256: sha("x"), replaced: sha("y") }], refused: [] }), { id: "other", meta: { Kind: "undo", Parent: "call_0", Hunk: "deed/poem.txt 2-2", By: "human" } });
  await sees(first.getByText("Taken back"));
  mock.work(d);
  mock.append(d, "User", "input/markdown", "Go on.", { meta: { By: "human" } });
  await first.getByRole("button", { name: "Redo", exact: true, disabled: true }).waitFor();
  await at(page, "deed/poem.txt, line 8").getByRole("button", { name: "Take back", exact: true, disabled: true }).waitFor();
}));

test("comments on lines are kept, and Send makes one message of them, with file, hash and line; by keys alone", () => withWindow(async ({ page, mock }) => {
  const { d } = await changed(page, mock);
  const review = page.getByRole("button", { name: "Review", exact: true });
  await page.getByRole("textbox", { name: "Message" }).focus();
  await until(async () => {
    await page.keyboard.press("Shift+Tab");
    return review.evaluate((b) => b === document.activeElement);
  });
  await page.keyboard.press("Enter");
  await hasFocus(region(page));
  await counts(region(page).getByRole("group"), 4);
  const send = region(page).getByRole("button", { name: "Send", exact: true });
  await send.and(page.locator(":disabled")).waitFor();
  await page.keyboard.press("j");
  const first = at(page, "deed/poem.txt, line 2");
  await hasFocus(first);
  await page.keyboard.press("Tab"); // to the first line that changed
  await hasFocus(first.getByRole("button", { name: "Comment on the former line 2" }));
  await page.keyboard.press("ArrowDown");
  await hasFocus(first.getByRole("button", { name: "Comment on line 2" }));
  await page.keyboard.press("Enter");
  const field = first.getByRole("textbox", { name: "Comment on line 2" });
  await hasFocus(field);
  await page.keyboard.type("Not so loud.");
  await page.keyboard.press("Enter");
  await hasFocus(first.getByRole("button", { name: "Comment on line 2" }));
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Enter");
  await hasFocus(first.getByRole("textbox", { name: "Comment on the former line 2" }));
  await page.keyboard.type("This was better.");
  await page.keyboard.press("Escape");
  await sees(region(page)); // it ends the comment alone
  await page.keyboard.press("j"); // and on from there
  await hasFocus(at(page, "deed/poem.txt, line 8"));
  await page.keyboard.press("k");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await hasFocus(first.getByRole("textbox", { name: "Comment on the former line 2" }));
  await page.keyboard.type("!");
  await page.keyboard.press("Enter");
  await rested();
  await page.keyboard.press("j");
  await hasFocus(at(page, "deed/poem.txt, line 8"));
  await page.reload(); // they are kept
  await sees(page.getByText("2 comments not sent"));
  await opens(page);
  await holds(first.getByRole("textbox", { name: "Comment on line 2" }), "Not so loud.");
  await at(page, "doc-notes.md, line 3").getByRole("button", { name: "Comment", exact: true }).click();
  await hasFocus(at(page, "doc-notes.md, line 3").getByRole("textbox"));
  await page.keyboard.type("Dropped again");
  await at(page, "doc-notes.md, line 3").getByRole("button", { name: "Remove", exact: true }).click();
  await gone(at(page, "doc-notes.md, line 3").getByRole("textbox"));
  await send.click();
  await gone(region(page));
  await until(() => mock.puts.some((p) => p.prompt));
  const hash = (side) => sha(side + "deed/poem.txt");
  assert.equal(mock.puts.find((p) => p.prompt).prompt, [
    "Comments on what you changed:",
    `On deed/poem.txt as it was before (sha256 ${hash("old")}), line 2:`, "> two", "This was better.!",
    `On deed/poem.txt (sha256 ${hash("new")}), line 2:`, "> TWO", "Not so loud.",
  ].join("\n\n"));
  assert.equal(d.sections.filter((s) => s.role === "User").length, 2);
  await page.reload();
  await sees(page.getByText("Not so loud.").first());
  const told = await page.locator("article.user").last().innerText();
  assert.ok(/On deed\/poem\.txt as it was before, line 2:/.test(told) && !/[0-9a-f]{64}/.test(told), told);
  assert.equal(await page.getByText(/not sent/).count(), 0);
}));

test("what changed in a doc is words struck and set in, and each paragraph has its place for a comment", () => withWindow(async ({ page, mock }) => {
  const words = { ...hunk(3, "The lamp turn in it, and he is tired.", "The lamp turns in it."), above: ["# Notes", ""], below: ["", "Below him the sea goes on."] };
  const went = { from: 9, to: 8, was: 9, old: ["Nobody sails there.", ""], new: [], above: ["The gulls know it.", ""], below: ["Then it is day."], byte: 0 };
  const { d, user, all } = await changed(page, mock, { "doc-notes.md": [words, went] });
  const asked = [];
  mock.onUndo = (body) => {
    asked.push(body.hunk);
    all[0].hunks[1].taken = `m${d.n + 1}`;
    return { undone: [{ path: "doc-notes.md", sha256: sha("x"), replaced: sha("y") }], refused: [] };
  };
  // One that was kept at a line by itself.
  await page.evaluate(([key, line, sha256]) => localStorage.setItem(key, JSON.stringify({ [line]: { text: "Why not?", sha256, quote: "The lamp turn in it, and he is tired." } })), [`vibey.review/lighthouse/${d.id}/${user.id}`, "call_0 before 3 doc-notes.md", sha("olddoc-notes.md")]);
  await opens(page);
  const first = at(page, "doc-notes.md, line 3"), second = at(page, "doc-notes.md, taken out above line 9");
  await agrees(() => first.locator("del").allTextContents(), ["turn", ", and he is tired"]);
  assert.deepEqual(await first.locator("ins").allTextContents(), ["turns"]);
  assert.deepEqual(await first.locator(".words").allTextContents(), ["# Notes", "The lamp turnturns in it, and he is tired.", "Below him the sea goes on."]);
  assert.deepEqual(await second.locator(".words").allTextContents(), ["The gulls know it.", "Nobody sails there.", "Then it is day."]);
  assert.equal(await region(page).locator(".sign").count(), 0);
  assert.match(await first.ariaSnapshot(), /removed: “ ?turn[\s\S]*added: “ ?turns/);
  await holds(first.getByRole("textbox", { name: "Comment on the former line 3" }), "Why not?");
  // By keys, from paragraph to paragraph.
  await page.keyboard.press("j");
  await hasFocus(first);
  await page.keyboard.press("Tab");
  await hasFocus(first.getByRole("button", { name: "Comment on line 3" }));
  await page.keyboard.press("ArrowUp");
  await hasFocus(first.getByRole("button", { name: "Comment on line 1" }));
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await hasFocus(first.getByRole("textbox", { name: "Comment on line 3" }));
  await page.keyboard.type("Of itself?");
  await page.keyboard.press("Enter");
  await hasFocus(first.getByRole("button", { name: "Comment on line 3" }));
  await rested();
  await page.keyboard.press("j");
  await hasFocus(second);
  await page.keyboard.press("Tab");
  await hasFocus(second.getByRole("button", { name: "Comment on the former line 9" }));
  await page.keyboard.press("Enter");
  await hasFocus(second.getByRole("textbox"));
  await page.keyboard.type("It was good.");
  await page.keyboard.press("Escape");
  for (const [name, size, colorScheme] of [["wide", { width: 1280, height: 800 }, "light"], ["wide-dark", { width: 1280, height: 800 }, "dark"], ["phone-dark", { width: 390, height: 844 }, "dark"], ["phone", { width: 390, height: 844 }, "light"]]) {
    await page.setViewportSize(size);
    await page.emulateMedia({ colorScheme });
    if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/review-prose-${name}.png` });
  }
  await second.getByRole("button", { name: "Take back", exact: true }).click();
  await sees(second.getByText("Taken back"));
  assert.deepEqual(asked, [{ path: "doc-notes.md", from: 9, to: 8 }]);
  await region(page).getByRole("button", { name: "Send", exact: true }).click();
  await until(() => mock.puts.some((p) => p.prompt));
  const hash = (side) => sha(`${side}doc-notes.md`);
  assert.equal(mock.puts.find((p) => p.prompt).prompt, [
    "Comments on what you changed:",
    `On doc-notes.md as it was before (sha256 ${hash("old")}), line 3:`, "> The lamp turn in it, and he is tired.", "Why not?",
    `On doc-notes.md (sha256 ${hash("new")}), line 3:`, "> The lamp turns in it.", "Of itself?",
    `On doc-notes.md as it was before (sha256 ${hash("old")}), line 9:`, "> Nobody sails there.", "It was good.",
  ].join("\n\n"));
}));

test("who types on behind the Enter of a comment writes its next line, and no letter acts", () => withWindow(async ({ page, mock }) => {
  await changed(page, mock);
  await opens(page);
  const first = at(page, "deed/poem.txt, line 2"), field = first.getByRole("textbox", { name: "Comment on line 2", exact: true });
  await first.getByRole("button", { name: "Comment on line 2", exact: true }).click();
  await page.keyboard.type("Not so loud.");
  await page.keyboard.press("Enter");
  await page.keyboard.type("now more");
  await holds(field, "Not so loud.\nnow more");
  await sees(region(page));
}));

test("a comment on a file that changed since stays in view with its line, and is sent too", () => withWindow(async ({ page, mock }) => {
  const { d, all } = await changed(page, mock);
  await opens(page);
  await at(page, "deed/poem.txt, line 2").getByRole("button", { name: "Comment on line 2", exact: true }).click();
  await page.keyboard.type("Not so loud.");
  await page.keyboard.press("Enter");
  await at(page, "doc-notes.md, line 3").getByRole("button", { name: "Comment on line 3", exact: true }).click();
  await page.keyboard.type("Why?");
  await page.keyboard.press("Enter");
  const made = all[0].sha256;
  Object.assign(all[0], { now: sha("another"), why: "the bytes are not kept any more", hunks: [] });
  await page.reload();
  await sees(page.getByText("2 comments not sent"));
  await opens(page);
  const file = region(page).getByRole("region", { name: "deed/poem.txt" });
  await sees(file.getByText("This file was changed since."));
  await sees(file.getByText("TWO"));
  await holds(file.getByRole("textbox", { name: "Comment on line 2" }), "Not so loud.");
  await region(page).getByRole("button", { name: "Send", exact: true }).click();
  await gone(region(page));
  await until(() => mock.puts.some((p) => p.prompt));
  assert.equal(mock.puts.find((p) => p.prompt).prompt, [
    "Comments on what you changed:", `On doc-notes.md (sha256 ${all[1].sha256}), line 3:`, "> new words", "Why?",
    `On deed/poem.txt (sha256 ${made}), line 2:`, "> TWO", "Not so loud.",
  ].join("\n\n"));
  assert.equal(await page.evaluate(() => Object.keys(localStorage).filter((k) => k.startsWith("vibey.review/")).length), 0);
  assert.equal(d.sections.filter((s) => s.role === "User").length, 2);
}));

test("a comment shows in another tab, and what is sent in one is gone in the other", () => withWindow(async ({ page, mock, open }) => {
  const { d } = await changed(page, mock);
  await opens(page);
  const other = await open(`#/project/lighthouse/dialogs/${d.id}`);
  await opens(other);
  await at(page, "doc-notes.md, line 3").getByRole("button", { name: "Comment on line 3", exact: true }).click();
  await hasFocus(at(page, "doc-notes.md, line 3").getByRole("textbox"));
  await page.keyboard.type("Why?");
  const there = at(other, "doc-notes.md, line 3").getByRole("textbox", { name: "Comment on line 3" });
  await holds(there, "Why?");
  await at(other, "deed/poem.txt, line 2").getByRole("button", { name: "Comment on line 2", exact: true }).click();
  await hasFocus(at(other, "deed/poem.txt, line 2").getByRole("textbox"));
  await other.keyboard.type("Both stay.");
  await holds(at(page, "deed/poem.txt, line 2").getByRole("textbox"), "Both stay.");
  await region(page).getByRole("button", { name: "Send", exact: true }).click();
  await gone(there);
  await region(other).getByRole("button", { name: "Send", exact: true, disabled: true }).waitFor();
  await until(() => mock.puts.filter((p) => p.prompt).length === 1);
}));

test("what has no lines, what changed since, and what is another dialog's says so", () => withWindow(async ({ page, mock }) => {
  const { all } = await changed(page, mock);
  Object.assign(all[0], { why: "it is no text, so that it has no lines", hunks: [] });
  Object.assign(all[1], { now: sha("another") });
  Object.assign(all[2], { stays: "that was done in the dialog 20260216-201100-x; take it back there" });
  await opens(page);
  await sees(region(page).getByText("No lines are shown: it is no text, so that it has no lines."));
  await sees(region(page).getByText("This file was changed since."));
  await sees(region(page).getByText("Nothing is taken back here: that was done in the dialog 20260216-201100-x; take it back there."));
  await counts(region(page).getByRole("button", { name: "Take back", exact: true }), 1);
}));

test("where what changed can't be read it says why, and is read again", () => withWindow(async ({ page, mock }) => {
  await changed(page, mock);
  const told = mock.onChanges;
  mock.onChanges = undefined;
  await opens(page);
  await sees(region(page).getByRole("alert").getByText("There is nothing of that id."));
  mock.onChanges = told;
  await region(page).getByRole("button", { name: "Try again" }).click();
  await counts(region(page).getByRole("group"), 4);
  await counts(region(page).getByRole("alert"), 0);
}, { expect: /404/ }));

test("while it is open nothing below it is in reach", () => withWindow(async ({ page, mock }) => {
  await changed(page, mock);
  await opens(page);
  for (let i = 0; i < 12; i++) await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement.closest(".log, .composer, .strip") === null), true);
  assert.equal(await page.getByRole("button", { name: "Send", exact: true }).count(), 1);
  await page.keyboard.press("Escape");
  await sees(page.getByRole("textbox", { name: "Message" }));
  await page.getByRole("textbox", { name: "Message" }).fill("in reach again");
}));

test("it reads well for everyone, wide and narrow, light and dark", () => withWindow(async ({ page, mock }) => {
  const { all } = await changed(page, mock);
  all[0].hunks[0].taken = "m1";
  await opens(page);
  await sees(page.locator(".hunk.taken").filter({ hasText: "Taken back" }));
  const ink = (of) => page.locator(of).first().evaluate((e) => getComputedStyle(e).color);
  assert.notEqual(await ink(".hunk.taken .row.add code"), await ink(".hunk:not(.taken) .row.add code"));
  if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/review.png` });
  await at(page, "doc-notes.md, line 3").getByRole("button", { name: "Comment on line 3" }).click();
  await page.keyboard.type("A comment");
  await accessible(page, "a review");
}));

test("thirty files of 5,000 changed lines are there at once, and J and typing stay quick", () => withWindow(async ({ page, mock, context }) => {
  const files = {};
  for (let f = 0; f < 30; f++) files[`deed/file-${f}.txt`] = Array.from({ length: 28 }, (_, i) => ({ ...hunk(2 + 10 * i, "", ""), to: 4 + 10 * i, old: [1, 2, 3].map((n) => `the old words of line ${n}`), new: [1, 2, 3].map((n) => `the new words of line ${n}`) }));
  await changed(page, mock, files);
  // The processor's time, which other programs do not take from it.
  const session = await context.newCDPSession(page);
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  const spent = async () => (await session.send("Performance.getMetrics")).metrics.find((m) => m.name === "TaskDuration").value * 1000;
  const costs = async (act) => {
    const before = await spent();
    await act();
    await page.evaluate(() => new Promise((ok) => requestAnimationFrame(() => setTimeout(ok))));
    return Math.round((await spent()) - before);
  };
  const shown = await costs(async () => {
    await page.getByRole("button", { name: "Review", exact: true }).click();
    await counts(page.locator(".hunk"), 840);
  });
  const key = await costs(() => page.keyboard.press("j"));
  await page.getByRole("button", { name: "Comment on line 3", exact: true }).first().click();
  await hasFocus(page.getByRole("textbox", { name: "Comment on line 3" }).first());
  const typed = await costs(() => page.keyboard.type("twenty letters, quick"));
  console.log(`# review: ${shown} ms to show, ${key} ms a key, ${typed} ms for 21 letters`);
  assert.ok(shown < 4000 && key < 500 && typed < 4000, `${shown} ms to show, ${key} ms a key, ${typed} ms for 21 letters`);
}));
