// How a view reads for everyone, by axe's rules.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

export const WIDTHS = [1440, 1024, 390];
/** The window as most views are checked: the widest, and light. */
export const WIDE = { width: WIDTHS[0], height: 900 };

/**
 * accessible holds the view as it stands against axe, in three widths, light and dark, and
 * leaves it as it was: nothing of any severity, nothing wider than the window.
 * Dark differs from light by its colours alone, so the rules on colours are enough there.
 */
export async function accessible(page, what) {
  // The policy of the page lets no script in; the debugger's line may.
  const session = await page.context().newCDPSession(page);
  if (!(await page.evaluate(() => "axe" in window))) await session.send("Runtime.evaluate", { expression: axe });
  const size = page.viewportSize();
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: width === 390 ? 844 : 900 });
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true, `${what}, ${width} px: it is wider than the window`);
    for (const scheme of ["light", "dark"]) {
      await page.emulateMedia({ colorScheme: scheme });
      assert.deepEqual(await violations(page, scheme === "dark"), [], `${what}, ${width} px, ${scheme}`);
    }
    await page.emulateMedia({ colorScheme: "light" });
  }
  await page.setViewportSize(size);
  await session.detach();
}

async function violations(page, colours) {
  return page.evaluate(async (runOnly) => (await window.axe.run(document, { resultTypes: ["violations"], ...runOnly })).violations
    .map((v) => `${v.id}: ${v.nodes.map((n) => n.target.join(" ") + " " + (n.any[0]?.message ?? "")).join("; ")}`), colours ? { runOnly: ["color-contrast", "link-in-text-block"] } : {});
}
