import { test } from "node:test";
import assert from "node:assert/strict";
import type { Call, FileChange, Section } from "../../src/types.ts";
import { allowWords, offersFor } from "../../src/text/allow.ts";
import { callKey } from "../../src/text/callkey.ts";
import { allows, commonFolder, controlText, readControl, tryText } from "../../src/text/control.ts";
import { questionOf } from "../../src/text/file.ts";
import { itemsOf } from "../../src/text/items.ts";
import { outcomeOf } from "../../src/text/outcome.ts";
import { neverRuled, standingAllows } from "../../src/text/standing.ts";
import { lasting, shownOf, triedWords, type Side } from "../../src/text/tried.ts";

const change = (path: string, before?: string, after?: string, more: Partial<FileChange> = {}): FileChange => ({
  path, kind: before === undefined ? "added" : after === undefined ? "deleted" : "changed", type: "file", bytes: 10, ...(before === undefined ? {} : { before }), ...(after === undefined ? {} : { after }), ...more,
});
const tried = (changes: FileChange[], more: Partial<Call> = {}): Call => ({ id: "c1", tool: "run_command", input: {}, inputText: '{"command":"make"}', sha256: "ab".repeat(32), effect: { sha256: "cd".repeat(32), changes, exitCode: 0, stdout: "", stderr: "" }, ...more });
/** What each hash stands for is its text. */
const read = (c: FileChange, side: "before" | "after"): Side => ({ is: "text", text: c[side]! });
const words = (changes: FileChange[], side = read, more: Partial<Call> = {}) => shownOf(tried(changes, more), side).map((s) => ("words" in s ? `${s.is}: ${s.words}` : `${s.is}: ${s.part.label}`));
const folder = (at: string, n: number) => Array.from({ length: n }, (_, i) => change(`${at}/f${i}`, undefined, "x"));

test("what a command did is one sentence", () => {
  const said = (n: [number, number, number], exitCode: number, more: FileChange[] = []) => triedWords({ sha256: "", exitCode, stdout: "", stderr: "", changes: [...Array<FileChange>(n[0]).fill(change("a", "x", "y")), ...Array<FileChange>(n[1]).fill(change("b", undefined, "y")), ...Array<FileChange>(n[2]).fill(change("c", "x")), ...more] });
  assert.equal(said([3, 0, 1], 0), "It changed 3 files and removed one; it ended well, exit 0.");
  assert.equal(said([1, 2000, 2], 2), "It changed one file, made 2,000 and removed 2; it ended with an error, exit 2.");
  assert.equal(said([0, 1, 0], 0), "It made one new file; it ended well, exit 0.");
  assert.equal(said([1, 0, 1], 0, [change("d", undefined, "z"), change("e", "z")]), "It changed one file, moved one and removed one; it ended well, exit 0.");
  assert.equal(said([0, 0, 2], -1), "It removed 2 files; it was ended before it was through.");
  assert.equal(said([0, 0, 0], 0, [change("d", undefined, undefined, { type: "folder" })]), "It made or removed one folder; it ended well, exit 0.");
});

test("each file is shown as what it is", () => {
  assert.deepEqual(words([change("deed/a", "x", "y"), change("deed/b", undefined, "y"), change("deed/c", "x"), change("deed/e", undefined, "")]), ["part: deed/a: changed", "part: deed/b: new", "part: deed/c: removed", "words: deed/e: new, empty"]);
  assert.deepEqual(words([change("deed/l", undefined, "../x", { type: "link" })]), ["part: deed/l: a link; this is where it leads"]);
  assert.deepEqual(words([change("deed/s", "x", "x", { mode: "755" }), change("deed/t", "x", "x", { mode: "644" }), change("deed/u", undefined, "x", { mode: "777" })]), ["words: deed/s: may now be run as a program", "words: deed/t: may not be run as a program any more", "part: deed/u: new, may be run as a program, anybody on this computer may write to it"]);
  assert.deepEqual(words([change("deed/d", undefined, undefined, { type: "folder", kind: "added" }), change("deed/f", undefined, undefined, { type: "folder", kind: "added" }), change("deed/f/x", undefined, "x")]), ["words: deed/d: a new folder, empty", "part: deed/f/x: new"]);
  assert.deepEqual(words([change("deed/a\nb\tc", undefined, "")]), ["words: deed/a\\nb\\tc: new, empty"]);
  const is = (s: Side) => words([change("deed/a", "x", "y")], () => s);
  assert.deepEqual(is({ is: "reading" }), ["reading: deed/a is being read."]);
  assert.deepEqual(is({ is: "failed" }), ["failed: deed/a could not be read. Nothing was decided."]);
  assert.deepEqual(is({ is: "large" }), ["unseen: deed/a: changed, 10 bytes, not shown"]);
  assert.deepEqual(is({ is: "data", bytes: 7 }), ["words: deed/a: changed, 7 bytes before, 7 bytes now, no text, so not shown"]);
  assert.deepEqual(is({ is: "picture", picture: new Blob(["x"]) }), ["pictures: deed/a: changed, before and now"]);
  assert.deepEqual(words([change("deed/a", "x", "y")], (_, side) => (side === "before" ? { is: "picture", picture: new Blob(["xx"]) } : { is: "text", text: "y" })), ["words: deed/a: changed, 2 bytes before, 1 byte now, no text, so not shown"]);
  assert.deepEqual(words([change("deed/long", undefined, "x\n".repeat(401))]), ["unseen: deed/long: new, 10 bytes, not shown"]);
});

test("what is lost is told in words: a file that holds nothing any more, and how much of a long one went", () => {
  const long = "x\n".repeat(401);
  assert.deepEqual(words([change("deed/a", "x", ""), change("deed/b", long, ""), change("deed/c", "y\n", long), change("deed/d", `${long}a\n`, "b\n")]), ["part: deed/a: changed, now empty", "unseen: deed/b: changed, now empty, 401 lines removed, not shown", "unseen: deed/c: changed, 401 lines added and 1 line removed, not shown", "unseen: deed/d: changed, 1 line added and 402 lines removed, not shown"]);
});

test("a file under another name is one line, and is not read", () => {
  const unread = () => assert.fail("it was read");
  assert.deepEqual(words([change("deed/01-cover.png", undefined, "m"), change("deed/map.png", "m")], unread), ["words: deed/map.png: moved to deed/01-cover.png, otherwise as it was"]);
  assert.deepEqual(words([change("deed/a", "m"), change("deed/b", undefined, "m", { mode: "755" }), change("deed/c", undefined, "m")]), ["words: deed/a: moved to deed/b, otherwise as it was, may be run as a program", "part: deed/c: new"]);
  assert.deepEqual(words([change("deed/a", "m", undefined, { type: "link" }), change("deed/b", undefined, "m", { type: "link" })]).length, 2);
});

test("a folder with many files is one line, as deep as little else stands above it", () => {
  assert.deepEqual(words(folder("deed/src", 12)).length, 12);
  assert.deepEqual(words([...folder("deed/src", 13), change("deed/src/old", "x", "y")]), ["part: deed/src/old: changed", "unseen: 13 new files of deed/src, 130 bytes, not shown"]);
  assert.deepEqual(words([...folder("deed/web/node_modules/a", 20), ...folder("deed/web/node_modules/b", 20), change("deed/web/node_modules/.lock", "x", "y"), change("deed/web/package.json", undefined, "x")]), ["part: deed/web/package.json: new", "unseen: 41 new and changed files of deed/web/node_modules, 410 bytes, not shown"]);
  assert.deepEqual(words([change("deed/.git/index", "x", "y"), change("deed/.git/logs", undefined, undefined, { type: "folder" })]), ["unseen: 1 changed file of deed/.git, 10 bytes, not shown"]);
  assert.deepEqual(words(Array.from({ length: 60 }, (_, i) => folder(`deed/site/lib/m${i}`, 50)).flat()), ["unseen: 3,000 new files of deed/site/lib, 30.0 kB, not shown"]);
  const most = Array.from({ length: 62 }, (_, i) => change(`deed/a${i}`, "x", "y"));
  const shown = shownOf(tried(most), read);
  assert.equal(shown.length, 61);
  assert.deepEqual(shown.at(-1), { is: "unseen", key: "unseen/", words: "2 more files, 20 bytes, not shown", names: ["deed/a60", "deed/a61"] });
});

test("every change is shown, named in a line that opens, or told to stay", () => {
  const all = [...folder("deed/a/b", 30), ...folder("deed/a/c", 5), ...folder("deed/.git/objects", 3), ...Array.from({ length: 80 }, (_, i) => change(`deed/m${i}`, "x", "y")), change("deed/a/b/f31", "x", "y")];
  const shown = shownOf(tried(all, { target: { conflicts: [{ path: "deed/m1" }] } as Call["target"] }), read);
  const told = shown.flatMap((s) => (s.is === "unseen" && s.names.length > 0 ? s.names : [s.key.replace(/^\w+\//, "")]));
  assert.deepEqual(told.sort(), all.map((c) => c.path).sort());
});

test("what somebody changed meanwhile stays, and is not read", () => {
  assert.deepEqual(words([change("deed/a", "x", "y")], () => assert.fail("it was read"), { target: { conflicts: [{ path: "deed/a" }] } as Call["target"] }), ["words: deed/a stays as it is now: somebody changed it meanwhile, so what the command made of it is not kept."]);
});

test("what Undo will not take back whole is told before it is allowed", () => {
  const words = "This is more than 200 files: once it is allowed, Undo can’t take it back as a whole.";
  const many = folder("deed/a", 200), one = change("deed/b", "x", "y");
  const of = (changes: FileChange[], conflicts: string[] = []) => lasting(tried(changes, { target: { conflicts: conflicts.map((path) => ({ path })) } as Call["target"] }));
  assert.equal(of([...many, one]), words);
  assert.equal(of(many), "");
  assert.equal(of([...many, one], ["deed/b"]), ""); // it stays
  assert.equal(of([...many, change("deed/.git/index", "x", "y"), change("deed/d", undefined, undefined, { type: "folder" })]), ""); // neither is named
  assert.equal(of([...many, change("deed/l", undefined, "x", { type: "link" })]), words);
});

test("an approval names what was shown: the input and the effect", () => {
  const call = tried([change("deed/ch1/a", "x", "y")], { target: { conflicts: [] } as unknown as Call["target"] });
  assert.equal(controlText([{ call, verdict: "approve" }]).split("\n")[1], `c1 approve sha256:${"ab".repeat(32)} effect:${"cd".repeat(32)}`);
  assert.equal(questionOf(call, "bwrap"), "Keep what this command changed?");
  assert.notEqual(callKey(call), callKey({ ...call, effect: { ...call.effect!, sha256: "ef".repeat(32) } }));
});

test("always is for the one folder that holds all of it", () => {
  const of = (...paths: string[]) => commonFolder(paths.map((path) => (path.endsWith("/") ? { path: path.slice(0, -1), type: "folder" } : { path, type: "file" })));
  assert.equal(of("deed/ch1/a", "deed/ch1/b/c"), "deed/ch1/");
  assert.equal(of("deed/ch1/a", "deed/ch10/a"), "");
  assert.equal(of("deed/a/b/c", "deed/a/b/d"), "deed/a/b/");
  assert.equal(of("deed/ch1/", "deed/ch1/a"), "deed/ch1/");
  assert.equal(of("deed/ch1/a/", "deed/ch1/b/"), "deed/ch1/");
  for (const paths of [["deed/a"], ["deed/a", "deed/b/c"], ["deed/a/", "deed/b/c"], []]) assert.equal(of(...paths), "", paths.join());
  const call = tried([change("deed/ch1/a", "x", "y"), change("deed/ch1/b/c", "x")]);
  assert.deepEqual(offersFor(call), [{ subject: "run_command deed/ch1/", words: "Always allow changes below deed/ch1/ in this dialog" }]);
  assert.deepEqual(offersFor(tried([change("deed/a", "x", "y")])), []);
  assert.deepEqual(["run_command deed/ch1/", "run_command deed/", "run_command", "run_command deed/ch1/b/", "edit_file deed/ch1/"].map((a) => allows(a, call)), [true, true, true, false, false]);
  assert.equal(allows("run_command deed/", { tool: "run_command", input: {} }), false);
});

test("the fourth verb stands in the dialog until another of run_command", () => {
  const auth = (text: string) => ({ role: "Authorization", id: "a", time: "", payloads: [{ type: "control/v1", text }] }) as unknown as Section;
  assert.equal(tryText(), "əəəcontrol/v1\ntry run_command\nəəə");
  assert.deepEqual(readControl("try run_command\ntry edit_file\ntry run_command deed/\nallow run_command deed/a/"), [{ kind: "tool", verb: "try", tool: "run_command", folder: "" }, { kind: "tool", verb: "allow", tool: "run_command", folder: "deed/a/" }]);
  assert.deepEqual(standingAllows([auth("try run_command"), auth("allow run_command deed/a/")]), ["try run_command", "run_command deed/a/"]);
  assert.deepEqual(standingAllows([auth("try run_command"), auth("ask run_command")]), []);
  assert.deepEqual(["try run_command", "run_command deed/a/"].map(allowWords), ["commands, tried first: what they change asks", "changes by commands below deed/a/"]);
  assert.deepEqual([[], [auth("allow edit_file")], [auth("ask run_command")], [auth("try run_command")]].map(neverRuled), [true, true, false, false]);
});

test("a result tells what came of it", () => {
  const of = (r: object, status = "approved") => {
    const o = outcomeOf("run_command", '{"command":"x"}', { role: "Tool Result", id: "c", meta: { Status: status }, payloads: [{ type: "tool/result/json", text: JSON.stringify(r) }] } as unknown as Section);
    return [o.state, o.tried, ...o.left];
  };
  assert.deepEqual(of({ success: true, tried: true, changed: [{ path: "deed/a" }] }), ["done", "tried first, then allowed"]);
  assert.deepEqual(of({ success: true, tried: true, changed: [] }), ["done", "tried first: it changed nothing"]);
  assert.deepEqual(of({ success: false, error: "Denied by user", tried: true }, "denied"), ["denied", "tried first; you said no, and nothing of it was kept"]);
  assert.deepEqual(of({ success: false, tried: true, changed: [{ path: "deed/b" }], conflicts: [{ path: "deed/a" }], refused: [{ path: "deed/.git/hooks/x", why: "a hook of git runs by itself" }] }), ["failed", "tried first, then allowed", "deed/a was changed by somebody meanwhile: it stayed as it was.", "deed/.git/hooks/x was not kept: a hook of git runs by itself."]);
  assert.deepEqual(of({ success: true, changed: [] }), ["done", ""]);
});

test("the Note of what waits has no line of its own, that of a server has", () => {
  const note = (json: string) => ({ role: "Note", id: "n", time: "", meta: { Kind: "effect", Parent: "c1" }, payloads: [{ type: "note/markdown", text: "x" }, { type: "note/json", text: json }] }) as unknown as Section;
  assert.deepEqual(itemsOf([note('{"effect":{"sha256":"","changes":[]},"exitCode":0}')]), []);
  assert.equal(itemsOf([note('{"changed":[]}')]).length, 1);
});
