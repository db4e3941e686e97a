// A question is decided from the list, from the board, in its dialog and in a second tab,
// with each of the four answers, by the pointer and by keys alone.
import { test } from "node:test";
import assert from "node:assert/strict";
import { gone, rests, sees, until, withWindow } from "./browser.mjs";

const NAME = "Draw the map";

function asks(mock) {
  const d = mock.addDialog("lighthouse", "map", "claude", "claude-test", { title: NAME });
  mock.ask(d, "write_file", { path: "deed/map.svg", content: "<svg/>\n" });
  return d;
}

const list = async ({ page, mock }) => {
  await page.goto(`${mock.url}#/project/lighthouse/dialogs`);
  return page.getByRole("complementary", { name: "Dialogs" });
};
const board = async ({ page, mock }) => {
  await page.goto(`${mock.url}#/project/lighthouse/board`);
  return page.getByRole("region", { name: "Needs you" });
};
const dialog = async ({ page, mock }, d) => {
  await page.goto(`${mock.url}#/project/lighthouse/dialogs/${d.id}`);
  return page;
};
const fromButton = (place) => async (w, d) => {
  await (await place(w)).getByRole("button", { name: `Answer here: ${NAME}` }).click();
  return w.page.getByRole("dialog", { name: NAME }).getByTestId("approval");
};
const PLACES = {
  "the list": fromButton(list),
  "the board": fromButton(board),
  "its dialog": async (w, d) => (await dialog(w, d)).getByTestId("approval"),
  "a second tab": async (w, d) => {
    await dialog(w, d);
    const page = await w.open(`#/project/lighthouse/dialogs/${d.id}`);
    await sees(w.page.getByTestId("approval"));
    return page.getByTestId("approval");
  },
};

const ANSWERS = {
  approve: { act: (card) => card.getByRole("button", { name: "Allow once", disabled: false }).click(), control: /\ncall_\d+ approve sha256:[0-9a-f]{64} target:none path:deed\/\S+\nəəə$/ },
  deny: { act: (card) => card.getByRole("button", { name: /^Don’t/ }).click(), control: /\ncall_\d+ deny\nəəə$/ },
  always: {
    async act(card) {
      await card.getByRole("checkbox", { name: /^Always allow .* deed\/ in this dialog/ }).check();
      await card.getByRole("button", { name: "Allow once", disabled: false }).click();
    },
    control: /\ncall_\d+ approve sha256:[0-9a-f]{64} target:none path:deed\/\S+\nallow write_file deed\/\nəəə$/,
  },
  "tell it why": {
    async act(card) {
      await card.getByRole("button", { name: "Tell it why…" }).click();
      await card.getByRole("textbox", { name: "Why not" }).fill("North is up.");
      await card.getByRole("button", { name: "Don’t, and say" }).click();
    },
    control: /\ncall_\d+ deny\nəəə$/,
    prompt: "North is up.",
  },
};

for (const [place, find] of Object.entries(PLACES)) {
  for (const [answer, { act, control, prompt }] of Object.entries(ANSWERS)) {
    test(`${answer} from ${place}`, () => withWindow(async (w) => {
      const d = asks(w.mock);
      const card = await find(w, d);
      await rests(card.page());
      await act(card);
      await until(() => w.mock.puts.length === 1);
      assert.match(w.mock.puts[0].control, control);
      assert.equal(w.mock.puts[0].prompt, prompt);
      await gone(card);
      if (place === "a second tab") await gone(w.page.getByTestId("approval"));
    }));
  }
}

// The focus is somewhere in the page, never on the page itself.
const focusKept = (page) => page.evaluate(() => document.activeElement !== null && document.activeElement !== document.body);

for (const [place, path] of [["the list", "dialogs"], ["the board", "board"]]) {
  test(`by keys alone from ${place}, and the focus is never lost`, () => withWindow(async ({ page, mock }) => {
    const d = asks(mock);
    const other = mock.addDialog("lighthouse", "other", "claude", "claude-test", { title: "Something else" });
    mock.rest(other, "done", "none");
    await page.goto(`${mock.url}#/project/lighthouse/${path}`);
    const here = page.getByRole("button", { name: `Answer here: ${NAME}` });
    await sees(here);
    for (let i = 0; i < 40 && !(await here.evaluate((b) => b === document.activeElement)); i++) await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    const panel = page.getByRole("dialog", { name: NAME });
    const card = panel.getByTestId("approval");
    await rests(page);
    await page.keyboard.press("a"); // the focus is in the panel, and not in the question
    assert.deepEqual(mock.puts, []);
    await page.keyboard.press("Control+j");
    assert.ok(await card.evaluate((c) => c.contains(document.activeElement)));
    await page.clock.fastForward(1100);
    await page.keyboard.press("d");
    await until(() => mock.puts.length === 1);
    assert.match(mock.puts[0].control, /\ncall_\d+ deny\n/);
    await sees(panel.getByText("Nothing waits for an answer any more."));
    assert.ok(await focusKept(page), "after the answer");
    await page.keyboard.press("Escape");
    await gone(panel);
    const link = page.getByRole("link", { name: new RegExp(NAME) }).and(page.locator(":not(.button)")); // not "Look at …"
    const focused = () => link.evaluate((a) => a === document.activeElement);
    await until(focused, "the row has the focus");
    // It stays with the row, wherever that goes; the agent's last words would bring it back.
    await until(() => d.status === "waiting", "the agent has ended its turn");
    mock.rest(d, "done", "none");
    await sees(page.getByRole("region", { name: "Finished" }).getByRole("link", { name: new RegExp(NAME) }).first());
    await until(focused, "the row has the focus in its new place");
  }, { clock: true }));
}

test("after one of two answers the focus stays in the panel, not in another dialog's message", () => withWindow(async ({ page, mock }) => {
  const open = mock.addDialog("lighthouse", "open", "claude", "claude-test", { title: "In view" });
  mock.rest(open, "waiting", "reply");
  const d = asks(mock);
  mock.ask(d, "run_command", { command: "ls" });
  await page.goto(`${mock.url}#/project/lighthouse/dialogs/${open.id}`);
  await page.getByRole("button", { name: `Answer here: ${NAME}` }).click();
  const panel = page.getByRole("dialog", { name: NAME });
  const card = panel.getByTestId("approval");
  await card.getByRole("radio", { name: /Don’t|Deny|No/ }).first().check();
  await card.getByRole("button", { name: /^Send 1 of 2/ }).click();
  await until(() => mock.puts.length === 1);
  await sees(panel.getByRole("group", { name: "Your answer" }));
  await until(() => panel.evaluate((p) => p.contains(document.activeElement)));
}));

test("the panel goes with the page it was opened on, and with its dialog says so", () => withWindow(async ({ page, mock }) => {
  const d = asks(mock);
  await page.goto(`${mock.url}#/project/lighthouse/board`);
  await page.getByRole("button", { name: `Answer here: ${NAME}` }).click();
  const panel = page.getByRole("dialog", { name: NAME });
  await panel.getByRole("link", { name: "Open the dialog" }).click();
  await gone(panel);
  await sees(page.getByRole("heading", { name: NAME, level: 1 }));
  await page.goBack();
  await page.getByRole("button", { name: `Answer here: ${NAME}` }).click();
  await sees(panel.getByTestId("approval"));
  mock.deleteDialog(d);
  await sees(panel.getByText("This dialog is not there any more."));
}, { expect: /404/ }));

/** clickAt clicks where a button stands, and scrolls nothing to get there. */
async function clickAt(page, button) {
  const { x, y, width, height } = await button.boundingBox();
  await page.mouse.click(x + width / 2, y + height / 2);
}

for (const [what, size, scroll] of [
  ["all of a low window was scrolled", { width: 640, height: 400 }, async (page) => {
    const by = await page.locator(".window").evaluate((e) => { const was = e.scrollTop; e.scrollTop = was > 9 ? was - 9 : was + 9; return Math.abs(e.scrollTop - was); });
    assert.equal(by, 9);
  }],
  ["a key found nothing left to scroll to", { width: 1280, height: 860 }, (page) => page.keyboard.press("j")],
]) {
  test(`a click on a question that rests counts also after ${what}`, () => withWindow(async (w) => {
    const d = asks(w.mock);
    w.mock.append(d, "User", "input/markdown", "Draw it.");
    const card = (await dialog(w, d)).getByTestId("approval");
    await rests(w.page);
    await card.click({ position: { x: 2, y: 2 } });
    await scroll(w.page);
    await rests(w.page);
    await clickAt(w.page, card.getByRole("button", { name: /^Don’t/ }));
    await until(() => w.mock.puts.length === 1);
    assert.match(w.mock.puts[0].control, /\ncall_\d+ deny\n/);
  }, size));
}
