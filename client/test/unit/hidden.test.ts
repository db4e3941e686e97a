import { test } from "node:test";
import assert from "node:assert/strict";
import { hiddenCount, reveal } from "../../src/text/hidden.ts";

const drawn: [string, string, string][] = [
  ["\u202e", "U+202E", "right-to-left override"],
  ["\u2066", "U+2066", "left-to-right isolate"],
  ["\u200b", "U+200B", "zero-width space"],
  ["\u200d", "U+200D", "zero-width joiner"],
  ["\ufeff", "U+FEFF", "byte order mark"],
  ["\u00ad", "U+00AD", "soft hyphen"],
  ["\u00a0", "U+00A0", "no-break space"],
  ["\u2003", "U+2003", "space"],
  ["\u2028", "U+2028", "line separator"],
  ["\x1b", "U+001B", "escape"],
  ["\x00", "U+0000", "null"],
  ["\r", "U+000D", "carriage return"],
  ["\x9b", "U+009B", "control"],
  ["\u{e0041}", "U+E0041", "tag A"],
  ["\u{e0001}", "U+E0001", "tag"],
  ["\u3164", "U+3164", "Hangul filler"],
  ["\u2800", "U+2800", "blank braille"],
  ["\ufe01", "U+FE01", "variation selector"],
  ["\u{e0100}", "U+E0100", "variation selector"],
  ["\ue000", "U+E000", "private use"],
  ["\ufe0f", "U+FE0F", "emoji selector"],
  ["\ud800", "U+D800", "unknown character"],
];

test("what would not be seen is drawn", () => {
  for (const [c, code, name] of drawn) {
    assert.deepEqual(reveal(`a${c}b`), ["a", { code, name }, "b"], code);
  }
});

test("what is seen stands as it is", () => {
  for (const s of ["", "plain text\n\twith tabs", "Ünïcödé, 漢字, עברית, हिन्दी", "❤️ 👩‍👧 👩🏽‍💻", "e\u0301"]) {
    assert.deepEqual(reveal(s), s === "" ? [] : [s]);
    assert.equal(hiddenCount(s), 0);
  }
});

test("a joiner that joins no emoji is drawn", () => {
  assert.equal(hiddenCount("pay\u200dpal"), 1);
  assert.equal(hiddenCount("👩\u200dx"), 1);
});

test("nothing is lost or added", () => {
  const s = "rm\u202e -rf \u{e0041}\u200b/\n";
  const back = reveal(s).map((p) => (typeof p === "string" ? p : String.fromCodePoint(parseInt(p.code.slice(2), 16)))).join("");
  assert.equal(back, s);
});
