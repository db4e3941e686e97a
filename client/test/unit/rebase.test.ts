import { test } from "node:test";
import assert from "node:assert/strict";
import { history, isolateHistory, undo, undoDepth } from "@codemirror/commands";
import { ChangeSet, EditorState, Text, Transaction } from "@codemirror/state";
import { begin, chosen, isDirty, kept, mineField, rebased, saving } from "../../src/editor/mine.ts";
import { rebase, rebaseMine, type Rebased } from "../../src/editor/rebase.ts";
import type { Answer } from "../../src/text/versions.ts";

const doc = (s: string) => Text.of(s.split("\n"));

// Merges theirs into base with the edits [from, to, insert] of the human; null where they overlap.
function merge(base: string, edits: [number, number, string][], theirs: string, answer?: Answer): string | null {
  const mine = ChangeSet.of(edits.map(([from, to, insert]) => ({ from, to, insert: doc(insert) })), base.length);
  const r = rebase(doc(base), mine, doc(theirs), answer);
  if (r === null) return null;
  return settled(r, mine.apply(doc(base)), doc(theirs));
}

// Returns what a merge and its answer make of the human's text.
function settled(r: Rebased, now: Text, theirs: Text, name = ""): string {
  const merged = r.changes.apply(now);
  assert.equal(r.mine.apply(theirs).toString(), merged.toString(), `both ways lead to one text ${name}`);
  if (r.choice === null) return merged.toString();
  const out = r.choice.changes.apply(merged).toString();
  assert.equal(r.choice.mine.apply(theirs).toString(), out, `both ways lead to one answer ${name}`);
  return out;
}

test("edits elsewhere are merged, also in one line", () => {
  assert.equal(merge("one\ntwo\nthree", [[3, 3, "!"]], "one\ntwo\nthree\nfour"), "one!\ntwo\nthree\nfour");
  assert.equal(merge("the red light burns all night", [[4, 7, "blue"]], "the red light burns all day"), "the blue light burns all day");
});

test("two who write on at one place are merged where a line break stands between them", () => {
  assert.equal(merge("a", [[1, 1, "\nmine"]], "a\ntheirs"), "a\ntheirs\nmine");
  assert.equal(merge("a\n", [[2, 2, "mine"]], "a\ntheirs\n"), "a\ntheirs\nmine");
  assert.equal(merge("a", [[1, 1, " more"]], "a\ntheirs"), "a more\ntheirs");
  assert.equal(merge("a\nb", [[1, 1, "\nx"]], "b"), null);
});

test("an overlap is told, and each answer keeps what it says, of whole lines", () => {
  const args = ["top\nthe red light\nend", [[8, 11, "blue"], [21, 21, "!"]], "TOP\nthe green light\nend"] as [string, [number, number, string][], string];
  assert.equal(merge(...args), null);
  assert.equal(merge(...args, "mine"), "TOP\nthe blue light\nend!");
  assert.equal(merge(...args, "theirs"), "TOP\nthe green light\nend!");
  assert.equal(merge(...args, "both"), "TOP\nthe blue light\nthe green light\nend!");
  assert.equal(merge("a b", [[2, 3, ""]], "a c"), null);
});

test("undo takes back an answer, then what was typed before it, and never what the other wrote", () => {
  const base = "The light was away all night.\n\nThe second stays.\n\nEnd.\n", theirs = "The light was out all day.\n\nThe second stays.\n\nEnd, they say.\n";
  const early = "The second stays. EARLY", mine = "The light was far and away, MINE, all night.", their = "The light was out all day.";
  for (const [answer, first] of [["mine", mine], ["theirs", their], ["both", `${mine}\n${their}`]] as [Answer, string][]) {
    let state = EditorState.create({ doc: doc(base), extensions: [history(), mineField] });
    const back = () => assert.ok(undo({ state, dispatch: (tr) => (state = tr.state) }));
    const reads = (paragraphs: string[]) => assert.equal(state.doc.toString(), [...paragraphs, "End, they say.\n"].join("\n\n"), answer);
    for (const [at, insert] of [[48, " EARLY"], [14, "far and "], [26, ", MINE,"]] as [number, string][]) {
      state = state.update({ changes: { from: at, insert }, annotations: [Transaction.userEvent.of("input.type"), isolateHistory.of("full")] }).state;
    }
    const typed = undoDepth(state), own = state.field(mineField);
    const r = rebase(own.base, own.changes, doc(theirs), answer)!;
    state = state.update(rebased(r.changes, r.base, r.mine, [])).state;
    if (r.choice) state = state.update(chosen(r.choice.changes, r.base, r.choice.mine)).state;
    reads([first, early]);
    if (answer !== "mine") back();
    assert.equal(undoDepth(state), typed, answer);
    reads([mine, early]);
    assert.ok(isDirty(state));
    assert.equal(state.field(mineField).base.toString(), theirs, "the file's version is what mine stands on");
    back();
    back();
    reads(["The light was away all night.", early]);
    back();
    reads(["The light was away all night.", "The second stays."]);
  }
});

test("what both did alike is no overlap and comes once", () => {
  assert.equal(merge("a\nb", [[3, 3, "\nc"]], "a\nb\nc"), "a\nb\nc");
  assert.equal(merge("# \n\nSome words stay.", [[2, 2, "Title"]], "# Title\n\nSome words stay.\nMore."), "# Title\n\nSome words stay.\nMore.");
});

// A save of which nothing was heard, and what was typed since: what the file says next is merged, and the text returned.
function unheard(base: string, sent: [number, number, string][], since: [number, number, string][], theirs: (sent: string) => string): string | null {
  const steps = (list: [number, number, string][]) => list.map(([from, to, insert]) => ({ from, to, insert }));
  let state = EditorState.create({ doc: base, extensions: [mineField] });
  state = state.update({ changes: steps(sent) }).state;
  state = state.update(saving(state)).state;
  const file = doc(theirs(state.doc.toString()));
  state = state.update({ changes: steps(since) }).state;
  const { doc: again, init } = begin(doc(base), JSON.parse(JSON.stringify(kept(state.field(mineField))))); // a draft that is read again
  assert.ok(again.eq(state.doc));
  const r = rebaseMine(init, file);
  return r === null ? null : r.changes.apply(state.doc).toString();
}

test("a save of which nothing was heard is known again, and its words come once", () => {
  const cases: [string, [number, number, string][], [number, number, string][]][] = [
    ["# T\n\none\n\ntwo\n", [[8, 8, "\n\nmid"]], []],
    ["# T\n\none\n\ntwo\n", [[8, 8, "\n\nmid"]], [[13, 13, "\n\nmore"]]],
    ["# T\n\none\n\ntwo\n", [[8, 8, "\n\nmid"]], [[3, 3, "itle"]]],
    ["- [ ] a\n- [ ] b\n", [[7, 7, "\n- [ ] c"]], []],
    ["hel world", [[2, 2, "l"]], []],
    ["a", [[1, 1, " foo"]], [[5, 5, " bar"]]],
    ["- a\n- a\n- a\n", [[3, 3, "\n- a"]], [[0, 0, "x"]]],
    ["a\n\nb\n", [[1, 1, "\n"]], []],
    ["one two three", [[3, 7, ""]], [[0, 0, "x"]]],
  ];
  for (const [base, sent, since] of cases) {
    const now = ChangeSet.of(sent.map(([from, to, insert]) => ({ from, to, insert: doc(insert) })), base.length).apply(doc(base));
    const want = ChangeSet.of(since.map(([from, to, insert]) => ({ from, to, insert: doc(insert) })), now.length).apply(now).toString();
    assert.equal(unheard(base, sent, since, (s) => s), want);
    assert.equal(unheard(base, sent, since, (s) => `${s}\n\nNew.\n`), `${want}\n\nNew.\n`, "and another writer went on from it");
  }
});

test("a save that did not come through is no other writer's deletion", () => {
  assert.equal(unheard("one\n\ntwo\n", [[3, 3, "\n\nmid"]], [], () => "one\n\ntwo!\n"), "one\n\nmid\n\ntwo!\n");
  assert.equal(unheard("one two three", [[3, 7, ""]], [], () => "one two three!"), "one three!");
  assert.equal(unheard("- a\n- a\n- a\n", [[8, 8, "- a\n"]], [], () => "x\n- a\n- a\n- a\n"), "x\n- a\n- a\n- a\n- a\n");
  assert.equal(unheard("a\n\n\nb", [[2, 2, "\n"]], [], () => "a\n\n\nb!"), "a\n\n\n\nb!");
});

test("CR, a mark at the beginning and a missing last line break come through", () => {
  assert.equal(merge("\ufeffa\r\nb\r\nc", [[1, 2, "A"]], "\ufeffa\r\nb\r\nc\r\nd"), "\ufeffA\r\nb\r\nc\r\nd");
});

test("the lines that another writer added, removed and changed are counted", () => {
  const lines = (a: string, b: string) => rebase(doc(a), ChangeSet.empty(a.length), doc(b))!.lines;
  assert.deepEqual(lines("a\nb\n", "a\nb\nc\nd\n"), { added: 2, removed: 0, changed: 0 });
  assert.deepEqual(lines("a\nb\nc\n", "a\nc\n"), { added: 0, removed: 1, changed: 0 });
  assert.deepEqual(lines("one two\nb\n", "one three\nb\n"), { added: 0, removed: 0, changed: 1 });
});

// mulberry32: the same rounds on every machine.
function random(seed: number): () => number {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

const tokens = (s: string) => s.split(/\s+/).filter(Boolean).sort();

/** edit changes words and lines of a text, all of them unlike any other; it returns the words that went and came. */
function edit(words: string[][], rnd: () => number, name: string): { gone: Set<string>; came: string[] } {
  const gone = new Set<string>(), came: string[] = [];
  for (let n = 1 + Math.floor(rnd() * 4); n-- > 0;) {
    const line = Math.floor(rnd() * words.length), at = Math.floor(rnd() * (words[line]!.length + 1));
    const word = `${name}${came.length}`;
    const what = rnd();
    if (what < 0.4) words[line]!.splice(at, 0, word);
    else if (what < 0.6) words.splice(line, 0, [word, `${word}x`]);
    else if (what < 0.8 && at < words[line]!.length) gone.add(words[line]!.splice(at, 1, word)[0]!);
    else if (words.length > 2) words.splice(line, 1)[0]!.forEach((w) => gone.add(w));
    else continue;
    if (what < 0.8) came.push(word);
    if (what >= 0.4 && what < 0.6) came.push(`${word}x`);
  }
  return { gone, came: came.filter((w) => words.some((l) => l.includes(w))) };
}

test("300 rounds: nothing of either writer is wiped, overlaps are told, undo takes back mine alone", () => {
  let merged = 0, told = 0;
  for (let seed = 1; seed <= 300; seed++) {
    const rnd = random(seed);
    let n = 0;
    const base = Array.from({ length: 6 + Math.floor(rnd() * 10) }, () => Array.from({ length: Math.floor(rnd() * 6) }, () => `w${n++}`));
    const copy = () => base.map((l) => l.slice());
    const text = (l: string[][]) => l.map((w) => w.join(" ")).join("\n");
    const their = copy();
    const t = edit(their, rnd, "t");
    let state = EditorState.create({ doc: doc(text(base)), extensions: [history(), mineField] });
    const my = copy();
    const m = edit(my, rnd, "m");
    // The human types word by word: the smallest change that leads there, in as many steps as there are changes.
    const steps = rebase(state.doc, ChangeSet.empty(state.doc.length), doc(text(my)))!.changes;
    const list: { from: number; to: number; insert: Text }[] = [];
    steps.iterChanges((from, to, _b, _e, insert) => list.push({ from, to, insert }), true);
    for (const c of list.reverse()) state = state.update({ changes: c, annotations: Transaction.userEvent.of("input.type") }).state;
    assert.equal(state.doc.toString(), text(my));

    const theirs = doc(text(their));
    const own = state.field(mineField);
    const r = rebase(own.base, own.changes, theirs);
    if (r === null) {
      told++;
      for (const answer of ["mine", "theirs", "both"] as Answer[]) {
        const one = rebase(own.base, own.changes, theirs, answer)!;
        const have = new Set(tokens(settled(one, state.doc, theirs, `seed ${seed} ${answer}`)));
        for (const w of [...(answer === "theirs" ? [] : m.came), ...(answer === "mine" ? [] : t.came)]) assert.ok(have.has(w), `seed ${seed}: ${answer} keeps ${w}`);
      }
      continue;
    }
    merged++;
    state = state.update(rebased(r.changes, theirs, r.mine, [])).state;
    const want = [...base.flat().filter((w) => !t.gone.has(w) && !m.gone.has(w)), ...t.came, ...m.came].sort();
    assert.deepEqual(tokens(state.doc.toString()), want, `seed ${seed}`);
    for (let i = 0; i < 40 && undo({ state, dispatch: (tr) => (state = tr.state) }); i++);
    // What both had removed comes back with mine.
    const left = tokens(state.doc.toString()).filter((w) => !(t.gone.has(w) && m.gone.has(w)));
    assert.deepEqual(left, tokens(text(their)), `seed ${seed}: undo leaves theirs`);
  }
  assert.ok(merged > 80 && told > 40, `merged ${merged}, told ${told}`);
});
