import { test } from "node:test";
import assert from "node:assert/strict";
import cases from "../critic.json" with { type: "json" };
import { codeIn, marksIn, notesIn, type Mark } from "../../src/text/critic.ts";
import { sentKeys, withoutNew } from "../../src/text/sentcomments.ts";
import { sayComments } from "../../src/text/opencomments.ts";
import { comment, done, drop, edited, keep, placed, standing, type Edit } from "../../src/text/criticacts.ts";

const show = (text: string) => marksIn(text).map((m) => [m.kind, text.slice(m.inner.from, m.inner.to), ...(m.now ? [text.slice(m.now.from, m.now.to)] : [])].join(": "));
const notes = (text: string) => notesIn(text, marksIn(text)).map((n) => [n.about ? text.slice(n.about.inner.from, n.about.inner.to) : null, n.words]);

test("marks are read as the server reads them", () => {
  for (const c of cases) assert.deepEqual(show(c.text), c.marks, c.text);
});

test("a comment is about what it stands behind", () => {
  assert.deepEqual(notes("a {==b==}{>>c<<}{>>d<<} e {>>alone<<} {--f--}{>>why<<}"), [["b", "c"], ["b", "d"], [null, "alone"], ["f", "why"]]);
  assert.deepEqual(notes("| {==a==}{>>x \\| y<<} | b |"), [["a", "x | y"]]);
});

const after = (text: string, edits: Edit[] | null) => edits && edited(text, edits);
const put = (text: string, passage: string, words: string) => {
  const from = text.indexOf(passage);
  return after(text, comment(text, marksIn(text), { from, to: from + passage.length }, words));
};

test("a comment is put on words, and around what it would cut", () => {
  const cases: [string, string, string, string | null][] = [
    ["The lamp turns.", "lamp", "Which?", "The {==lamp==}{>>Which?<<} turns."],
    ["The lamp turns.", " lamp ", "Which?", "The {==lamp==}{>>Which?<<} turns."],
    ["# The lamp\n\nIt turns.\n", "# The lamp\n\nIt", "a", "# {==The lamp\n\nIt==}{>>a<<} turns.\n"],
    ["- one\n- two\n", "- one\n- two\n", "a", "- {==one\n- two==}{>>a<<}\n"],
    ["- [ ] one\n", "[ ] one", "a", "- [ ] {==one==}{>>a<<}\n"],
    ["| a | b |\n| - | - |\n| c | d |\n", "| a | b |\n| - | - |\n| c | d |", "x | y", "| {==a | b |\n| - | - |\n| c | d==}{>>x \\| y<<} |\n"],
    ["> said\r\n> he\r\n", "> said\r\n> he\r\n", "a", "> {==said\r\n> he==}{>>a<<}\r\n"],
    ["a `code b` c", "de", "x", "a {==`code b`==}{>>x<<} c"],
    ["a {++b++} c", "a {++b", "x", "{==a {++b++}==}{>>x<<} c"],
    ["a {++b c++} d", "b", "x", "a {++{==b==}{>>x<<} c++} d"],
    ["a {==b==}{>>y<<} c", "b", "x", "a {=={==b==}{>>x<<}==}{>>y<<} c"],
    ["a {==b==}{>>y<<} c", "y", "x", "a {=={==b==}{>>y<<}==}{>>x<<} c".replace("{=={==b==}{>>y<<}==}", "{==b==}{=={>>y<<}==}")],
    ["a b c", "b", "not <<} so\r\nand {>> so", "a {==b==}{>>not << } so and { >> so<<} c"],
    ["a b c", "b", "  ", null],
    ["```\ncode\n```\n", "code", "x", null],
    ["    code\n", "code", "x", null],
    ["a\n\n```\ncode\n```\n\nb\n", "a\n\n```\ncode\n```\n\nb", "x", "{==a\n\n```\ncode\n```\n\nb==}{>>x<<}\n"],
    ["a \\* b", "* b", "x", "a {==\\* b==}{>>x<<}"],
    ["a {b", "a {", "x", null],
    ["Wärter, 日本 👩‍🚒.", "日本 👩‍🚒", "見て", "Wärter, {==日本 👩‍🚒==}{>>見て<<}."],
  ];
  for (const [text, passage, words, want] of cases) assert.equal(put(text, passage, words), want, `${text} / ${passage}`);
});

test("a stretch of a text stands without comments, and as before suggestions", () => {
  const text = "See {==the **brass**==}{>>Which?<<} lamp {++now++}{--once--}{~~old~>new~~}.\n\n`{>>code<<}`\n";
  assert.equal(standing(text, { from: 0, to: text.length }), "See the **brass** lamp onceold.\n\n`{>>code<<}`\n");
  const from = text.indexOf("brass"), note = text.indexOf("Which");
  assert.equal(standing(text, { from, to: note }), "brass**");
  assert.equal(standing(text, { from: note, to: text.indexOf("{++") }), " lamp ");
  assert.equal(standing("{=={++a++} b==}{>>c<<}", { from: 0, to: 22 }), " b");
});

test("Done takes a comment out, and with the last one of a passage that one's signs", () => {
  const text = "a {==b==}{>>c<<}{>>d<<} e {>>f<<}\r\n";
  const all = notesIn(text, marksIn(text));
  assert.deepEqual(all.map((n) => after(text, done(n, all))), ["a {==b==}{>>d<<} e {>>f<<}\r\n", "a {==b==}{>>c<<} e {>>f<<}\r\n", "a {==b==}{>>c<<}{>>d<<} e \r\n"]);
  const one = "a {==b\n\nc==}{>>d<<} e", [n] = notesIn(one, marksIn(one));
  assert.equal(after(one, done(n!, [n!])), "a b\n\nc e");
});

test("Keep makes a suggestion hold, and Drop leaves all as before", () => {
  const both = (text: string) => marksIn(text).slice(0, 1).map((m) => [after(text, keep(m)), after(text, drop(m))])[0];
  assert.deepEqual(both("a {++b ++}c"), ["a b c", "a c"]);
  assert.deepEqual(both("a {--b --}c"), ["a c", "a b c"]);
  assert.deepEqual(both("a {~~b~>d~~} c"), ["a d c", "a b c"]);
  assert.deepEqual(both("a {++b {--c--}++}"), ["a b {--c--}", "a "]);
});

// Deterministic noise: no act changes a byte outside of its own signs, and undone comments leave none.
test("what is outside of an act stays to the byte", () => {
  let seed = 5;
  const rnd = (n: number) => (seed = (seed * 1103515245 + 12345) & 0x7fffffff) % n;
  const bits = ["a", "b c", "\n", "\r\n", "\n\n", "{==", "==}", "{>>", "<<}", "{++", "++}", "{--", "--}", "{~~", "~>", "~~}", "`", "```\n", "- ", "| ", "\\", "{", "}", "ə", "é", "    ", "# ", "👩‍🚒"];
  const text = () => Array.from({ length: rnd(24) }, () => bits[rnd(bits.length)]).join("");
  const gone = (before: string, edits: Edit[]) => {
    let at = 0, rest = "", cut = "";
    for (const e of edits) {
      assert.ok(e.from >= at && e.to >= e.from, "in order, apart");
      rest += before.slice(at, e.from);
      cut += before.slice(e.from, e.to);
      at = e.to;
    }
    return { rest: rest + before.slice(at), cut };
  };
  let put = 0;
  for (let i = 0; i < 20_000; i++) {
    const t = text(), marks = marksIn(t), all = notesIn(t, marks);
    for (const m of marks) {
      assert.ok(m.from < m.inner.from && m.inner.from <= m.inner.to && m.inner.to < m.to);
      for (const n of marks) assert.ok(n === m || n.to <= m.from || m.to <= n.from || (n.from >= m.inner.from && n.to <= (m.now?.to ?? m.inner.to)) || (m.from >= n.inner.from && m.to <= (n.now?.to ?? n.inner.to)), "no two cross");
      const within = (e: Edit) => e.from >= m.from && e.to <= m.to && e.insert === "";
      assert.ok(keep(m).every(within) && drop(m).every(within));
      const left = (edits: Edit[]) => edited(t, edits).slice(m.from, edited(t, edits).length - (t.length - m.to));
      const inner = t.slice(m.inner.from, m.inner.to), now = m.now ? t.slice(m.now.from, m.now.to) : "";
      if (m.kind === "add") assert.deepEqual([left(keep(m)), left(drop(m))], [inner, ""]);
      if (m.kind === "del") assert.deepEqual([left(keep(m)), left(drop(m))], ["", inner]);
      if (m.kind === "sub") assert.deepEqual([left(keep(m)), left(drop(m))], [now, inner]);
    }
    for (const n of all) assert.match(gone(t, done(n, all)).cut, /^(?:\{==)?(?:==\})?\{>>[\s\S]*<<\}$/);
    const from = rnd(t.length + 1), edits = comment(t, marks, { from, to: Math.min(t.length, from + rnd(12)) }, text());
    if (edits === null) continue;
    put++;
    const { rest, cut } = gone(t, edits);
    assert.deepEqual([rest, cut], [t, ""]);
    // Done is its undo.
    const then = edited(t, edits), now = notesIn(then, marksIn(then)), mine = now.find((n) => n.mark.from === edits[1]!.from + "{====}".length)!;
    assert.equal(edited(then, done(mine, now)), t);
  }
  assert.ok(put > 2000, String(put));
});

// What grows with the square of a text takes minutes here.
test("a megabyte is read at once", { timeout: 60_000 }, () => {
  const text = "Words that are only words, and `code` too, in a line.\n\n".repeat(18_000) + "{==a==}{>>b<<}";
  assert.equal(marksIn(text).length, 2);
  assert.equal(marksIn("{== {++ {-- {~~ ` `` ".repeat(20_000)).length, 0);
});

test("code is found by its lines", () => {
  const code = (text: string) => codeIn(text).map((r) => text.slice(r.from, r.to));
  assert.deepEqual(code("a\n```js\nb\n```\nc\n~~~\nd"), ["```js\nb\n```", "~~~\nd"]);
  assert.deepEqual(code("---\na: b\n---\nc"), ["---\na: b\n---"]);
  assert.deepEqual(code("əəəcontrol/v1\na\nəəə\nb"), ["əəəcontrol/v1\na\nəəə"]);
  assert.deepEqual(code("a\n\n    b\n    c\n\n- d\n\n    e\n"), ["    b\n    c"]);
  assert.deepEqual(code("a `b` c"), []);
});

test("all comments are one message, each with its passage", () => {
  const say = (text: string) => {
    const m = sayComments(text);
    return m && { prompt: m.prompt, on: m.on.map((r) => text.slice(r.from, r.to)) };
  };
  assert.equal(say("no comment, {==a passage==} alone and {>> <<}"), null);
  assert.deepEqual(say("a {==b==}{>>c<<} d"), { prompt: "c", on: ["b"] });
  assert.deepEqual(say("a line{>>c<<} here  \nnext {--x--}{>>why<<}, {====}{>>empty<<}"), { prompt: "My comments, one for each of the 3 passages, in their order:\n\n1. c\n2. why\n3. empty", on: ["a line{>>c<<} here", "{--x--}", "{>>empty<<}"] });
  const many = say(Array.from({ length: 52 }, (_, i) => `{==p${i}==}{>>w${i}<<}`).join("\n\n"))!;
  assert.equal(many.on.length, 50);
  assert.ok(many.prompt.includes("\n50. w49\n51. Line 101, “p50”: w50\n52. Line 103, “p51”: w51"));
  assert.deepEqual(say("{==e\u0301==}{>>x<<}")!.on, ["e\u0301"]);
});

test("a comment cuts no mark of markdown, nor ends one", () => {
  const at = (text: string, from: number, to: number) => comment(text, [], { from, to }, "c", [{ from: 2, to: 9, inner: { from: 4, to: 7 } }]);
  const put = (text: string, from: number, to: number) => edited(text, at(text, from, to)!);
  assert.equal(put("a **bcd** e", 0, 5), "{==a **bcd**==}{>>c<<} e");
  assert.equal(put("a **bcd** e", 6, 11), "a {==**bcd** e==}{>>c<<}");
  assert.equal(put("a **bcd** e", 3, 5), "a {==**bcd**==}{>>c<<} e");
  assert.equal(put("a **bcd** e", 4, 6), "a **{==bc==}{>>c<<}d** e");
  assert.equal(put("a **bcd** e", 4, 7), "a **{==bcd==}{>>c<<}** e");
  assert.equal(put("a **bcd**es", 5, 7), "a {==**bcd**==}{>>c<<}es");
});

test("a comment that was written once more, on the same words, is not one that was sent", () => {
  const one = "{==a==}{>>why?<<} b", two = "{==a==}{>>why?<<} b {==a==}{>>why?<<}", none = "a b";
  const left = (text: string, sent: string[]) => sayComments(text, sent)?.on.map((r) => r.from) ?? [];
  const sent = sentKeys(one);
  assert.deepEqual([left(one, sent), left(two, sent), left(two, [])], [[], [23], [3, 23]]);
  assert.deepEqual(withoutNew(sent, one, two), sent);
  assert.deepEqual(left(one, withoutNew(sent, none, one)), [3], "the first was done, and is written anew");
  assert.deepEqual(withoutNew(sent, one, `${one} {==c==}{>>d<<}`), sent);
});
