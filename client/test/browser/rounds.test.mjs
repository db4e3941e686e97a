// Two writers of one page, for long: what each of them wrote is there, word for word and where
// it was written, in the page after each round and in the file after each save.
import { test } from "node:test";
import assert from "node:assert/strict";
import { until, withWindow } from "./browser.mjs";

const ROUNDS = 300, LINES = 8;

/** dice returns numbers that look random and are the same in each run: n(6) is one of 0 to 5. */
function dice(seed) {
  let a = seed;
  return (n) => {
    a = (a + 0x6d2b79f5) | 0;
    let t = Math.imul(a ^ (a >>> 15), 1 | a);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % n;
  };
}

/** shows waits until the editor shows a text, and nothing else. */
async function shows(page, text, what) {
  const is = await page.evaluate(([text, most]) => new Promise((ok) => {
    const box = document.querySelector(".cm-content");
    const now = () => [...box.querySelectorAll(".cm-line")].map((l) => l.textContent).join("\n");
    const look = () => { if (now() === text) end(); };
    const seen = new MutationObserver(look);
    const late = setTimeout(() => end(), most);
    function end() {
      seen.disconnect();
      clearTimeout(late);
      ok(now());
    }
    seen.observe(box, { childList: true, subtree: true, characterData: true });
    look();
  }), [text, 20_000]);
  assert.equal(is, text, what);
}

/** A human's ways to change a line: the keys after the click into it, the words, and the line then. */
const HUMAN = [
  { keys: ["End"], words: (i) => ` m${i}`, line: (l, w) => l + w },
  { keys: ["Home"], words: (i) => `m${i} `, line: (l, w) => w + l },
  { keys: ["Home", "Shift+End"], words: (i) => `I wrote m${i}.`, line: (_, w) => w },
];
/** An agent's. */
const AGENT = [(l, i) => `${l} t${i}`, (l, i) => `t${i} ${l}`, (_, i) => `They wrote t${i}.`];

test(`${ROUNDS} rounds of two writers: nothing of either is lost`, () => withWindow(async ({ page, mock }) => {
  const n = dice(20260216);
  const lines = Array.from({ length: LINES }, (_, i) => `Line ${i} stands here.`);
  const whole = () => lines.join("\n\n") + "\n";
  const file = () => mock.projects.get("lighthouse").files.get("doc-main.md").content;
  /** change writes a line anew, whole where it has become long, so that it never wraps. */
  const change = (ways, line) => ways[lines[line].length > 40 ? ways.length - 1 : n(ways.length)];
  mock.writeFile("lighthouse", "doc-main.md", whole());
  await page.getByRole("textbox", { name: /^Text of / }).click();
  await shows(page, whole(), "before the first round");

  const unsaved = new Set(); // the human's lines, which the agent leaves alone
  let last = null; // what the human did last, where it can be undone
  let at = -1;
  for (let i = 0; i < ROUNDS; i++) {
    const free = [...lines.keys()].filter((l) => l !== at && (l !== last?.line));
    const mine = free[n(free.length)];
    const others = [...lines.keys()].filter((l) => l !== mine && !unsaved.has(l));
    const theirs = others[n(others.length)];
    // The agent's edit is on its way while the human writes.
    lines[theirs] = change(AGENT, theirs)(lines[theirs], i);
    const there = file().split("\n");
    there[theirs * 2] = lines[theirs];
    mock.writeFile("lighthouse", "doc-main.md", there.join("\n"));
    if (last !== null && n(6) === 0) {
      await page.keyboard.press("Control+z");
      lines[last.line] = last.before;
      last = null;
    } else {
      const way = change(HUMAN, mine), words = way.words(i);
      const to = await page.evaluate((l) => {
        const r = document.querySelectorAll(".cm-content .cm-line")[l].getBoundingClientRect();
        return { x: r.left + 20, y: r.top + r.height / 2 };
      }, mine * 2);
      await page.mouse.click(to.x, to.y);
      for (const key of way.keys) await page.keyboard.press(key);
      const byKeys = n(5) === 0; // letter by letter: more than one step to undo
      if (byKeys) await page.keyboard.type(words);
      else await page.keyboard.insertText(words);
      unsaved.add(mine);
      last = byKeys ? null : { line: mine, before: lines[mine] };
      lines[mine] = way.line(lines[mine], words);
      at = mine;
    }
    await shows(page, whole(), `round ${i}`);
    // A save of each second pair is still on its way in the next round.
    if (i % 6 === 5 || unsaved.size > LINES - 3) await page.keyboard.press("Control+s");
    if (i % 12 === 11 || unsaved.size > LINES - 3) {
      await until(() => file() === whole(), `round ${i} is saved`);
      unsaved.clear();
      last = null;
    }
  }
  await page.keyboard.press("Control+s");
  await until(() => file() === whole(), "all is saved");
}, { path: "#/project/lighthouse/docs/doc-main.md", expect: /409/ }));
