import { presentableDiff } from "@codemirror/merge";
import { ChangeSet, Text, type ChangeSpec } from "@codemirror/state";
import type { Answer, Lines } from "../text/versions.ts";
import type { Mine, Sent } from "./mine.ts";

/** Rebased is the human's text with another version of the file merged into it; where both changed the same words it has the human's. */
export interface Rebased extends Step {
  /** the other version */
  base: Text;
  /** what an answer then makes of the human's words; null where they stay */
  choice: Step | null;
  /** what of the other version the human's text had not */
  lines: Lines;
}

/** Step leads to the next text: by changes from the one before, and by mine from the other version. */
export interface Step { changes: ChangeSet; mine: ChangeSet }

interface Change { from: number; to: number; insert: Text }
interface Region { from: number; to: number }

/** diff returns the changes from one text to another. */
export function diff(a: Text, b: Text): ChangeSet {
  // The limits keep two wholly different texts of 1 MB under 200 ms; past them the diff is coarser, never wrong.
  const changes = presentableDiff(a.toString(), b.toString(), { scanLimit: 500, timeout: 200 });
  return ChangeSet.of(changes.map((c) => ({ from: c.fromA, to: c.toA, insert: b.slice(c.fromB, c.toB) })), a.length);
}

/**
 * within reports whether a version of the file has all that was sent, so that its writer
 * went on from there. Where that is not certain it is false: of what is merged as another
 * writer's nothing is lost, though a word may stand there twice.
 */
function within(base: Text, sent: Sent, theirs: Text): boolean {
  if (sent.before.empty) return false;
  if (sent.doc.eq(theirs)) return true;
  const mine = listed(base, sent.before).map((c) => ({ ...c, at: sent.before.mapPos(c.from, -1), gone: base.sliceString(c.from, c.to) }));
  return listed(sent.doc, diff(sent.doc, theirs)).every((t) => {
    const gone = sent.doc.sliceString(t.from, t.to), come = t.insert.toString();
    return mine.every((m) => {
      const end = m.at + m.insert.length;
      if (m.gone === "" && gone === "") return t.from <= m.at || t.from >= end;
      // What is taken out, or put back, may be of a place beside it that reads alike.
      const back = alike(gone, m.insert.toString()) || alike(come, m.gone);
      return !back && (t.to < m.at || t.from > end);
    });
  });
}

// Reports whether two pieces of text have a word, or a line break, in common.
function alike(a: string, b: string): boolean {
  const words = new Set(a.match(/\n|\S+/g));
  return (b.match(/\n|\S+/g) ?? []).some((w) => words.has(w));
}

/** rebaseMine is rebase of what the human changed. What was written although nothing was heard of it is no other writer's. */
export function rebaseMine(m: Mine, theirs: Text, answer?: Answer): Rebased | null {
  const own = m.sent.findLast((s) => within(m.base, s, theirs));
  return own ? rebase(own.doc, own.since, theirs, answer) : rebase(m.base, m.changes, theirs, answer);
}

/**
 * rebase merges another version of the file into the human's text, which is base with
 * `mine` applied. It returns null where both changed the same words and no answer is
 * given. An answer holds for whole lines: what is chosen is what was shown.
 */
export function rebase(base: Text, mine: ChangeSet, theirs: Text, answer?: Answer): Rebased | null {
  const now = mine.apply(base);
  const T = diff(base, theirs);
  const all = { t: listed(base, T), m: listed(base, mine) };
  const same = (c: Change, others: Change[]) => others.some((o) => o.from === c.from && o.to === c.to && o.insert.eq(c.insert));
  const t = all.t.filter((c) => !same(c, all.m));
  const m = all.m.filter((c) => !same(c, all.t));
  const before = new Set<Change>(), after = new Set<Change>();
  const clashes: Region[] = [];
  for (const x of t) for (const y of m) {
    const order = orderOf(base, x, y);
    if (order === "before") before.add(x);
    if (order === "after") after.add(x);
    if (order === "clash" || (before.has(x) && after.has(x))) clashes.push({ from: Math.min(x.from, y.from), to: Math.max(x.to, y.to) });
  }
  const regions = wholeLines(base, clashes, [...t, ...m]);
  if (regions.length > 0 && answer === undefined) return null;
  const outside = (c: Change) => !regions.some((r) => c.from <= r.to && c.to >= r.from);
  const set = (list: Change[]) => ChangeSet.of(list as ChangeSpec[], base.length);
  const first = set(t.filter((c) => outside(c) && before.has(c)));
  const last = set(t.filter((c) => outside(c) && !before.has(c))).map(first);
  const own = set(m.filter(outside));

  // Theirs over mine, and mine over theirs; both lead to the same text.
  const overMine = first.map(mine, true);
  const changes = overMine.compose(last.map(mine.map(first), false));
  const rest = set(all.t.filter((c) => !before.has(c) || !outside(c))).map(first);
  const mineOver = own.map(first).map(rest, true);

  const my = regions.map((r) => now.slice(mine.mapPos(r.from, -1), mine.mapPos(r.to, 1)));
  const their = regions.map((r) => theirs.slice(T.mapPos(r.from, -1), T.mapPos(r.to, 1)));
  const settled = (over: ChangeSet, doc: Text, text: Text[]) =>
    ChangeSet.of(regions.map((r, i) => ({ from: over.mapPos(r.from, -1), to: over.mapPos(r.to, 1), insert: text[i]! })), doc.length);
  const overTheirs = (text: Text[]) => mineOver.compose(settled(T, theirs, text).map(mineOver));
  const text = answer === "both" ? my.map((m, i) => both(m, their[i]!)) : their;
  const out: Rebased = {
    changes,
    mine: overTheirs(my),
    base: T.apply(base), // it shares what it can with the text, so that the two are compared at once
    choice: regions.length === 0 || answer === "mine" ? null : { changes: settled(mine, now, text).map(changes), mine: answer === "both" ? overTheirs(text) : mineOver },
    lines: countLines(base, t),
  };
  // A merge that does not come to the same text from both sides is not offered as one.
  const merged = changes.apply(now);
  const agree = merged.eq(out.mine.apply(theirs)) && (out.choice === null || out.choice.changes.apply(merged).eq(out.choice.mine.apply(theirs)));
  if (!agree) return answer === undefined ? null : whole(now, theirs, answer, out.lines);
  return out;
}

// Settles the whole text by the answer.
function whole(now: Text, theirs: Text, answer: Answer, lines: Lines): Rebased {
  const to = (a: Text, b: Text) => ChangeSet.of({ from: 0, to: a.length, insert: b }, a.length);
  const result = answer === "both" ? both(now, theirs) : theirs;
  const choice = answer === "mine" ? null : { changes: to(now, result), mine: to(theirs, result) };
  return { changes: ChangeSet.empty(now.length), mine: to(theirs, now), base: theirs, choice, lines };
}

function both(my: Text, their: Text): Text {
  if (my.length === 0 || their.length === 0) return my.append(their);
  return my.append(Text.of(["", ""])).append(their);
}

// Returns the changes of a set, each without what it removes and puts back at its ends.
function listed(base: Text, set: ChangeSet): Change[] {
  const out: Change[] = [];
  set.iterChanges((from, to, _b, _e, insert) => {
    const a = base.sliceString(from, to), b = insert.toString();
    const most = Math.min(a.length, b.length);
    let head = 0, tail = 0;
    while (head < most && a[head] === b[head]) head++;
    while (tail < most - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail++;
    if (head === a.length && head === b.length) return;
    out.push({ from: from + head, to: to - tail, insert: insert.slice(head, b.length - tail) });
  }, true);
  return out;
}

// Returns where theirs stands from mine where the two meet, and whether they clash: their
// ranges share a letter, or they meet without a line break between them.
function orderOf(base: Text, t: Change, m: Change): "away" | "before" | "after" | "clash" {
  if (t.to < m.from || m.to < t.from) return "away";
  if (t.to === m.from && apart(base, t, m, t.to)) return "before";
  if (m.to === t.from && apart(base, m, t, m.to)) return "after";
  return "clash";
}

// Reports whether a line break stands between two changes that meet at a position.
function apart(base: Text, first: Change, second: Change, at: number): boolean {
  const line = base.lineAt(at);
  const lineStart = (p: number) => base.lineAt(p).from === p;
  const lineEnd = (p: number) => base.lineAt(p).to === p;
  if (at === line.from && (first.insert.length === 0 ? lineStart(first.from) : first.insert.line(first.insert.lines).length === 0)) return true;
  return at === line.to && (second.insert.length === 0 ? lineEnd(second.to) : second.insert.lines > 1 && second.insert.line(1).length === 0);
}

// Widens regions to whole lines until no change of either side touches one and stands outside of it.
function wholeLines(base: Text, clashes: Region[], changes: Change[]): Region[] {
  const out: Region[] = [];
  for (const c of clashes) {
    let r: Region = { from: base.lineAt(c.from).from, to: base.lineAt(c.to).to };
    for (let grown = true; grown;) {
      grown = false;
      for (const o of [...changes, ...out]) {
        if (o.from > r.to || o.to < r.from || (o.from >= r.from && o.to <= r.to)) continue;
        r = { from: Math.min(r.from, base.lineAt(o.from).from), to: Math.max(r.to, base.lineAt(o.to).to) };
        grown = true;
      }
    }
    for (let i = out.length; i-- > 0;) if (out[i]!.from <= r.to && out[i]!.to >= r.from) out.splice(i, 1);
    out.push(r);
  }
  return out.sort((a, b) => a.from - b.from);
}

/** linesOf counts the lines of a text that changes add, remove and change. */
export function linesOf(base: Text, changes: ChangeSet): Lines { return countLines(base, listed(base, changes)); }

function countLines(base: Text, changes: Change[]): Lines {
  const out = { added: 0, removed: 0, changed: 0 };
  const touched = new Set<number>();
  for (const c of changes) {
    const breaks = c.insert.lines - 1, gone = base.lineAt(c.to).number - base.lineAt(c.from).number;
    const edge = base.lineAt(c.from).from === c.from || base.lineAt(c.to).to === c.to;
    if (c.from === c.to && breaks > 0 && edge) out.added += breaks;
    else if (c.insert.length === 0 && gone > 0 && edge) out.removed += gone;
    else {
      if (!touched.has(base.lineAt(c.from).number)) out.changed += Math.max(breaks, gone) + 1;
      touched.add(base.lineAt(c.from).number).add(base.lineAt(c.to).number);
    }
  }
  return out;
}
