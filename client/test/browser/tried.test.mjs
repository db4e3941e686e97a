// What a tried command changed is shown whole, and what is not shown has a click of its own.
import { test } from "node:test";
import assert from "node:assert/strict";
import { accessible, WIDE } from "./axe.mjs";
import { draft, gone, rests, sees, until, withWindow } from "./browser.mjs";

const card = (page) => page.getByTestId("approval");
const allow = (page) => page.getByRole("button", { name: "Allow once" });
const isOff = (locator) => locator.evaluate((e) => e.disabled);
const on = (page) => until(async () => !(await isOff(allow(page))), "Allow is on");
const settled = rests;
const lines = (n, of = "line") => Array.from({ length: n }, (_, i) => `${of} ${i + 1}`).join("\n") + "\n";
const png = (page) => page.screenshot({ clip: { x: 0, y: 0, width: 160, height: 90 } });

/** readOn presses Read on until Allow is on. */
async function readOn(page) {
  for (let n = 0; n < 60 && (await isOff(allow(page))); n++) {
    await card(page).getByRole("button", { name: "Read on" }).evaluateAll((all) => all.forEach((e) => e.click()));
    await page.evaluate(() => new Promise((ok) => requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(ok)))));
  }
  await on(page);
}

async function all(page, mock, d) {
  const [was, is] = [await png(page), await page.screenshot({ clip: { x: 0, y: 0, width: 200, height: 90 } })];
  const packages = Array.from({ length: 214 }, (_, i) => [`deed/node_modules/p${i % 20}/f${i}.js`, null, lines(9)]);
  mock.tries(d, [
    ["deed/build.sh", "#!/bin/sh\n", "#!/bin/sh\n", { mode: "755" }],
    ["deed/ch1/one.md", lines(9).replace("line 5", "old words"), lines(9).replace("line 5", "new words")],
    ["deed/ch1/two.md", null, "# Two\n"],
    ["deed/data.bin", "\0\x01", "\0\x01\x02"],
    ["deed/gone.md", lines(3, "was"), null],
    ["deed/lamp.png", was, is],
    ["deed/latest", null, "ch1/two.md", { type: "link", bytes: undefined }],
    ["deed/theirs.md", "a", "b"],
    ...packages,
  ], { command: "npm install && make all\necho done", stdout: lines(30, "built"), conflicts: ["deed/theirs.md"] });
}

test("a tried command is told in words, file by file, and allowed once what is not shown was ticked", () => withWindow(async ({ page, mock }) => {
  const d = await draft(page, mock);
  await all(page, mock, d);
  await settled(page);
  const c = card(page);
  await sees(c.getByRole("heading", { name: "Keep what this command changed?" }));
  await sees(c.getByText("It changed 4 files, made 216 and removed one; it ended well, exit 0. Nothing of this counts before you allow it."));
  await sees(c.getByText("This is more than 200 files: once it is allowed, Undo can’t take it back as a whole."));
  await sees(c.getByText("deed/theirs.md stays as it is now: somebody changed it meanwhile, so what the command made of it is not kept."));
  await sees(c.getByText("deed/build.sh: may now be run as a program"));
  await sees(c.getByText("deed/data.bin: changed, 2 bytes before, 3 bytes now, no text, so not shown"));
  await sees(c.getByRole("figure", { name: "deed/ch1/one.md: changed" }).getByText("removed: old words"));
  await sees(c.getByRole("figure", { name: "deed/gone.md: removed" }).getByText("removed: was 3"));
  await sees(c.getByRole("figure", { name: "deed/latest: a link; this is where it leads" }).getByText("added: ch1/two.md"));
  await sees(c.getByRole("img", { name: "deed/lamp.png before" }));
  await sees(c.getByRole("img", { name: "deed/lamp.png now" }));
  await sees(c.getByRole("figure", { name: "The command" }).getByText("npm install && make all"));
  assert.equal(await c.getByText("built 30").isVisible(), false);
  const many = c.getByRole("group", { name: "214 new files of deed/node_modules, 13.5 kB, not shown" });
  await sees(c.getByText("Not all of it is shown: open what is not, if you like, and tick that you allow it."));
  await many.getByText("214 new files").click();
  await sees(many.getByText("deed/node_modules/p0/f0.js"));
  await sees(c.getByText("and tick that you allow it.")); // a look alone is none
  const grown = await many.evaluate((e) => {
    const box = e.querySelector("input");
    const height = (on) => { box.checked = on; return e.offsetHeight; };
    const out = [];
    for (let w = 280; w <= 680; w += 2) {
      e.style.inlineSize = `${w}px`;
      if (height(true) !== height(false)) out.push(w);
    }
    e.style.inlineSize = "";
    return out;
  });
  assert.deepEqual(grown, [], "a tick moves the card, which then takes the click for one that was meant for something else");
  assert.equal(mock.read.some((r) => r.includes("node_modules") || r.includes("theirs")), false, "what is not shown is not read");
  await settled(page);
  await many.getByRole("checkbox").click();
  await readOn(page);
  await settled(page);
  await allow(page).click();
  await sees(page.getByRole("region", { name: "Ran npm install && make all echo done" }).getByText("tried first, then allowed"));
  await sees(page.getByText("deed/theirs.md was changed by somebody meanwhile: it stayed as it was."));
  assert.match(mock.puts.at(-1).control, /^əəəcontrol\/v1\ncall_\d+ approve sha256:[0-9a-f]{64} effect:[0-9a-f]{64}\nəəə$/);
}));

/** places returns where things stand in the card, and how large they are. */
const places = (...locators) => Promise.all(locators.map((l) => l.evaluate((e) => e.getBoundingClientRect().toJSON())));

test("the card goes from words over files and output to the command, and a picture stands beside the old one", () => withWindow(async ({ page, mock }) => {
  const d = await draft(page, mock);
  const [was, is] = [await png(page), await page.screenshot({ clip: { x: 0, y: 0, width: 200, height: 90 } })];
  mock.tries(d, [["deed/a.md", "old\n", "new\n"], ["deed/lamp.png", was, is], ...Array.from({ length: 20 }, (_, i) => [`deed/lib/f${i}`, null, "x"])], { command: lines(9, "make"), stdout: lines(9, "built") });
  const c = card(page), old = c.getByRole("img", { name: "deed/lamp.png before" }), now = c.getByRole("img", { name: "deed/lamp.png now" });
  await sees(now);
  await sees(old);
  await until(() => now.evaluate((e) => e.complete && e.naturalWidth === 200));
  await until(() => old.evaluate((e) => e.complete && e.naturalWidth === 160));
  await settled(page);
  const output = c.locator("summary").filter({ hasText: "What it printed" }), command = c.getByRole("figure", { name: "The command" });
  const order = await places(c.getByText("It changed 2 files and made 20; it ended well"), c.getByRole("figure", { name: "deed/a.md: changed" }), now, c.getByRole("group", { name: /^20 new files of deed\/lib/ }), output, command, c.locator("summary").filter({ hasText: "Exact input" }), allow(page));
  order.slice(1).forEach((r, i) => assert.ok(r.top >= order[i].bottom - 1, `number ${i + 2} of the card stands above what comes before it`));
  const [left, right] = await places(old, now);
  assert.ok(left.right <= right.left && Math.abs(left.bottom - right.bottom) < 1, "the pictures do not stand side by side, the old one first");
  for (const n of [1, 9]) assert.ok((await command.innerText()).includes(`make ${n}`), "the command is not there in full");
  assert.equal(await c.getByText("built 9").isVisible(), false);
  await output.click();
  await until(async () => /built 1\b[^]*built 9/.test(await c.innerText()));
}, { height: 1400 }));

test("neither what was not in view nor a folder without its click can be allowed", () => withWindow(async ({ page, mock }) => {
  const d = await draft(page, mock);
  const puts = mock.puts.length;
  mock.tries(d, [...Array.from({ length: 9 }, (_, i) => [`deed/a${i}.md`, lines(6), lines(6, `new ${i}`)]), ...Array.from({ length: 20 }, (_, i) => [`deed/lib/f${i}`, null, "x"])]);
  await settled(page);
  const many = card(page).getByRole("group", { name: /^20 new files of deed\/lib/ });
  await sees(card(page).getByText("added: new 8 6"));
  await settled(page);
  await many.getByRole("checkbox").click();
  assert.equal(await isOff(allow(page)), true, "what was not in view could be allowed");
  await readOn(page);
  await settled(page);
  await many.getByRole("checkbox").click();
  assert.equal(await isOff(allow(page)), true, "a folder could be allowed without its click");
  await sees(card(page).getByText("Not all of it is shown"));
  await settled(page);
  await many.getByRole("checkbox").click();
  await on(page);
  assert.equal(mock.puts.length, puts);
}));

test("always is for changes below the folder that holds them all, and no is no", () => withWindow(async ({ page, mock }) => {
  mock.sandbox = "bwrap";
  const d = await draft(page, mock);
  await page.reload();
  mock.tries(d, [["deed/ch1/a.md", null, "a\n"], ["deed/ch1/b.md", null, "b\n"]], { exitCode: 2 });
  await settled(page);
  await sees(card(page).getByText("It made 2 new files; it ended with an error, exit 2."));
  await card(page).getByRole("checkbox", { name: "Always allow changes below deed/ch1/ in this dialog" }).check();
  await readOn(page);
  await allow(page).click();
  await until(() => /\nallow run_command deed\/ch1\/\nəəə$/.test(mock.puts.at(-1)?.control));
  await sees(page.getByRole("group", { name: "Allowed without asking" }).getByText("changes by commands below deed/ch1/"));
  await until(() => d.status === "waiting");
  mock.tries(d, [["deed/b.md", null, "a\n"]], { command: "rm it" });
  await settled(page);
  assert.equal(await card(page).getByRole("checkbox").count(), 0);
  await page.getByRole("button", { name: "Don’t" }).click();
  await sees(page.getByRole("region", { name: "Tried rm it" }).getByText("tried first; you said no, and nothing of it was kept"));
}));

test("what can't be read can't be allowed, and is read again; another effect is shown anew", () => withWindow(async ({ page, mock }) => {
  const d = await draft(page, mock);
  mock.tries(d, [["deed/a.md", null, "first\n"], ["deed/big.csv", null, "x".repeat((1 << 20) + 1)], ["deed/long.txt", null, lines(2000)]]);
  mock.sides.delete("after deed/a.md");
  await sees(card(page).getByText("deed/a.md could not be read. Nothing was decided."));
  await sees(card(page).getByText("Not all that it changed could be read."));
  assert.equal(await isOff(allow(page)), true);
  mock.sides.set("after deed/a.md", Buffer.from("first\n"));
  await settled(page);
  await card(page).getByRole("button", { name: "Try again" }).click();
  await sees(card(page).getByText("added: first"));
  const big = card(page).getByRole("group", { name: "deed/big.csv: new, 1.0 MB, not shown" }), long = card(page).getByRole("group", { name: /^deed\/long.txt: new, 18.9 kB, not shown/ });
  await long.getByText("deed/long.txt").click();
  await sees(long.getByText("added: line 1").first());
  await settled(page);
  await big.getByRole("checkbox").click();
  await long.getByRole("checkbox").click();
  await readOn(page);
  // Elsewhere it was tried once more.
  const [call] = d.pending;
  call.effect = { ...call.effect, sha256: "0".repeat(64), changes: call.effect.changes.slice(0, 1) };
  await settled(page);
  await allow(page).click();
  await sees(page.getByText("Something changed since you looked, so nothing was done."));
  await sees(card(page).getByText("It made one new file;"));
  await page.reload();
  await sees(card(page).getByText("added: first"));
}, { expect: /status of (404|409|413)/ }));

test("a second tab's answer ends the question, and the list answers with the whole card", () => withWindow(async ({ page, mock, open }) => {
  const d = await draft(page, mock);
  mock.tries(d, [["deed/a.md", "old\n", "new\n"]]);
  await settled(page);
  const other = await open("#/project/lighthouse/board");
  await other.getByRole("button", { name: "Answer here: please-start" }).click();
  await sees(other.getByTestId("approval").getByText("removed: old"));
  await readOn(other);
  await settled(other);
  await other.getByRole("button", { name: "Allow once" }).click();
  await gone(card(page));
  await sees(page.getByText("tried first, then allowed"));
}));

test("the first question about a command offers to try, where commands can be tried", () => withWindow(async ({ page, mock }) => {
  const offer = page.getByRole("button", { name: "Try commands first from now on, and ask me about what they change" });
  const d = await draft(page, mock);
  mock.ask(d, "run_command", { command: "make" });
  await settled(page);
  assert.equal(await offer.count(), 0); // here there are no layers
  mock.layers = true;
  await page.reload();
  await settled(page);
  await sees(offer);
  await offer.click();
  await until(() => mock.puts.at(-1)?.control === "əəəcontrol/v1\ntry run_command\nəəə");
  await gone(offer);
  await sees(card(page).getByRole("heading", { name: "Keep what this command changed?" }));
  await sees(card(page).getByText("added: tried"));
  await sees(page.getByText("You want commands tried first"));
  await sees(page.getByRole("group", { name: "Allowed without asking" }).getByText("commands, tried first: what they change asks"));
}));

test("to try is offered once, in a line of its own, and not for what wants the network", () => withWindow(async ({ page, mock }) => {
  mock.layers = true;
  const offer = page.getByRole("button", { name: "Try commands first from now on, and ask me about what they change" });
  const d = await draft(page, mock);
  await page.reload();
  mock.ask(d, "run_command", { command: "npm install", network: true });
  await settled(page);
  assert.equal(await offer.count(), 0); // it would ask all the same
  await page.getByRole("button", { name: "Don’t" }).click();
  await gone(card(page));
  const other = await draft(page, mock, "two-at-once");
  mock.ask(other, "run_command", { command: "make one" });
  mock.ask(other, "run_command", { command: "make two" });
  const one = card(page).getByText("make one").first(), two = card(page).getByText("make two").first();
  await sees(two);
  await sees(offer);
  assert.equal(await offer.count(), 1);
  const [first, line, second] = await places(one, offer, two);
  assert.ok(first.bottom <= line.top && line.bottom <= second.top, "it does not stand below the first command, in a line of its own");
}));

test("a tried command reads well for everyone", () => withWindow(async ({ page, mock }) => {
  const d = await draft(page, mock);
  await all(page, mock, d);
  await sees(card(page).getByRole("img", { name: "deed/lamp.png now" }));
  await settled(page);
  await accessible(page, "a tried command");
}, WIDE));

const OLD = Array.from({ length: 60 }, (_, i) => `A line of the page, number ${i}.`).join("\n") + "\n";

test("the answers to a command that changed one file are in view, and on, without a scroll", () => withWindow(async ({ page, mock }) => {
  const d = await draft(page, mock);
  mock.append(d, "User", "input/markdown", "Please mend the page.");
  mock.tries(d, [["deed/page.md", OLD, OLD.replace("number 30.", "number thirty.")]], { command: "cd deed && sed -i 's/number 30/number thirty/' page.md && cat page.md | head -40", stdout: "x\ny\n" });
  await settled(page);
  const allow = page.getByRole("button", { name: "Allow once", disabled: false });
  await sees(allow);
  const below = await allow.evaluate((e) => e.closest(".log").getBoundingClientRect().bottom - e.getBoundingClientRect().bottom);
  assert.ok(below > 0, `they end ${-below} px below the view`);
  if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/tried-one.png` });
}));

test("a file in conflict is told once, and nothing of it is counted", () => withWindow(async ({ page, mock }) => {
  const d = await draft(page, mock);
  mock.tries(d, [["deed/theirs.md", "a\n", "b\n"]], { conflicts: ["deed/theirs.md"] });
  await settled(page);
  await sees(card(page).getByText("It changed nothing that can still be kept; it ended well, exit 0."));
  assert.equal(await card(page).getByText("theirs.md").count(), 1);
  if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/conflict.png` });
}));
