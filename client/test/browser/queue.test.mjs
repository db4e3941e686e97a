// What is sent while an agent works or asks waits, is seen, can be taken back,
// and goes out once.
import { test } from "node:test";
import assert from "node:assert/strict";
import { result } from "../agent.mjs";
import { counts, draft, gone, hasFocus, holds, say, sees, until, withWindow } from "./browser.mjs";

const card = (page) => page.getByTestId("approval");
const box = (page) => page.getByRole("textbox", { name: "Message" });
const queued = (page) => page.getByRole("list", { name: "Next messages" }).getByRole("listitem");
const text = (page) => page.getByRole("region", { name: "Dialog text" });
const prompts = (mock) => mock.puts.map((p) => p.prompt);

/** deny ends a question as somebody elsewhere does. */
function deny(mock, d) {
  result(mock, d, d.pending.pop(), "denied");
  mock.rest(d, "waiting", "reply");
}

test("a message waits while the agent works, and goes out when it is through", () => withWindow(async ({ page, mock }) => {
  const d = await draft(page, mock);
  const release = mock.hold();
  await say(page, "one");
  await sees(page.getByRole("article", { name: "claude-test, writing" }));
  await box(page).click();
  await page.keyboard.type("two");
  await page.keyboard.press("Control+Enter");
  await page.keyboard.type("thr");
  await sees(queued(page).getByText("two", { exact: true }));
  await sees(queued(page).getByText("It goes out when this turn is finished."));
  await page.keyboard.type("ee");
  await holds(box(page), "three");
  await page.keyboard.press("Control+Enter");
  await sees(queued(page).nth(1).getByText("It goes out after the one above."));
  assert.deepEqual(prompts(mock), ["one"]);
  release();
  await sees(text(page).getByText("You said: three"));
  await gone(queued(page).first());
  assert.deepEqual(d.sections.filter((s) => s.role === "User").map((s) => s.payloads[0].text), ["one", "two", "three"]);
  assert.deepEqual(prompts(mock), ["one", "two", "three"]);
}));

test("a message does not answer a question: it waits until a human has", () => withWindow(async ({ page, mock }) => {
  const d = await draft(page, mock);
  await say(page, "Please read vibey.md");
  await sees(card(page));
  await say(page, "and then rest");
  await sees(queued(page).getByText("It goes out when you have answered the question above."));
  assert.equal(d.pending.length, 1);
  await page.getByRole("button", { name: "Allow once", disabled: false }).click();
  await sees(text(page).getByText("You said: and then rest"));
  assert.deepEqual(d.sections.filter((s) => s.role === "Tool Result").map((s) => s.meta.Status), ["approved"]);
  await gone(queued(page).first());
}));

test("a message that waits is taken back into the box, before what was written since", () => withWindow(async ({ page, mock }) => {
  const d = await draft(page, mock);
  mock.ask(d);
  await sees(card(page));
  await say(page, "paint it blue");
  await box(page).fill("with a lamp");
  await queued(page).getByRole("button", { name: "Take back" }).click();
  await gone(queued(page));
  await holds(box(page), "paint it blue\n\nwith a lamp");
  await hasFocus(box(page));
  deny(mock, d);
  await gone(card(page));
  await page.reload();
  await holds(box(page), "paint it blue\n\nwith a lamp");
  assert.deepEqual(mock.puts, []);
}));

const BROWSERS = [
  ["", () => undefined],
  [", also without the browser's locks", (context) => context.addInitScript(() => { Object.defineProperty(Navigator.prototype, "locks", { value: undefined }); })],
];
for (const [name, prepare] of BROWSERS) {
  test(`two tabs and a reload: what waits is shown in both, and goes out once${name}`, () => withWindow(async ({ page, mock, open, context }) => {
    await prepare(context);
    await page.reload();
    const d = await draft(page, mock);
    mock.ask(d);
    await sees(card(page));
    const other = await open(new URL(page.url()).hash);
    await sees(card(other));
    for (const n of [1, 2, 3]) await say(n === 2 ? other : page, `message ${n}`);
    for (const p of [page, other]) await until(async () => (await queued(p).count()) === 3, "all three are shown in both tabs");
    await page.reload();
    await until(async () => (await queued(page).count()) === 3, "they outlive a reload");
    deny(mock, d);
    for (const p of [page, other]) {
      await sees(text(p).getByText("You said: message 3"));
      await until(async () => (await queued(p).count()) === 0);
    }
    assert.deepEqual(d.sections.filter((s) => s.role === "User").map((s) => s.payloads[0].text), ["message 1", "message 2", "message 3"]);
  }, { expect: /409/ }));
}

for (const [name, prepare] of BROWSERS) {
  test(`a tab that is told late what another one has sent does not send it again, nor give it back${name}`, () => withWindow(async ({ page, mock, open, context }) => {
    await prepare(context);
    await page.reload();
    const d = await draft(page, mock);
    mock.ask(d);
    await sees(card(page));
    const other = await open(new URL(page.url()).hash);
    await sees(card(other));
    await say(page, "only once");
    await sees(queued(other).nth(0));
    await other.evaluate(() => {
      // The storage of browsers is read from a copy, which changes some time after another tab wrote.
      const old = { ...localStorage };
      const { getItem } = Storage.prototype;
      const { keys } = Object;
      Storage.prototype.getItem = function (k) { return k.startsWith("vibey.queue/") ? old[k] ?? null : getItem.call(this, k); };
      Object.keys = (o) => keys(o === localStorage ? old : o);
    });
    deny(mock, d);
    await sees(text(page).getByText("You said: only once"));
    await sees(text(other).getByText("You said: only once"));
    await until(() => d.status === "waiting");
    await other.waitForTimeout(2500); // it tries again after a second
    await queued(other).getByRole("button", { name: "Take back" }).click();
    await sees(other.getByText(name === "" ? "It went out just now." : "It had gone out: it is above."));
    assert.deepEqual(prompts(mock), ["only once"]);
  }));
}

test("a tab that goes away while it sends does not make another send again", () => withWindow(async ({ page, mock, open }) => {
  const d = await draft(page, mock);
  mock.ask(d);
  await sees(card(page));
  await say(page, "only once");
  await say(page, "and this");
  await sees(queued(page).nth(1));
  // It got through, and the tab was closed before it heard so.
  await page.evaluate((n) => {
    const key = Object.keys(localStorage).find((k) => k.startsWith("vibey.queue/") && localStorage.getItem(k).includes("only once"));
    localStorage.setItem(key, JSON.stringify({ ...JSON.parse(localStorage.getItem(key)), after: n }));
  }, d.sections.length);
  const here = new URL(page.url()).hash;
  await page.close();
  result(mock, d, d.pending.pop(), "denied");
  mock.append(d, "User", "input/markdown", "only once", { meta: { By: "human" } });
  mock.rest(d, "waiting", "reply");
  await sees(text(await open(here)).getByText("You said: and this"));
  assert.deepEqual(prompts(mock), ["and this"]);
}));

test("what could not be sent stays, says why, and is tried again or taken back", () => withWindow(async ({ page, mock, context }) => {
  const d = await draft(page, mock);
  await context.route("**/project/lighthouse/dialog", (r) => r.fulfill({ status: 400, contentType: "application/problem+json", body: JSON.stringify({ type: "about:blank", title: "No", status: 400, detail: "This text can't be written." }) }));
  await say(page, "one");
  await sees(queued(page).getByText("It was not sent. This text can't be written."));
  await counts(page.getByRole("article", { name: /^You/ }), 0);
  await page.reload();
  await sees(queued(page).getByText("It was not sent. This text can't be written."));
  await say(page, "two");
  await sees(queued(page).nth(1).getByText("It goes out after the one above."));
  await context.unroute("**/project/lighthouse/dialog");
  await queued(page).first().getByRole("button", { name: "Try again" }).click();
  await sees(text(page).getByText("You said: two"));
  assert.deepEqual(prompts(mock), ["one", "two"]);
  await gone(queued(page).first());
  await context.route("**/project/lighthouse/dialog", (r) => r.abort());
  await say(page, "three");
  await sees(queued(page).getByText(/^The server did not answer, so it is not known/));
  await queued(page).getByRole("button", { name: "Take back" }).click();
  await holds(box(page), "three");
  assert.equal(d.sections.filter((s) => s.role === "User").length, 2);
}, { expect: /400|ERR_FAILED/ }));

test("a message that went out unheard leaves the queue by itself, and is not given back", () => withWindow(async ({ page, mock, context }) => {
  const d = await draft(page, mock);
  const cut = async (words) => {
    await context.route("**/project/lighthouse/dialog", (r) => r.abort());
    await say(page, words);
    await sees(queued(page).getByText(/^The server did not answer, so it is not known/));
    await context.unroute("**/project/lighthouse/dialog");
    mock.append(d, "User", "input/markdown", words, { meta: { By: "human" } }); // it had arrived
    mock.rest(d, "waiting", "reply");
  };
  await cut("heard by nobody");
  // The window may have looked by now, and the button be gone.
  await queued(page).getByRole("button", { name: "Take back" }).click({ timeout: 2000 }).catch(() => undefined);
  await gone(queued(page).first());
  await holds(box(page), "");
  await cut("and this");
  await page.reload();
  await sees(text(page).getByText("You said: and this").or(text(page).getByText("and this")).first());
  await gone(queued(page).first());
  assert.deepEqual(mock.puts, []);
}, { expect: /ERR_FAILED/ }));

test("a dialog that another window set to work takes the message afterwards", () => withWindow(async ({ page, mock }) => {
  const d = await draft(page, mock);
  d.status = "active"; // and this window was not told
  await say(page, "too early");
  await sees(queued(page).getByText("It goes out when this turn is finished."));
  assert.deepEqual(mock.puts, []);
  mock.rest(d, "waiting", "reply");
  await sees(text(page).getByText("You said: too early"));
}));

test("a message waits for a word where the agent was stopped or the dialog finished", () => withWindow(async ({ page, mock }) => {
  const d = await draft(page, mock);
  const release = mock.hold();
  await say(page, "one");
  await sees(page.getByRole("article", { name: "claude-test, writing" }));
  await say(page, "two");
  await page.getByRole("button", { name: "Stop", disabled: false }).click();
  await sees(queued(page).getByText("The agent stopped on the way, so this was kept."));
  release();
  await page.getByRole("button", { name: "Finish", disabled: false }).click();
  await sees(queued(page).getByText("It was not sent. You finished this dialog first."));
  await until(() => d.status === "done");
  assert.deepEqual(prompts(mock), ["one", undefined, undefined]);
  await queued(page).getByRole("button", { name: "Send now" }).click();
  await sees(text(page).getByText("You said: two"));
}));

test("to take a message back that failed sends nothing else: the next one waits for a word", () => withWindow(async ({ page, mock, context }) => {
  const d = await draft(page, mock);
  await context.route("**/project/lighthouse/dialog", (r) => r.fulfill({ status: 400, contentType: "application/problem+json", body: JSON.stringify({ type: "about:blank", title: "No", status: 400, detail: "This text can't be written." }) }));
  for (const t of ["one", "two", "three", "four"]) await say(page, t);
  await sees(queued(page).first().getByText(/^It was not sent/));
  await sees(queued(page).nth(3));
  await context.unroute("**/project/lighthouse/dialog");
  const takeBack = () => queued(page).first().getByRole("button", { name: "Take back" }).click();
  await takeBack();
  await holds(box(page), "one");
  await sees(queued(page).first().getByText("The one before it was taken back, so this was kept."));
  await sees(queued(page).nth(1).getByText("It goes out after the one above."));
  // Nor does it when the one that was kept is taken back as well, nor in a tab that comes later.
  await takeBack();
  await holds(box(page), "two\n\none");
  await sees(queued(page).first().getByText("three", { exact: true }));
  await page.reload();
  await sees(queued(page).first().getByText("The one before it was taken back, so this was kept."));
  await until(async () => (await queued(page).count()) === 2);
  assert.deepEqual(mock.puts, []);
  await queued(page).first().getByRole("button", { name: "Send now" }).click();
  await sees(text(page).getByText("You said: four"));
  assert.deepEqual(prompts(mock), ["three", "four"]);
  assert.equal(d.sections.filter((s) => s.role === "User").length, 2);
}, { expect: /400/ }));

test("a message goes out while another dialog is read", () => withWindow(async ({ page, mock }) => {
  const d = await draft(page, mock);
  mock.ask(d);
  await sees(card(page));
  await say(page, "later");
  await sees(queued(page));
  await draft(page, mock, "another");
  deny(mock, d);
  await until(() => prompts(mock).includes("later"));
  await until(() => d.status === "waiting");
  await gone(queued(page).first());
  assert.deepEqual(prompts(mock), ["later"]);
}));
