import { test } from "node:test";
import assert from "node:assert/strict";
import { clip, countLines, more } from "../../src/text/clip.ts";
import { Drafts, pick } from "../../src/text/draft.ts";
import { failureWords } from "../../src/text/failure.ts";
import { statusWords } from "../../src/text/refused.ts";
import { PROJECT_NAME, besideTitle, dialogName, docStem, escapeTitle, isDialog, isProject, modelName, namedBy, projectName } from "../../src/text/names.ts";
import { readRoute, writeRoute, type Route } from "../../src/text/route.ts";
import { bytes, clock, number, plural, seconds, since } from "../../src/text/time.ts";
import { wordCount } from "../../src/text/words.ts";

test("clip keeps whole lines and says what it leaves out", () => {
  const text = Array.from({ length: 232 }, (_, i) => `${i}`).join("\n") + "\n";
  const c = clip(text, 20, 10_000);
  assert.equal(c.shown.split("\n").length, 20);
  assert.equal(more(c), "212 more lines");
  assert.equal(clip("a\nb\n", 2, 100).moreChars, 0);
  assert.equal(more(clip("x".repeat(5000), 20, 4000)), "1,000 more characters");
  assert.equal(more(clip("a\nb", 1, 100)), "1 more line");
  // never half of a pair
  assert.equal(clip("a😀b", 9, 2).shown, "a");
  assert.deepEqual([countLines(""), countLines("a"), countLines("a\n"), countLines("a\n\n"), countLines("\n")], [0, 1, 1, 2, 1]);
});

test("names are shown as their writer gave them", () => {
  assert.equal(docStem("doc-main.md"), "main");
  assert.equal(docStem("notes.md"), "notes.md");
  assert.equal(dialogName("20260216-201100-read-vibey"), "read-vibey");
  assert.equal(isDialog("dialog-20260216-201100-read-vibey-waiting.md"), true);
  assert.equal(isDialog("dialog-notes.md"), false);
  assert.equal(modelName("gpt-5"), "gpt-5");
  assert.equal(modelName(""), "agent");
  assert.equal(modelName("welcome/dialog-20260101-000000-tour-done.md"), "recorded: tour");
});

test("a dialog is named by the first line of its message", () => {
  assert.equal(namedBy("Write the last light\n\nPlease."), "Write the last light");
  assert.equal(namedBy("\n---\n## 1. The `lamp` of **Ana**\nmore"), "1. The lamp of Ana");
  assert.equal(namedBy("- a list"), "a list");
  assert.equal(namedBy("2 * 3 * 4 and snake_case"), "2 * 3 * 4 and snake_case");
  assert.equal(namedBy("a\u202eb\tc"), "a b c");
  assert.equal(namedBy("```\n***"), "");
  assert.equal(namedBy(" \n "), "");
  assert.equal(namedBy("word ".repeat(30)), `${"word ".repeat(15)}word…`);
  assert.equal([...namedBy("ж".repeat(300))].length, 80);
});

test("a name stands beside a title only where it says something else", () => {
  const same: [string, string][] = [["Der Leuchtturm am Meer", "der-leuchtturm-am-meer"], ["灯台", "x1c9b65b5"], ["Kapitel 灯台", "kapitel-x1c9b65b5"], ["Über Öl & Größe", "ueber-oel-groesse"], ["U\u0308ber", "ueber"], ["Notes", "notes"], ["word ".repeat(30), "word-".repeat(10) + "wor"]];
  for (const [title, name] of same) assert.equal(besideTitle(title, name), "", title);
  const other: [string, string][] = [["Der Leuchtturm am Meer", "main"], ["Die Lampe", "die-lampe-2"], ["灯台", "x1c9b65b5-2"], ["Notes", "notes.md"], ["Привет", "privet"]];
  for (const [title, name] of other) assert.equal(besideTitle(title, name), name, title);
});

test("a title is a heading without marks of its own", () => {
  const as: [string, string][] = [
    ["[Draft] C# & co, snake_case, 2 * 3 > 5 ~/x", "[Draft] C# & co, snake_case, 2 * 3 > 5 ~/x"], ["*a*", "\\*a\\*"], ["_a_", "\\_a\\_"], ["a_b_c", "a_b_c"], ["[a](b)", "\\[a](b)"], ["<b>", "\\<b>"],
    ["&amp;", "\\&amp;"], ["C #", "C \\#"], ["##", "\\##"], ["a\\*", "a\\\\*"], ["a\\", "a\\"], ["C:\\me", "C:\\me"], ["`a`", "\\`a\\`"], ["~~a~~", "\\~\\~a\\~\\~"],
  ];
  for (const [title, markdown] of as) assert.equal(escapeTitle(title), markdown, title);
});

test("a project's name is one that the server takes", () => {
  for (const words of ["My game", "Ünter den Linden", "..x", "a/b\\c", "x".repeat(200)]) assert.match(projectName(words), PROJECT_NAME);
  assert.equal(projectName("  My  game "), "My-game");
  assert.equal(projectName("漢字"), "");
});

test("a route is its address", () => {
  const all: Route[] = [
    { at: "projects" },
    { at: "docs", project: "p", file: null },
    { at: "docs", project: "p", file: "doc-main.md" },
    { at: "dialogs", project: "p", dialog: null },
    { at: "dialogs", project: "p", dialog: "20260216-201100-x" },
  ];
  for (const r of all) assert.deepEqual(readRoute(writeRoute(r)), r);
  for (const hash of ["", "#", "#/", "#/nonsense", "#code=abc", "#/project/"]) assert.deepEqual(readRoute(hash), { at: "projects" });
  assert.deepEqual(readRoute("#/project/%zz/docs"), { at: "docs", project: "%zz", file: null });
});

test("times and sizes read well", () => {
  const now = new Date(2026, 1, 16, 20, 30);
  assert.equal(clock(new Date(2026, 1, 16, 9, 5).toISOString(), now), "09:05");
  assert.equal(clock(new Date(2026, 1, 14, 9, 5).toISOString(), now), "Feb 14, 09:05");
  assert.equal(clock("", now), "");
  assert.equal(clock("nonsense", now), "");
  const ago = (s: number) => since(new Date(now.getTime() - s * 1000).toISOString(), now);
  assert.deepEqual([ago(-5), ago(59), ago(60), ago(7300), ago(200_000)], ["now", "now", "1m", "2h", "2d"]);
  assert.deepEqual([seconds(12), seconds(4100), seconds(59_949), seconds(190_000)], ["12 ms", "4.1 s", "59.9 s", "3 m 10 s"]);
  assert.equal(number(1204), "1,204");
  assert.deepEqual([bytes(1), bytes(999), bytes(1200), bytes(2_500_000)], ["1 byte", "999 bytes", "1.2 kB", "2.5 MB"]);
  assert.deepEqual([plural(1, "line"), plural(2, "line"), plural(0, "reply", "replies")], ["1 line", "2 lines", "0 replies"]);
});

test("drafts outlive the tab, and a full storage harms nobody", () => {
  const map = new Map<string, string>();
  const store = { getItem: (k: string) => map.get(k) ?? null, setItem: (k: string, v: string) => void map.set(k, v), removeItem: (k: string) => void map.delete(k), keys: () => [...map.keys()] };
  const drafts = new Drafts(store);
  const draft = { etag: "e", base: "c\r\n", mine: [3], at: "t" };
  assert.deepEqual(drafts.read("p", "doc-main.md"), []);
  assert.equal(drafts.write("p", "doc-main.md", "T", draft), true);
  assert.equal(drafts.write("p", "doc-main.md", "U", draft), true);
  assert.deepEqual(new Drafts(store).read("p", "doc-main.md"), [{ ...draft, tab: "T" }, { ...draft, tab: "U" }]);
  assert.deepEqual(drafts.read("p2", "doc-main.md"), []);
  drafts.drop("p", "doc-main.md", "T");
  assert.deepEqual(drafts.read("p", "doc-main.md"), [{ ...draft, tab: "U" }]);
  map.set("vibey.draft/p/x.md/T", "{broken");
  assert.deepEqual(drafts.read("p", "x.md"), []);
  const full = new Drafts({ ...store, setItem: () => { throw new Error("quota"); } });
  assert.equal(full.write("p", "y.md", "T", draft), false);
});

test("a tab shows its own draft, or the newest that a closed one left", () => {
  const of = (tab: string, at: string) => ({ etag: "", base: tab + at, mine: null, at, tab });
  const all = [of("a", "1"), of("b", "3"), of("c", "2"), of("a", "4")];
  const shown = (tab: string, living: string[]) => {
    const { draft, more } = pick(all, tab, new Set(living));
    return [draft?.base, more];
  };
  assert.deepEqual(shown("c", ["c"]), ["c2", 2]);
  assert.deepEqual(shown("d", ["d"]), ["a4", 2]);
  assert.deepEqual(shown("d", ["d", "a"]), ["b3", 1]);
  assert.deepEqual(shown("d", ["a", "b", "c", "d"]), [undefined, 0]);
});

test("failures are told in plain words", () => {
  for (const kind of ["auth", "credit", "rate_limit", "busy", "too_long", "not_found", "bad_request", "network", "cut", "idle", "malformed"]) {
    assert.ok(!failureWords(kind, "raw").title.includes("raw"), kind);
  }
  assert.equal(failureWords("unheard", "its own words").title, "its own words");
  for (const s of [401, 404, 409, 413, 500, 418]) assert.ok(statusWords(s).endsWith(".") );
});

test("words are counted as a writer counts", () => {
  assert.equal(wordCount("# The lighthouse\n\nIt's a *toy*, no?"), 6);
  assert.equal(wordCount(""), 0);
  assert.equal(wordCount("A {==dark==}{>>How dark?\nVery?<<} night {>>open"), 4);
  assert.equal(wordCount("A {==dark==}{>>How dark?<<} night", true), 3);
  assert.ok(wordCount("こんにちは世界") > 0);
  for (const [text, n] of [
    ["[a link](https://example.org/a/b-c-d)", 2], ["[a](<b c> \"a title\") and [w](https://e.org/a_(b))", 3], ["![The lamp](files/0123-lamp%20two.png)", 2],
    ["Said[^1] and[^two].\n\n[^1]: Woolf.", 3], ["**bo**ld i*tal*ic ~~st~~ruck", 3], ["https://example.org/a/b-c-d and <https://e.org/x>", 3], ["5 * 6 = 30", 3],
  ] as const) for (const rough of [false, true]) assert.equal(wordCount(text, rough), n, `${text}, ${rough ? "rough" : "fine"}`);
});

test("a name that no project can have is known as such", () => {
  assert.deepEqual(["a", "my-book.2", "-x"].map(isProject), [true, true, true]);
  assert.deepEqual(["", "a b", "a/b", ".a", "a..b", "é", "x".repeat(101)].map(isProject), Array(7).fill(false));
});
