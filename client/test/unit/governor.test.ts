import { test } from "node:test";
import assert from "node:assert/strict";
import type { Governor, Section } from "../../src/types.ts";
import { budgetWords, ledgerWords, shortHash, stepsOf, stopTitle } from "../../src/text/governor.ts";
import { unknownWords } from "../../src/text/calls.ts";
import { itemsOf } from "../../src/text/items.ts";
import { checkIn, checkMessage, mailHTML, mailText, noteForm, pastStop, readCheckpoint, uncheckedWords } from "../../src/text/notes.ts";

const none = { in: 0, out: 0, total: 0, tools: 0, ms: 0 };
const sec = (role: Section["role"], id: string, text: string, meta: Record<string, string> = {}): Section => ({
  role, id, time: "2026-02-16T20:11:00Z - 2026-02-16T20:11:04Z", resources: none, meta, payloads: [{ type: role === "User" ? "input/markdown" : "note/markdown", text }],
});
const note = (meta: Record<string, string>, text = "text") => noteForm(sec("Note", "n", text, meta), text);
const g = (more: Partial<Governor> = {}): Governor => ({ intent: "", budget: { used: 14, limit: 40 }, ledger: { read: [], modified: [] }, covers: [], ...more });

test("the phases say what is past and where the turn stands; without phases there are none", () => {
  assert.deepEqual(stepsOf("execute").map((s) => `${s.word} ${s.at}`), ["Look past", "Propose past", "Make now", "Check later", "Report later"]);
  assert.deepEqual(stepsOf("final", true).map((s) => s.at), ["past", "past", "past", "left", "now"]);
  assert.deepEqual(stepsOf("final", false).map((s) => s.at), ["past", "past", "past", "past", "now"]);
  assert.deepEqual(stepsOf(undefined), []);
  assert.deepEqual(stepsOf("of a newer server"), []);
});

test("rounds are told once there are some", () => {
  assert.equal(budgetWords(g(), false), "14 of 40 steps");
  assert.equal(budgetWords(g({ budget: { used: 0, limit: 1 } }), true), "0 of 1 step");
  assert.equal(budgetWords(g({ budget: { used: 0, limit: 15 } }), false), "");
  assert.equal(budgetWords(g({ budget: { used: 0, limit: 0 } }), true), "");
});

test("the ledger counts, and says of a file without a hash that it is gone only where it was changed", () => {
  const file = { path: "a", sha256: "0123456789abcdef" };
  assert.equal(ledgerWords(g()), "");
  assert.equal(ledgerWords(g({ ledger: { read: [file, file], modified: [file] } })), "Files read 2 · changed 1");
  assert.equal(ledgerWords(g({ ledger: { read: [], modified: [file] } })), "Files changed 1");
  assert.equal(ledgerWords(g({ ledger: { read: [file], modified: [] } })), "Files read 1");
  assert.deepEqual([shortHash(file, true), shortHash({ path: "a", sha256: "" }, true), shortHash({ path: "a", sha256: "" }, false)], ["01234567", "deleted", ""]);
});

test("what an agent's session, an editor and a server leave is said in words", () => {
  assert.deepEqual(note({ Kind: "attached", To: "model" }), { form: "quiet", words: "Files that your editor put beside the message" });
  assert.deepEqual(note({ Kind: "session", Model: "codex", Session: "s" }), { form: "quiet", words: "codex began a session" });
  assert.equal(note({ Kind: "handover", To: "human" }).words, "New session");
  assert.equal(note({ Kind: "mcp", To: "human" }).words, "Tools");
});

test("mail says whose agent writes, and not what only the model is told of it", () => {
  const by = { Kind: "mail", To: "model", By: "20260216-201100-kid" };
  assert.deepEqual(note(by), { form: "mail", words: "Message from the agent of", from: "20260216-201100-kid" });
  assert.equal(note({ ...by, End: "done" }).words, "has finished. Its last words:");
  assert.equal(note({ ...by, End: "waiting" }).words, "stopped before it was finished. It said last:");
  assert.equal(mailText("[MAIL] From … nothing.\n\nLook.\n\n[MAIL] twice"), "Look.\n\n[MAIL] twice");
  assert.equal(mailText("Look."), "Look.");
  assert.equal(mailHTML("<p>[MAIL] From the agent <em>x</em>.</p>\n<p>Look.</p>\n<p>[MAIL] twice</p>"), "<p>Look.</p>\n<p>[MAIL] twice</p>");
  assert.equal(mailHTML(undefined), undefined);
});

test("a note is shown by what it is for", () => {
  for (const [meta, form, words] of [
    [{ Kind: "nudge", To: "model" }, "quiet", "Reminded the agent to say what it does"],
    [{ Kind: "warning", To: "model", Left: "3" }, "quiet", "Told the agent that 3 steps are left"],
    [{ Kind: "warning", To: "human" }, "plain", "Problem"],
    [{ Kind: "recovery", To: "model", Reason: "loop" }, "quiet", "Asked the agent to say what was really done"],
    [{ Kind: "gate", To: "model" }, "quiet", "Sent the answer back: what was changed is not checked yet"],
    [{ Kind: "mistake", To: "model" }, "quiet", "Told the agent to take another way: its calls kept failing"],
    [{ Kind: "mistake", To: "human", Stop: "mistakes" }, "stop", "Stopped: its calls kept failing"],
    [{ Kind: "mistake", To: "human", Failure: "api_error" }, "plain", "Problem"],
    [{ Kind: "loop", To: "human", Stop: "loop" }, "stop", "Stopped: it went in circles"],
    [{ Kind: "budget", To: "human", Stop: "budget" }, "stop", "Stopped: it used all its steps"],
    [{ Kind: "budget", To: "human", By: "human" }, "quiet", "You let it go on"],
    [{ Kind: "nudge", To: "model", By: "human" }, "quiet", "You let it go on"],
    [{ Kind: "unverified", To: "human" }, "mark", "Not checked"],
    [{ Kind: "unbacked", To: "human", Claims: "style.css was changed" }, "mark", "No result shows this: style.css was changed"],
    [{ Kind: "commit", To: "model", Sha: "abc123fdeadbeef" }, "commit", "Committed abc123f"],
    [{ Kind: "commit", To: "human", Reason: "timeout" }, "plain", "Not committed"],
    [{ Kind: "project", To: "human" }, "plain", "Project"],
    [{ Kind: "of a newer server", To: "model" }, "plain", "of a newer server"],
  ] as const) {
    assert.deepEqual(note(meta as Record<string, string>), { form, words }, JSON.stringify(meta));
  }
  assert.deepEqual(note({ Kind: "phase", To: "human", Phase: "recon" }, "Looking around"), { form: "divider", words: "Looking around" });
  assert.deepEqual(note({ Kind: "phase", To: "human", Phase: "checkpoint" }, "Agreeing on what to do"), { form: "divider", words: "Proposal made" });
  assert.deepEqual(itemsOf([sec("Note", "p", "Reporting", { Kind: "phase", Phase: "final" }), sec("Note", "q", "Looking around", { Kind: "phase", Phase: "recon" })]).map((i) => i.key), ["Note/q"]);
  assert.equal(pastStop("All 2 rounds are used. Press Continue for as many more, or say what you want next."), "All 2 rounds are used.");
  assert.deepEqual(note({ Kind: "nudge", To: "model" }, "[CONTINUE] Go on"), { form: "quiet", words: "Asked the agent to go on" });
  assert.equal(stopTitle("of a newer server"), "");
});

test("a claim without a result stands at its answer, and at no other turn's", () => {
  const all = [
    sec("User", "u1", "one"), sec("Assistant", "a1", "first"), sec("Assistant", "a2", "I changed style.css."), sec("Assistant", "a3", " "),
    sec("Note", "n1", "Unbacked", { Kind: "unbacked", Claims: "style.css was changed" }),
    sec("User", "u2", "two"), sec("Note", "n2", "Unbacked", { Kind: "unbacked", Claims: "x" }),
  ];
  const items = itemsOf(all);
  assert.deepEqual(items.map((i) => i.kind), ["user", "agent", "agent", "agent", "user", "note"]);
  assert.deepEqual(items.map((i) => (i.kind === "agent" ? (i.unbacked?.id ?? "") : "")), ["", "", "n1", "", "", ""]);
});

test("of two stops the last one stands, until a message or a Continue", () => {
  const stop = (id: string) => sec("Note", id, "stopped", { Kind: "budget", To: "human", Stop: "budget" });
  const stands = (all: Section[]) => itemsOf(all).filter((i) => i.kind === "note" && i.stands).map((i) => i.key);
  const go = sec("Note", "c", "on", { Kind: "budget", By: "human" });
  assert.deepEqual(stands([sec("User", "u1", "x"), stop("s1"), go, stop("s2"), sec("Assistant", "a", "honest")]), ["Note/s2"]);
  assert.deepEqual(stands([sec("User", "u1", "x"), stop("s1"), go]), []);
  assert.deepEqual(stands([sec("User", "u1", "x"), stop("s1"), sec("User", "u2", "y")]), []);
});

test("what is not checked says so, and can be asked for until a message came", () => {
  const mark = (id: string) => sec("Note", id, "Unverified", { Kind: "unverified" });
  const stands = (all: Section[]) => itemsOf(all).filter((i) => i.kind === "note" && i.stands).map((i) => i.key);
  assert.deepEqual(stands([sec("User", "u", "x"), mark("m1"), mark("m2")]), ["Note/m2"]);
  assert.deepEqual(stands([sec("User", "u", "x"), mark("m1"), sec("User", "v", "y")]), []);
  assert.equal(uncheckedWords("npm test"), "Files were changed, and the check did not succeed after that.");
  assert.equal(uncheckedWords(""), "Files were changed, and nothing checked them after that.");
  assert.equal(checkMessage("npm test"), "Please run the check now: `npm test`, and mend what it shows.");
  assert.doesNotMatch(checkMessage(""), /`/);
  assert.deepEqual([checkIn("no success of `go test ./...` since"), checkIn("no check")], ["go test ./...", ""]);
});

test("a tool that is not there is told once, with the name that was called", () => {
  const call = sec("Tool Request", "c1", "{}", { Tool: "invalid" });
  const named = sec("Note", "n", "The model called a tool that is not there: paint", { Kind: "mistake", Parent: "c1", Failure: "tool_not_found" });
  named.payloads!.push({ type: "note/json", text: '{"name":"paint"}' });
  const told = (all: Section[]) => itemsOf(all).map((i) => (i.kind === "tool" ? `tool ${i.unknown}` : i.kind));
  assert.deepEqual(told([call, named]), ["tool paint"]);
  assert.deepEqual(told([named]), ["note"], "without its call it is shown");
  assert.deepEqual(told([call, { ...named, payloads: named.payloads!.slice(0, 1) }]), ["tool ", "note"], "without the name it is shown");
  assert.equal(unknownWords("paint").object, "paint (there is no such tool)");
});

test("what a Summary stands for is within it, and the turns are counted", () => {
  const all = [
    sec("System", "s", "told"), sec("User", "u1", "one"), sec("Assistant", "a1", "1"), sec("User", "u2", "two"), sec("Tool Request", "c", "{}"), sec("Tool Result", "c", "{}"),
    sec("User", "u3", "three"), sec("Summary", "y1", "in short"),
  ];
  const items = itemsOf(all, "", [{ from: "u1", to: "c", by: "y1" }]);
  assert.deepEqual(items.map((i) => i.kind), ["aside", "summary", "user"]);
  const fold = items[1]!;
  assert.ok(fold.kind === "summary" && fold.first === 1 && fold.last === 2 && fold.text === "in short");
  assert.deepEqual(fold.items.map((i) => i.kind), ["user", "agent", "user", "tool"]);
  // Undone, or not read yet, it covers nothing.
  assert.deepEqual(itemsOf(all).map((i) => i.kind), ["aside", "user", "agent", "user", "tool", "user", "aside"]);
  assert.equal(itemsOf(all, "", [{ from: "u1", to: "gone", by: "y1" }]).length, 7);
});

test("a checkpoint is read where it is one", () => {
  assert.deepEqual(readCheckpoint('{"goal":"g","findings":"f","proposal":"p"}'), { goal: "g", findings: "f", proposal: "p" });
  for (const bad of ["", "null", "{}", '{"goal":1,"findings":"f","proposal":"p"}']) assert.equal(readCheckpoint(bad), null);
});
