// A dialog as it is written, stopped, lost and found again.
import { test } from "node:test";
import assert from "node:assert/strict";
import { agrees, counts, draft, gone, hasFocus, holds, say, sees, until, withWindow } from "./browser.mjs";
import { accessible } from "./axe.mjs";

const text = (page) => page.getByRole("region", { name: "Dialog text" });

test("text streams with a cursor, and a reload in the middle loses none of it", () => withWindow(async ({ page, mock }) => {
  const d = await draft(page, mock);
  const release = mock.hold();
  await say(page, "one two three four");
  await sees(page.getByRole("article", { name: "claude-test, writing" }));
  release(4);
  await until(() => d.open === "You said: one two ");
  await sees(text(page).getByText("You said: one two", { exact: true }));
  await sees(page.locator(".open-text .block"));
  await sees(page.getByText("1 writing"));
  await page.reload();
  await sees(text(page).getByText("You said: one two", { exact: true }));
  release();
  await sees(text(page).getByText("You said: one two three four"));
  await gone(page.locator(".open-text .block"));
  await counts(text(page).getByText("You said: one two three four"), 1);
}));

test("what is typed before the window knows of the other tabs outlives a reload at that moment", () => withWindow(async ({ page, mock, context }) => {
  const box = page.getByRole("textbox", { name: "Message" });
  await context.addInitScript(() => { if (localStorage.getItem("slow")) LockManager.prototype.query = () => new Promise(() => undefined); });
  await draft(page, mock);
  await box.fill("Kept.");
  await page.evaluate(() => localStorage.setItem("slow", "yes"));
  for (const words of ["One.", "Two."]) {
    await page.reload();
    await holds(box, "");
    await box.pressSequentially(words);
  }
  await page.evaluate(() => localStorage.removeItem("slow"));
  await page.reload();
  await holds(box, "Kept.\n\nOne.\n\nTwo.");
  await box.press("End");
  await box.pressSequentially("!");
  await page.reload();
  await holds(box, "Kept.\n\nOne.\n\nTwo.!");
}));

test("Stop ends it at once, and what came stays", () => withWindow(async ({ page, mock }) => {
  const d = await draft(page, mock);
  const release = mock.hold();
  await say(page, "hello");
  await page.getByRole("button", { name: "Stop" }).click();
  await until(() => d.stop);
  release();
  await gone(page.getByRole("button", { name: "Stop" }));
  assert.deepEqual(mock.puts.at(-1), { dialogId: d.id, status: "waiting" });
  await sees(page.getByRole("button", { name: "Send", exact: true }));
}));

test("a failure is told in plain words, and Try again goes on", () => withWindow(async ({ page, mock }) => {
  const d = await draft(page, mock);
  await say(page, "fail please");
  const alert = page.getByRole("alert");
  await sees(alert.getByText("The provider is busy."));
  await alert.getByText("Details").click();
  await sees(alert.getByText("529 overloaded_error"));
  await sees(page.getByRole("button", { name: "Continue" }));
  // The file says why: it is told the same after a reload.
  const said = await alert.locator("h2, p").allInnerTexts();
  await page.reload();
  await sees(alert.getByText("The provider is busy."));
  assert.deepEqual(await alert.locator("h2, p").allInnerTexts(), said);
  await alert.getByRole("button", { name: "Try again", disabled: false }).click();
  await sees(text(page).getByText("I go on where I stopped."));
  await gone(alert.getByText("The provider is busy."));
  assert.deepEqual(mock.puts.at(-1), { dialogId: d.id, continue: true });
}));

test("an unsent message outlives the tab", () => withWindow(async ({ page, mock }) => {
  await draft(page, mock);
  await page.getByRole("textbox", { name: "Message" }).fill("half a thought");
  await page.reload();
  await until(async () => (await page.getByRole("textbox", { name: "Message" }).inputValue()) === "half a thought");
}));

test("what is written in one tab outlives what another tab sends, and a tab that was closed leaves it", () => withWindow(async ({ page, mock, open }) => {
  const d = await draft(page, mock);
  const here = new URL(page.url()).hash;
  const box = (p) => p.getByRole("textbox", { name: "Message" });
  const other = await open(here);
  await box(page).fill("half a thought");
  await box(other).fill("hello");
  await other.getByRole("button", { name: "Send", exact: true }).click();
  for (const p of [page, other]) await sees(text(p).getByText("You said: hello"));
  await holds(box(page), "half a thought");
  await page.reload();
  await holds(box(page), "half a thought");
  await page.getByRole("link", { name: "New dialog" }).click();
  await page.goBack();
  await holds(box(page), "half a thought");
  // It is the first tab's while that one lives, so that it does not come back where it was sent.
  await other.close();
  const third = await open(here);
  await sees(text(third).getByText("You said: hello"));
  await box(third).fill("mine");
  await page.reload();
  await holds(box(page), "half a thought");
  await holds(box(third), "mine");
  await box(third).fill("");
  await page.close();
  await third.reload();
  await holds(box(third), "half a thought");
  assert.equal(d.sections.filter((s) => s.role === "User").length, 1);
}));

test("a draft that was sent does not come back in a second tab", () => withWindow(async ({ page, mock, open }) => {
  await draft(page, mock);
  const box = (p) => p.getByRole("textbox", { name: "Message" });
  await box(page).fill("hello");
  const other = await open(new URL(page.url()).hash);
  await sees(other.getByRole("heading", { name: "please-start", level: 1 }));
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await sees(text(other).getByText("You said: hello"));
  await holds(box(other), "");
  await other.reload();
  await sees(text(other).getByText("You said: hello"));
  await holds(box(other), "");
}));

test("Ctrl Enter sends; another model can answer from here on", () => withWindow(async ({ page, mock }) => {
  const d = await draft(page, mock);
  await page.getByRole("combobox", { name: "Model" }).selectOption("claude-other");
  await page.getByRole("textbox", { name: "Message" }).fill("hello");
  await page.keyboard.press("Control+Enter");
  await sees(page.getByRole("article", { name: /^claude-other/ }).getByText("You said: hello"));
  assert.deepEqual(mock.puts.at(-1), { dialogId: d.id, prompt: "hello", provider: "claude", model: "claude-other" });
}));

test("Finish moves it among the finished; a message wakes it", () => withWindow(async ({ page, mock }) => {
  await draft(page, mock);
  await say(page, "hello");
  await sees(text(page).getByText("You said: hello"));
  await page.getByRole("button", { name: "Finish" }).click();
  const finished = page.getByRole("region", { name: "Finished" });
  await sees(finished.getByRole("link", { name: /please-start/ }));
  await say(page, "once more");
  await sees(text(page).getByText("You said: once more"));
  await sees(page.getByRole("region", { name: "Your turn" }).getByRole("link", { name: /please-start/ }));
}));

test("what a section's html brings along is left out", () => withWindow(async ({ page, mock }) => {
  await draft(page, mock);
  await say(page, "evil");
  await sees(text(page).getByText("before"));
  const agent = text(page).getByRole("article", { name: /^claude-test/ });
  assert.equal(await page.evaluate(() => window.bad), undefined);
  assert.equal(await agent.locator("script, form, [onclick], [style], img[src]").count(), 0);
  assert.equal(await agent.locator("a", { hasText: "click" }).count(), 0);
  await sees(agent.getByRole("link", { name: "Image at elsewhere.example: spy" }));
  // What is refused is told by the browser, and the picture "x" is none of the deed's.
}, { expect: /inline event handler|inline style|404/ }));

test("a lost line is told after two seconds, and mends itself", () => withWindow(async ({ page, mock }) => {
  const d = await draft(page, mock);
  const { port } = mock;
  await mock.down();
  await sees(page.getByText(/Connection lost. What you see is \d+ s old./));
  d.status = "waiting";
  await mock.listen(port);
  await gone(page.getByText(/Connection lost/));
  await say(page, "back again");
  await sees(text(page).getByText("You said: back again"));
  // The lists are alive again as well.
  mock.addDialog("lighthouse", "born-later");
  await sees(page.getByRole("link", { name: /born-later/ }));
}, { expect: /ERR_|Failed to load/ }));

test("a screen reader hears who needs it and who finished, never tokens", () => withWindow(async ({ page, mock }) => {
  await draft(page, mock);
  const heard = page.getByTestId("heard");
  await say(page, "Please read vibey.md");
  await until(async () => (await heard.textContent()) === "please-start needs you");
  await page.getByRole("button", { name: "Allow once" }).click();
  await sees(page.getByText("Done: the result above says so."));
  assert.equal(await page.locator("[aria-live]").count(), 1);
}));

test("a recorded example says plainly that no model is used", () => withWindow(async ({ page, mock }) => {
  await draft(page, mock, "tour", "replay", "welcome/x.md");
  await sees(page.getByText("No AI model is used"));
}));

test("a second file of a dialog is told until it is gone", () => withWindow(async ({ page, mock }) => {
  const d = mock.addDialog("lighthouse", "read-me");
  mock.append(d, "User", "input/markdown", "hello");
  await page.goto(`${mock.url}#/project/lighthouse/dialogs/${d.id}`);
  await sees(page.locator("h1").and(page.getByRole("heading", { name: "read-me", level: 1 })));
  const told = page.getByRole("alert").getByText(/Two files of this dialog .* dialog-other-waiting\.md.*vibey repair/);
  await gone(told);
  d.other = "dialog-other-waiting.md";
  mock.tell(d);
  await sees(told);
  d.other = undefined;
  mock.tell(d);
  await gone(told);
}));

test("without a provider a key can be typed, once", () => withWindow(async ({ page, mock }) => {
  mock.providers = [{ provider: "replay", api: "replay", models: [{ id: "welcome/x.md" }] }];
  await page.goto(mock.url + "#/project/lighthouse/dialogs/new");
  await sees(page.getByText("No model is connected yet."));
  await sees(page.getByText("vibey serve --provider ollama=chat,http://127.0.0.1:11434/v1"));
  await page.getByLabel("Key", { exact: true }).fill("sk-test");
  await page.getByRole("button", { name: "Store key" }).click();
  await sees(page.getByText("The key is stored on this machine"));
  assert.deepEqual(mock.keys, [{ provider: "claude", key: "sk-test" }]);
  await until(async () => (await page.getByLabel("Provider", { exact: true }).inputValue()) === "claude");
}));

test("a dialog that was deleted says so, and leads back", () => withWindow(async ({ page, mock }) => {
  const d = await draft(page, mock);
  mock.deleteDialog(d);
  await sees(page.getByText("This dialog is not there any more."));
  await page.getByRole("link", { name: "Back to the dialogs" }).click();
  await sees(page.getByText("Nothing here yet."));
}, { expect: /404/ }));

test("the printed address, pasted into an open window, opens it", () => withWindow(async ({ page, mock }) => {
  await sees(page.locator("h1").and(page.getByRole("heading", { name: "lighthouse", level: 1 })));
  await page.evaluate(() => { location.hash = "#code=one-time"; });
  await sees(page.getByRole("heading", { name: "Projects" }));
  await until(() => !page.url().includes("code"));
  assert.equal(mock.codes.size, 0);
}, { path: "#/project/lighthouse/docs" }));

test("a provider that lists no models is told one", () => withWindow(async ({ page, mock }) => {
  mock.providers = [{ provider: "local", api: "chat", models: [], error: "It did not answer within five seconds.", kind: "idle" }, { provider: "replay", api: "replay", models: [] }];
  await page.goto(mock.url + "#/project/lighthouse/dialogs/new");
  await sees(page.getByText("local did not answer in time."));
  await sees(page.getByText("Wait a little, then look again. A model whose name you know can be written below. Dialogs that are there are kept."));
  await accessible(page, "a provider that lists nothing");
  assert.deepEqual(await page.getByLabel("Provider", { exact: true }).locator("option").allInnerTexts(), ["local"]);
  const message = page.getByRole("textbox", { name: "Message" });
  await message.fill("by name");
  const send = page.getByRole("button", { name: "Send", exact: true });
  assert.equal(await send.getAttribute("aria-disabled"), "true");
  await page.getByRole("textbox", { name: "Model" }).fill("llama");
  await send.click();
  await sees(page.locator("h1").and(page.getByRole("heading", { name: "by name", level: 1 })));
  assert.equal([...mock.projects.get("lighthouse").dialogs.values()][0].model, "llama");
}));

test("a dialog of five thousand sections opens, and stands at its end", () => withWindow(async ({ page, mock }) => {
  const d = mock.addDialog("lighthouse", "long");
  for (let i = 0; i < 2500; i++) {
    mock.append(d, "User", "input/markdown", `question ${i}`);
    mock.append(d, "Assistant", "output/markdown", `answer ${i}`);
  }
  await page.goto(`${mock.url}#/project/lighthouse/dialogs/${d.id}`);
  await sees(text(page).getByText("answer 2499", { exact: true }));
  await until(() => text(page).evaluate((e) => e.scrollHeight - e.scrollTop - e.clientHeight < 60), "scrolled to the end");
  // Its words are in the page soon, and take their form in idle time: piece by piece, however little of that there is.
  await until(() => text(page).evaluate((e) => e.textContent.includes("question 0answer 0") || e.textContent.includes("question 0\n")), "all of its words are in the page");
  let formed = 0;
  while (formed < 5000) {
    const was = formed;
    await until(async () => (formed = await text(page).locator("article").count()) > was, `more than ${was} sections have their form`);
  }
  assert.equal(formed, 5000);
}));

test("a provider that can't be reached stays chosen, and no recording takes its place", () => withWindow(async ({ page, mock }) => {
  await draft(page, mock);
  mock.providers = [{ provider: "openai", api: "responses", models: [], error: "openai could not be reached at 127.0.0.1:1: dial tcp 127.0.0.1:1: connect: connection refused.", kind: "network" }, { provider: "replay", api: "replay", models: [{ id: "lighthouse/tour.md" }] }];
  const choice = async () => {
    await page.reload();
    await page.getByRole("link", { name: "New dialog" }).click();
    await sees(page.getByText("Nobody answers at the address of openai."));
    assert.equal(await page.getByText("dial tcp").isVisible(), false);
    return [await page.getByLabel("Provider", { exact: true }).inputValue(), await page.getByLabel("Model", { exact: true }).inputValue()];
  };
  assert.deepEqual(await choice(), ["openai", ""]);
  await page.evaluate(() => localStorage.setItem("vibey.target", JSON.stringify({ provider: "openai", model: "gpt-test" })));
  assert.deepEqual(await choice(), ["openai", "gpt-test"]);
  await page.getByText("Details").click();
  await sees(page.getByText("dial tcp"));
  mock.providers = [{ provider: "openai", api: "responses", models: [{ id: "gpt-test" }] }];
  await page.getByRole("button", { name: "Look again" }).first().click();
  await gone(page.getByText("Nobody answers at the address of openai."));
}));

test("where it is not known which models there are, New dialog says so and looks again", () => withWindow(async ({ page, mock }) => {
  await page.route("**/models", (r) => r.fulfill({ status: 500, contentType: "application/problem+json", body: JSON.stringify({ type: "urn:vibey:problem:internal", title: "x", status: 500 }) }));
  await page.goto(mock.url + "#/project/lighthouse/dialogs/new");
  await sees(page.getByRole("alert").getByText("It is not known which models there are."));
  await page.unroute("**/models");
  await page.getByRole("button", { name: "Look again" }).click();
  await sees(page.getByLabel("Provider", { exact: true }));
  assert.equal(await page.getByRole("alert").count(), 0);
}, { expect: /500/ }));

test("a footnote of an answer leads to its note and back, and the page stays", () => withWindow(async ({ page, mock }) => {
  const d = await draft(page, mock);
  const html = (key, words) => `<p>${words}<sup id="n${key}-fnref:1"><a href="#n${key}-fn:1" class="footnote-ref" role="doc-noteref">1</a></sup></p>${"<p>on</p>".repeat(60)}<div class="footnotes" role="doc-endnotes"><hr><ol><li id="n${key}-fn:1"><p>Note of ${words}&#160;<a href="#n${key}-fnref:1" class="footnote-backref" role="doc-backlink">↩</a></p></li></ol></div>`;
  mock.append(d, "Assistant", "output/markdown", "one", { html: html("00000001", "One") });
  mock.append(d, "Assistant", "output/markdown", "two", { html: html("00000002", "Two") });
  const one = page.getByRole("article").filter({ hasText: "Note of One" });
  const at = page.url();
  await one.locator("sup a").scrollIntoViewIfNeeded();
  await one.locator("sup a").click();
  await hasFocus(one.locator("li"));
  const inView = (l) => l.evaluate((e) => { const r = e.getBoundingClientRect(), s = document.querySelector(".log").getBoundingClientRect(); return r.top > s.top - 1 && r.bottom < s.bottom + 1; });
  await agrees(() => inView(one.locator("li")), true);
  await one.getByText("↩").click();
  await hasFocus(one.locator("sup"));
  await agrees(() => inView(one.locator("sup")), true);
  assert.equal(page.url(), at);
}));

test("what a call gave is told in words, and its JSON only under Details", () => withWindow(async ({ page, mock }) => {
  const d = await draft(page, mock);
  mock.append(d, "User", "input/markdown", "Please look.");
  mock.append(d, "Tool Request", "tool/input/json", '{"command":"ls"}', { id: "call_1", meta: { Tool: "run_command", Status: "pending" } });
  mock.append(d, "Tool Result", "tool/result/json", JSON.stringify({ success: true, exitCode: 0, stdout: "a.md\n", changed: [{ path: "deed/a.md", sha256: "a".repeat(64), replaced: "" }] }), { id: "call_1", meta: { Tool: "run_command", Status: "approved" } });
  mock.append(d, "Assistant", "output/markdown", "There.");
  const card = page.getByRole("region", { name: "Ran ls" });
  await card.getByRole("button").first().click();
  await sees(card.getByText("Exit code: 0"));
  await sees(card.getByText("deed/a.md", { exact: true }));
  assert.doesNotMatch(await card.innerText(), /[{}]|aaaa|sha256/);
  await card.getByText("Details").click();
  await sees(card.getByText('"sha256"'));
}));
