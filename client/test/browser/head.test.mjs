// The head of a dialog is one line, and the log has half of the window.
import { test } from "node:test";
import assert from "node:assert/strict";
import { agrees, gone, sees, withWindow } from "./browser.mjs";

const NAME = "Write the last night of the lighthouse keeper, in the voice of the gulls, and nothing else";

// A dialog with a turn behind it, or one that asks.
async function opened({ page, mock }, asks) {
  const d = mock.addDialog("lighthouse", "night", "claude", "claude-test", { title: NAME });
  for (let i = 0; i < 12; i++) {
    mock.append(d, "User", "input/markdown", `Question ${i}`);
    mock.append(d, "Assistant", "output/markdown", "The rail was cold, and the glass sang.\n\n".repeat(3), { resources: { in: 1204, out: 310, total: 1514, ms: 4100 } });
  }
  d.governor = { ...d.governor, phase: "execute", intent: "feature_build", budget: { used: 14, limit: 40 }, ledger: { modified: [{ path: "deed/a.md", sha256: "a".repeat(64) }], read: [] } };
  if (asks) mock.ask(d, "run_shell", { command: "cat vibey.md" });
  else mock.rest(d, "waiting", "reply");
  await page.goto(`${mock.url}#/project/lighthouse/dialogs/${d.id}`);
  await sees(page.getByText("Question 11"));
  if (asks) await sees(page.getByTestId("approval"));
  return d;
}

for (const [what, width, height] of [["1280 wide", 1280, 860], ["820 wide", 820, 860], ["390 wide", 390, 844], ["at 200 %", 640, 430]]) {
  for (const asks of [false, true]) {
    test(`${what}${asks ? ", with a question" : ""}: one line above, and half of the height for the log`, () => withWindow(async (w) => {
      const { page } = w;
      await opened(w, asks);
      assert.ok((await page.locator(".topbar").boundingBox()).height <= 53, "the bar is one line");
      const head = page.locator(".pane.dialog > .strip");
      const { line, parts } = await head.evaluate((e) => {
        const of = (x) => x.getBoundingClientRect();
        const seen = [...e.querySelectorAll("h1, .status, .time, button, a")].filter((x) => of(x).width > 0);
        return { line: of(e).height, parts: seen.map((x) => ({ what: x.textContent || x.ariaLabel, mid: of(x).top + of(x).height / 2, right: of(x).right, wide: of(x).width })) };
      });
      assert.ok(line <= 50, `its head is ${line} px high`);
      for (const p of parts) {
        assert.ok(Math.abs(p.mid - parts[0].mid) < 6, `${p.what} stands on another line: ${JSON.stringify(parts)}`);
        assert.ok(p.right <= width && p.wide >= 14, `${p.what}: ${JSON.stringify(p)}`);
      }
      await sees(head.getByText(asks ? "needs you" : "your turn"));
      await sees(head.getByText(/^\d.*s$/));
      const name = head.getByRole("heading", { name: NAME });
      assert.ok((await name.boundingBox()).width >= 90, "its name can be read");
      const log = (await page.getByRole("region", { name: "Dialog text" }).boundingBox()).height;
      assert.ok(log >= height / 2, `the log has ${log} of ${height} px`);
      // The rest stands behind the dots.
      await gone(head.getByText(/tokens|read/));
      await head.getByRole("button", { name: "More", exact: true }).click();
      await sees(head.getByText(NAME).nth(1));
      await sees(head.getByText(/14,448 read · 3,720 written/));
      await sees(head.getByRole("menuitem", { name: asks || width > 720 ? "Sum up earlier turns" : "Finish" }));
      await agrees(() => page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true);
    }, { width, height }));
  }
}

for (const width of [721, 834, 960, 390]) {
  test(`${width} wide: the head of a doc is one line, also of one that is not saved`, () => withWindow(async ({ page, mock }) => {
    mock.writeFile("lighthouse", "doc-night.md", `# ${NAME}\n\nIt was dark.\n`);
    await page.goto(`${mock.url}#/project/lighthouse/docs/doc-night.md`);
    const text = page.getByRole("textbox", { name: /^Text of / }), head = page.locator(".pane.doc > .strip");
    await text.getByText("It was dark.").click();
    const oneLine = async () => {
      const { line, parts } = await head.evaluate((e) => {
        const of = (x) => x.getBoundingClientRect();
        const seen = [...e.querySelectorAll("h1, .saved:not(:empty), button, a")].filter((x) => of(x).width > 0);
        return { line: of(e).height, parts: seen.map((x) => ({ what: x.textContent || x.ariaLabel, mid: of(x).top + of(x).height / 2, right: of(x).right })) };
      });
      assert.ok(line <= 51, `it is ${line} px high`);
      for (const p of parts) assert.ok(Math.abs(p.mid - parts[0].mid) < 6 && p.right <= width, JSON.stringify(parts));
      assert.ok((await head.getByRole("heading").boundingBox()).width >= 90, "its name can be read");
    };
    await oneLine();
    await page.keyboard.press("End");
    await page.keyboard.type(" Still.");
    await sees(head.getByText("Not saved"));
    await oneLine();
    // The rest stands behind the dots.
    const menu = head.getByRole("button", { name: /^Menu of / }), item = (name, role = "menuitem") => head.getByRole(role, { name, exact: true });
    await menu.click();
    for (const name of ["Outline", "Read", "Focus"]) await sees(item(name, "menuitemcheckbox"));
    await item("Keys").click();
    await sees(page.getByRole("dialog", { name: "Keys in a doc" }));
    await page.keyboard.press("Escape");
    await menu.click();
    await item("Discard").click();
    await gone(head.getByText("Not saved"));
    await agrees(() => page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true);
  }, { width }));
}
