// A human who types, comments and takes back, another program that writes the same file, and an
// agent whose changes wait in the text and are decided elsewhere, for long: what each of them
// wrote is there, word for word and where it was written, in the text after each round and in
// the file after each save. VIBEY_ROUNDS says how many rounds, VIBEY_SEED which.
import { test } from "node:test";
import assert from "node:assert/strict";
import { decide } from "../agent.mjs";
import { until, withWindow } from "./browser.mjs";

const ROUNDS = Number(process.env.VIBEY_ROUNDS ?? 80), SEED = Number(process.env.VIBEY_SEED ?? 20260216), LINES = 8;

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

/** shows waits until the editor holds a text, and nothing else. */
async function shows(page, text, what) {
  const is = await page.evaluate(([text, most]) => new Promise((ok) => {
    const box = document.querySelector(".cm-content");
    const now = () => box.cmTile.view.state.doc.toString();
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
  { keys: ["Home"], words: (i) => `m${i} `, line: (l, w) => l.replace(/^(\{==)?/, (mark) => mark + w) }, // within the passage of a comment
  { keys: ["Home", "Shift+End"], words: (i) => `I wrote m${i}.`, line: (_, w) => w },
];
/** An agent's. */
const AGENT = [(l, i) => `${l} t${i}`, (l, i) => `t${i} ${l}`, (_, i) => `They wrote t${i}.`];

/** A line with a comment on what was all of it. */
const COMMENT = /^(.*)\{==(.*)==\}\{>>c(\d+)<<\}(.*)$/;

test(`${ROUNDS} rounds of a human, another program and an agent: no word of any is lost`, () => withWindow(async ({ page, mock }) => {
  const n = dice(SEED);
  const lines = Array.from({ length: LINES }, (_, i) => `Line ${i} stands here.`);
  const whole = () => lines.join("\n\n") + "\n";
  const file = () => mock.projects.get("lighthouse").files.get("doc-main.md").content;
  const bare = (line) => lines[line].replace(COMMENT, "$1$2$4");
  /** change writes a line anew, whole where it has become long, so that it never wraps. */
  const change = (ways, line) => ways[bare(line).length > 40 ? ways.length - 1 : n(ways.length)];
  mock.writeFile("lighthouse", "doc-main.md", whole());
  await page.getByRole("textbox", { name: /^Text of / }).click();
  await shows(page, whole(), "before the first round");

  const unsaved = new Set(); // the human's lines, which the others leave alone
  let last = null; // what the human did last, where it can be undone
  let at = -1;
  const agent = mock.addDialog("lighthouse", "editor");
  let wish = null; // what the agent wants: {id, line, old, then}

  /** decided lets another window answer what the agent wants, if it still can hold. */
  const decided = async () => {
    const { id, line, old, then } = wish;
    const holds = !unsaved.has(line) && lines[line] === old && file().split("\n")[line * 2] === old;
    decide(mock, agent, `${id} ${holds && n(3) > 0 ? "approve" : "deny"}`, false);
    if (file().includes(then)) lines[line] = then;
    mock.rest(agent, "waiting", "reply");
    wish = null;
    await page.getByTestId("approval").waitFor({ state: "hidden" });
  };
  /** into clicks into a line, as a person does: again, where what was drawn meanwhile had moved it, or lies over it. */
  const into = async (line) => {
    const there = () => page.evaluate((l) => {
      const box = document.querySelector(".cm-content"), { state } = box.cmTile.view;
      return document.activeElement === box && state.doc.lineAt(state.selection.main.head).number === l + 1;
    }, line * 2);
    do {
      const to = await page.evaluate((l) => {
        const r = document.querySelectorAll(".cm-content .cm-line")[l].getBoundingClientRect();
        return { x: r.left + 20, y: r.top + r.height / 2 };
      }, line * 2);
      await page.mouse.click(to.x, to.y);
    } while (!(await there()));
  };

  for (let i = 0; i < ROUNDS; i++) {
    if (wish !== null && n(4) === 0) await decided();
    const free = [...lines.keys()].filter((l) => l !== at && l !== last?.line);
    const mine = free[n(free.length)];
    const others = [...lines.keys()].filter((l) => l !== mine && !unsaved.has(l));
    const theirs = others[n(others.length)];
    if (wish === null && n(5) === 0) {
      const line = others[n(others.length)], old = lines[line], then = `The agent wants a${i}.`;
      if (file().split("\n")[line * 2] === old) {
        const [id] = mock.wants(agent, "doc-main.md", [[old, then]]);
        wish = { id, line, old, then };
        await page.getByTestId("approval").waitFor();
      }
    }
    // The other program's edit is on its way while the human writes.
    lines[theirs] = change(AGENT, theirs)(lines[theirs], i);
    const there = file().split("\n");
    there[theirs * 2] = lines[theirs];
    mock.writeFile("lighthouse", "doc-main.md", there.join("\n"));
    const commented = COMMENT.exec(lines[mine]);
    if (last !== null && n(6) === 0) {
      await page.keyboard.press("Control+z");
      lines[last.line] = last.before;
      last = null;
    } else if (commented && n(3) === 0) {
      last = { line: mine, before: lines[mine] };
      await page.locator(".md-aside-card", { has: page.getByText(`c${commented[3]}`, { exact: true }) }).getByRole("button", { name: "Done" }).click();
      unsaved.add(mine);
      lines[mine] = bare(mine);
      at = mine;
    } else if (!commented && n(7) === 0) {
      last = { line: mine, before: lines[mine] };
      await into(mine);
      await page.keyboard.press("Home");
      await page.keyboard.press("Shift+End");
      await page.keyboard.press("Control+Alt+m");
      await page.keyboard.insertText(`c${i}`);
      await page.keyboard.press("Enter");
      unsaved.add(mine);
      lines[mine] = `{==${lines[mine]}==}{>>c${i}<<}`;
      at = mine;
    } else {
      const way = change(HUMAN, mine), words = way.words(i);
      await into(mine);
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
// Chromium gives what is written over a selection the style of what was there, which the policy of the page refuses.
}, { width: 1440, height: 1200, path: "#/project/lighthouse/docs/doc-main.md", expect: /40[49]|inline style/ }));
