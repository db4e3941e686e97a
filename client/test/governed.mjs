// A dialog in which the governor did all that it does.

/** governed makes such a dialog in a mock. */
export function governed(mock) {
  const d = mock.addDialog("lighthouse", "turn-the-lamp");
  const note = (kind, to, text, meta = {}) => mock.append(d, "Note", "note/markdown", text, { meta: { Kind: kind, To: to, ...meta } });
  const call = (id, tool, input, result) => {
    mock.append(d, "Tool Request", "tool/input/json", JSON.stringify(input), { id, meta: { Tool: tool, Status: "pending" } });
    if (result) mock.append(d, "Tool Result", "tool/result/json", JSON.stringify(result), { id, meta: { Tool: tool, Status: "approved" }, resources: { tools: 1, ms: 3 } });
  };
  mock.append(d, "User", "input/markdown", "Please let the lamp turn, and style it.", { meta: { By: "human", Intent: "feature_build" } });
  note("phase", "human", "Looking around", { Phase: "recon" });
  mock.append(d, "Assistant", "output/markdown", "I look at what is there.", { meta: { Stop: "calls" } });
  call("call_1", "read_file", { path: "deed/lamp.js" }, { success: true, path: "deed/lamp.js", sha256: "cd".repeat(32), text: "x" });
  note("nudge", "model", "[STATUS NUDGE] You have run 5 tool call(s) over 2 round(s) without sending the human any text.");
  call("call_2", "checkpoint", { goal: "Let the lamp turn.", findings: "lamp.js draws it once.\nNothing turns it.", proposal: "Turn it by a step each frame; style.css stays." }, { success: true, note: "go" });
  note("phase", "human", "Agreeing on what to do", { Phase: "checkpoint" });
  note("phase", "human", "Making the change", { Phase: "execute" });
  call("call_3", "write_file", { path: "deed/lamp.js", content: "turn();\n" }, { success: true, path: "deed/lamp.js", bytes: 8, sha256: "ab".repeat(32) });
  note("warning", "model", "[WARNING] 3 of the 40 rounds that this message may take are left.", { Left: "3" });
  note("commit", "model", "[COMMIT] What this turn changed was committed as abc123fdeadbeef.", { Sha: "abc123fdeadbeef" });
  note("budget", "human", "All 40 steps that this message may take (feature_build) are used. Press Continue for as many more, or say what you want next.", { Stop: "budget" });
  note("recovery", "model", "[RECOVERY] You hit the round cap of this message.", { Reason: "budget" });
  mock.append(d, "Assistant", "output/markdown", "The lamp turns. I changed style.css.", { meta: { Stop: "end" } });
  note("unverified", "human", "Unverified: files were changed in this turn, and no check of them succeeded after the last change.");
  note("unbacked", "human", "Unbacked claim: no result of this turn says that style.css was changed.", { Claims: "style.css was changed" });
  note("phase", "human", "Reporting", { Phase: "final" });
  d.governor = {
    intent: "feature_build", budget: { used: 40, limit: 40 }, phase: "execute", label: "Making the change", unverified: true, stopped: "budget",
    ledger: { read: [{ path: "deed/lamp.js", sha256: "cd".repeat(32) }, { path: "doc-main.md", sha256: "" }], modified: [{ path: "deed/style.css", sha256: "ab".repeat(32) }, { path: "deed/old.js", sha256: "" }] },
    covers: [],
  };
  Object.assign(d, { status: "waiting", needs: "continue" });
  return d;
}

/** summedUp puts a Summary in the place of all that such a dialog holds. */
export function summedUp(mock, d) {
  const by = mock.append(d, "Summary", "summary/markdown", "In short: the lamp turns.");
  d.governor = { ...d.governor, covers: [{ from: d.sections[0].id, to: d.sections.at(-2).id, by: by.id }] };
}

/** What a project's card says whose doc has rules, a line that is none, and a wish. */
export const ruled = {
  rules: [
    { name: "tools", value: "read", line: 4, about: "may", text: "They also read docs unasked." },
    { name: "limit", value: "30", about: "spend", text: "A command may run for 30 seconds." },
    { name: "verify", value: "npm test", line: 6, about: "check", text: "What was changed is checked by this command before an answer counts as done." },
  ],
  problems: [{ line: 9, text: 'there is no rule "colour"' }],
  wish: { lines: [{ line: "allow write_file", text: "Agents may write files without asking.", known: true }, { line: "please", text: "Says nothing that is known here, and does not hold.", known: false }], confirmed: false, etag: '"read"' },
};
