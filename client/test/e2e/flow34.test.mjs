// Flows #3 and #4: an agent starts another one; a project goes with its agents.
import { test } from "node:test";
import assert from "node:assert/strict";
import { allow, card, dialog, gone, project, say, sees, shot, text, until, withWorld } from "./real.mjs";

const slow = { text: "I am thinking about the board. ".repeat(400), chunk: 8, delay_ms: 20 };

const script = (provider) => ({
  models: ["mock-1", "mock-2"],
  cases: [{ when: "You write the board", replies: [slow] }],
  replies: [
    { text: "doc-main asks for two agents.", calls: [{ id: "launch_1", name: "launch_agent", args: { provider, model: "mock-1", slug: "board", prompt: "You write the board of the game, deed/board.js." } }] },
    { text: "The second agent works on the board." },
  ],
});

for (const provider of ["claude", "openai"]) {
  test(`flows 3 and 4 with ${provider}`, () => withWorld(script(provider), async ({ world, page, open }) => {
    await project(page, "tictactoe");
    await page.getByRole("link", { name: /\bmain$/i }).first().click();
    const box = page.getByRole("textbox", { name: /^Text of / });
    await box.click();
    await page.keyboard.press("Control+a");
    await page.keyboard.insertText("# A little game\n\nA tictactoe in the browser. Two agents should work on it.\n");
    await page.keyboard.press("Control+s");
    await sees(page.getByText(/^Saved/));

    await dialog(page, "start", provider);
    await say(page, "please start");
    await sees(card(page).getByRole("heading", { name: "Start another agent?" }));
    await sees(card(page).getByText("You write the board of the game, deed/board.js.", { exact: true }));
    await shot(page, `flow3-${provider}-1-question`);
    await allow(page);
    await sees(text(page).getByText("The second agent works on the board."));
    await sees(page.getByText("1 writing"));
    const writing = page.getByRole("region", { name: "Writing now" });
    await writing.getByRole("link", { name: /^writing You write the board/ }).click();
    await sees(text(page).getByText(/I am thinking about the board/));
    await sees(page.locator(".open-text"));
    await shot(page, `flow3-${provider}-2-second-agent`);
    const bodies = await world.bodies();
    assert.ok(bodies.every((b) => b.text.includes("Two agents should work on it.")), "doc-main.md was not told to each agent");

    // A reload in the middle rejoins and goes on.
    await page.reload();
    await sees(page.locator(".open-text"));
    const length = async () => (await text(page).innerText()).length;
    const before = await length();
    await until(async () => (await length()) > before + 40, "text goes on after a reload");
    const second = await open(page.url());
    await sees(second.locator(".open-text"));

    // Flow 4, in the first tab: the project goes, with the agent at work.
    await page.goto(`http://${world.addr}/#/projects`);
    await page.getByRole("button", { name: "Delete project A little game" }).click();
    const ask = page.getByRole("dialog", { name: "Delete A little game?" });
    await sees(ask.getByText(/1 agent working there is stopped first/));
    await shot(page, `flow4-${provider}-1-question`);
    await ask.getByRole("button", { name: "Delete project" }).click();
    await gone(page.getByRole("link", { name: "A little game tictactoe", exact: true }));
    await gone(page.getByRole("link", { name: "needs you in A little game" })); // an agent that is stopped may be told for a moment
    assert.equal(world.there("tictactoe"), false);
    assert.deepEqual(await world.ask("GET", "/projects"), []);
    // The window that looked at it is not left with a dead dialog.
    await sees(second.getByText("is not there any more"));
    await gone(second.locator(".open-text"));
    await gone(second.getByText("1 writing"));
    await shot(second, `flow4-${provider}-2-other-tab`);
    // A browser that types over styled text makes a style of its own, which the policy blocks.
  }, { expect: /404|inline style/ }));
}
