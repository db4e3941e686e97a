// Six answers stand on the page without a click, and each is true by the files.
import { test } from "node:test";
import assert from "node:assert/strict";
import { card, dialog, project, say, sees, shot, text, until, withWorld } from "./real.mjs";

const OLD = "one\ntwo\nthree\n", NEW = "one\n2\nthree\nfour\n";
const script = {
  replies: [{ text: "I write it anew.", calls: [{ id: "w1", name: "write_file", args: { path: "deed/poem.txt", content: NEW } }] }],
  cases: [{ when: "write for long", replies: [{ text: "word ".repeat(5000), chunk: 5, delay_ms: 40 }] }],
};

/** inView reports whether all of an element is seen, without a scroll or a click. */
const inView = (locator) => locator.evaluate((e) => {
  const r = e.getBoundingClientRect();
  const x = r.left + r.width / 2, y = r.top + r.height / 2;
  const on = document.elementFromPoint(x, y);
  return r.width > 0 && r.left >= 0 && r.right <= innerWidth && r.top >= 0 && r.bottom <= innerHeight && on !== null && (e.contains(on) || on.contains(e));
});

const stands = async (locator) => {
  await sees(locator);
  await until(() => inView(locator), `${locator} is in view`);
};

/** tookIn sums what a dialog's file says that the model read and wrote. */
function tookIn(markdown) {
  const lines = [...markdown.matchAll(/^> Resources: (.*)$/gm)].map((m) => m[1]);
  const sum = (name) => lines.reduce((n, l) => n + Number(new RegExp(`\\b${name}[=: ]+(\\d+)`).exec(l)?.[1] ?? 0), 0);
  return [sum("in"), sum("out")];
}

for (const width of [1280, 390]) {
  test(`who works, who waits, what Allow does and destroys, what it cost, and where it is kept, at ${width} px`, () => withWorld(script, async ({ world, page }) => {
    await project(page, "p");
    world.write(OLD, "p", "deed", "poem.txt");
    await dialog(page, "asker", "claude");
    await say(page, "write the poem anew");
    await sees(page.getByRole("button", { name: "Allow once", disabled: false }));
    const here = page.url();
    const { dialogId: worker } = await world.ask("POST", "/project/p/dialog/new", { provider: "claude", slug: "worker" });
    await page.goto(`http://${world.addr}/#/project/p/dialogs/${worker}`);
    await say(page, "write for long");
    await sees(text(page).getByText(/word word/).first());
    await page.goto(here);
    await sees(card(page));

    const files = world.names("p").filter((n) => n.startsWith("dialog-"));
    const active = files.filter((n) => n.endsWith("-active.md")), waiting = files.filter((n) => n.endsWith("-waiting.md"));
    assert.deepEqual([active.length, waiting.length], [1, 1]);
    const own = waiting[0], markdown = world.read("p", own);

    // Who is working, by the first line of what it was asked.
    assert.match(active[0], /-worker-active\.md$/);
    if (width > 720) await stands(page.getByRole("region", { name: "Writing now" }).getByRole("link", { name: /^writing write for long/ }));
    else {
      await page.getByRole("button", { name: "More", exact: true }).click();
      await stands(page.getByText("write for long is writing"));
      await page.keyboard.press("Escape");
    }
    // Who waits for me.
    await stands(page.getByRole("link", { name: `${waiting.length} needs you` }));
    await stands(page.getByRole("main", { name: "Dialog asker" }).getByText("needs you"));
    // What exactly Allow will do, by the call's own bytes.
    const input = /\{"path":"deed\/poem\.txt".*\}/.exec(markdown)[0];
    const { path, content } = JSON.parse(input);
    await stands(card(page).getByRole("heading", { name: `Write over ${path}?` }));
    const shown = await card(page).locator(".diff .row:not(.del) code").allInnerTexts();
    assert.equal(shown.join("\n") + "\n", content);
    for (const row of await card(page).locator(".diff .row").all()) await stands(row);
    // What it would destroy, by the file as it is.
    const before = world.read("p", path);
    await stands(card(page).getByText(`Changes ${path}: 1 line goes, 2 come, 2 stay.`));
    assert.deepEqual(await card(page).locator(".diff .row:not(.add) code").allInnerTexts(), before.trimEnd().split("\n"));
    // What it cost, and which file holds it.
    const [read, written] = tookIn(markdown).map((n) => n.toLocaleString("en"));
    assert.notEqual(read, "0", "the file tells what it took");
    const head = page.locator(".strip");
    await head.getByRole("button", { name: "More", exact: true }).click();
    await stands(head.getByText(`${read} read · ${written} written`));
    await head.getByText("Details").click();
    await stands(head.getByText(own, { exact: true }));
    await page.keyboard.press("Escape");
    await stands(page.getByRole("button", { name: "Allow once" }));
    await shot(page, `answers-${width}`);
    if (width < 720) assert.ok((await page.locator(".log").boundingBox()).y <= 135, "the head of the page is low");
  }, { width }));
}
