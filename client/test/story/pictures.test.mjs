// The story three times: light, dark and on a phone, with a picture of each step.
// VIBEY_SHOTS names their folder; without it a new one is made, and told at the end.
// VIBEY_LOOK, one of them, makes it alone.
import { after, test } from "node:test";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { shot, withWorld } from "../e2e/real.mjs";
import { tell } from "./story.mjs";
import { LOGS, PREVIEW, script } from "./words.mjs";

process.env.VIBEY_SHOTS ??= mkdtempSync(join(tmpdir(), "vibey-story-"));
after(() => console.log(`The pictures are in ${process.env.VIBEY_SHOTS}`));

const LOOKS = [["light", { width: 1440, height: 900 }], ["dark", { width: 1440, height: 900, dark: true }], ["phone", { width: 390, height: 844 }]];

for (const [name, options] of LOOKS.filter(([name]) => (process.env.VIBEY_LOOK ?? name) === name)) {
  test(`the story, ${name}`, () => {
    let n = 0;
    const look = (step, page) => shot(page, `${name}-${String(++n).padStart(2, "0")}-${step}`);
    return withWorld(script, (w) => tell(w, look), { ...options, expect: LOGS, elsewhere: PREVIEW });
  });
}
