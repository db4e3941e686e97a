import { test } from "node:test";
import assert from "node:assert/strict";
import cases from "../hidden.json" with { type: "json" };
import { hiddenCount, reveal } from "../../src/text/hidden.ts";

const code = (c: number) => "U+" + c.toString(16).toUpperCase().padStart(4, "0");
const drawn = (text: string) => reveal(text).map((p) => (typeof p === "string" ? p : `⟨${p.code}⟩`)).join("");

const names: [string, string][] = [
  ["\u202e", "right-to-left override"],
  ["\u200b", "zero-width space"],
  ["\ufeff", "byte order mark"],
  ["\u00ad", "soft hyphen"],
  ["\u2003", "space"],
  ["\x1b", "escape"],
  ["\x00", "null"],
  ["\x9b", "control"],
  ["\u{e0041}", "tag A"],
  ["\u{e0001}", "tag"],
  ["\ufe01", "variation selector"],
  ["\u{e0100}", "variation selector"],
  ["\ue000", "private use"],
  ["\ufe0f", "emoji selector"],
  ["\ud800", "unknown character"],
  ["\u0378", "unknown character"],
];

test("what would not be seen is drawn, and named", () => {
  for (const [c, name] of names) {
    assert.deepEqual(reveal(`a${c}b`), ["a", { code: code(c.codePointAt(0)!), name }, "b"]);
  }
});

test("both windows draw the same: the cases of the command line", () => {
  for (const [text, want] of cases.cases) assert.equal(drawn(text!), want);
});

// What the engine knows of Unicode, and not our table, tells what has to be drawn.
const UNSEEN = /[\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Zs}\p{Co}\p{Cs}\p{Cn}]/u;
const PLAIN = new Set([0x09, 0x0a, 0x20]);
// Letters, marks and symbols by their class, which draw nothing all the same.
const BLANKS = new Set([0x2800, 0xfffc, 0xfffd, 0x16fe4, 0x1d159]);

test("every character that Unicode lets a font pass over is drawn, and nothing else is", () => {
  let ignorable = 0;
  const step = 0x1000;
  for (let from = 0; from <= 0x10ffff; from += step) {
    let text = "", want = "";
    for (let c = from; c < from + step; c++) {
      const s = String.fromCodePoint(c);
      if (/\p{Default_Ignorable_Code_Point}/u.test(s)) ignorable++;
      text += `a${s}`;
      want += (UNSEEN.test(s) && !PLAIN.has(c)) || BLANKS.has(c) ? `a⟨${code(c)}⟩` : `a${s}`;
    }
    assert.equal(drawn(text), want);
  }
  assert.ok(ignorable > 4000, `only ${ignorable} default-ignorable code points`);
});

test("nothing is lost or added, and every drawn one counts", () => {
  const s = "rm\u202e -rf \u{e0041}\u200b/\n";
  const back = reveal(s).map((p) => (typeof p === "string" ? p : String.fromCodePoint(parseInt(p.code.slice(2), 16)))).join("");
  assert.equal(back, s);
  assert.equal(hiddenCount(s), 3);
  assert.deepEqual(reveal(""), []);
});
