// The four pictures of README.md, from the story: 1280 wide, as webp, which the browser itself can write.
import { test } from "node:test";
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { withWorld } from "../e2e/real.mjs";
import { tell } from "./story.mjs";
import { LOGS, PREVIEW, script } from "./words.mjs";

const folder = fileURLToPath(new URL("../../../.github/pictures/", import.meta.url));
const PICTURES = { "main-written": "write", "question-change": "decide", board: "watch", "made-page": "made" };

/** webp returns a picture of a page, in the quality in which letters stay sharp. */
async function webp(page) {
  const png = (await page.screenshot()).toString("base64");
  const desk = await page.context().newPage();
  const url = await desk.evaluate(async (png) => {
    const picture = await createImageBitmap(await (await fetch(`data:image/png;base64,${png}`)).blob());
    const canvas = Object.assign(document.createElement("canvas"), { width: picture.width, height: picture.height });
    canvas.getContext("2d").drawImage(picture, 0, 0);
    return canvas.toDataURL("image/webp", 0.86);
  }, png);
  await desk.close();
  await page.bringToFront();
  return Buffer.from(url.replace("data:image/webp;base64,", ""), "base64");
}

test("the pictures of the README", () => withWorld(script, async (w) => {
  mkdirSync(folder, { recursive: true });
  const made = [];
  await tell(w, async (step, page) => {
    if (!Object.hasOwn(PICTURES, step)) return;
    writeFileSync(`${folder}${PICTURES[step]}.webp`, await webp(page));
    made.push(PICTURES[step]);
  });
  assert.deepEqual(made.sort(), Object.values(PICTURES).sort());
}, { height: 800, expect: LOGS, elsewhere: PREVIEW }));
