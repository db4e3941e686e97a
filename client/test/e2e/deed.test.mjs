// What was made, seen in the window beside the real preview origin.
import { test } from "node:test";
import { allow, dialog, project, say, sees, text, withWorld } from "./real.mjs";

const script = { replies: [{ text: "I make it.", calls: [{ id: "w1", name: "write_file", args: { path: "deed/index.html", content: "<h1>A lamp</h1>\n" } }] }, { text: "It is made." }] };

test("a card of a change leads to the page that was made, which is seen, and changes with its file", () => withWorld(script, async ({ world, page }) => {
  await project(page, "p");
  await dialog(page, "maker", "claude");
  await say(page, "make a page");
  await allow(page);
  await sees(text(page).getByText("It is made."));
  await text(page).getByRole("link", { name: "See it" }).click();
  const frame = page.frameLocator('iframe:not(.coming)[title="index.html, as it looks"]');
  await sees(frame.getByRole("heading", { name: "A lamp" }));
  world.write("<h1>A bright lamp</h1>\n", "p", "deed", "index.html");
  await page.evaluate(() => dispatchEvent(new Event("focus"))); // as when one comes back to the window
  await sees(frame.getByRole("heading", { name: "A bright lamp" }));
}, { elsewhere: /^http:\/\/127\.0\.0\.1:\d+\/[A-Z0-9]{20,}\// }));
