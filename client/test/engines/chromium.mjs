// Chromium, over playwright-core, as an engine that fills a screen.
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { chromium } from "playwright-core";

// The keys of WebDriver that are no letters.
const KEYS = { "\uE007": "Enter", "\uE004": "Tab", "\uE00C": "Escape", "\uE009": "Control", "\uE008": "Shift", "\uE003": "Backspace", "\uE015": "ArrowDown", "\uE010": "End" };

export async function open(executablePath, { display }) {
  const profile = mkdtempSync(join(display.HOME, "profile-"));
  const args = ["--no-sandbox", "--disable-gpu", "--kiosk", "--app=data:text/html,", "--force-renderer-accessibility", "--no-first-run", "--disable-background-networking"];
  const context = await chromium.launchPersistentContext(profile, { executablePath, headless: false, viewport: null, env: { ...process.env, ...display }, args, ignoreDefaultArgs: ["about:blank"] });
  const page = context.pages()[0] ?? (await context.waitForEvent("page"));
  return {
    navigate: (url) => page.goto(url),
    script: (f, ...args) => page.evaluate(`(${f})(...${JSON.stringify(args)})`),
    async act([{ actions }]) {
      for (const { type, value, x, y } of actions) {
        if (type === "pointerMove") await page.mouse.move(x, y);
        else if (type === "pointerDown") await page.mouse.down();
        else if (type === "pointerUp") await page.mouse.up();
        else await page.keyboard[type === "keyDown" ? "down" : "up"](KEYS[value] ?? value);
      }
    },
    shot: () => page.screenshot(),
    async end() {
      await context.close();
      rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
