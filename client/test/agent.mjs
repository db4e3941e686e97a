// The mock's agent: what it does follows from a word of the prompt.
import { createHash } from "node:crypto";

const lines = (n, of = "line") => Array.from({ length: n }, (_, i) => `${of} ${i + 1}`).join("\n");
const source = lines(9, "const a") + "\nconsole.log('old');\n" + lines(9, "const b");

/** What the agent asks for, by the word that the prompt holds. */
export const CALLS = {
  "read vibey.md": [["run_command", { command: "cat vibey.md" }]],
  "console.log": [["edit_file", { path: "deed/vibey-server.js", old_string: source, new_string: source.replace("old", "new") }]],
  "both": [["run_command", { command: "ls" }], ["write_file", { path: "deed/a.txt", content: "one\ntwo\n" }]],
  "hidden": [["run_command", { command: "echo safe\u202e \u200b# \u{e0041}rm -rf deed" }]],
  "long": [["write_file", { path: "deed/long.txt", content: lines(236) }]],
  "launch": [["launch_agent", { provider: "openai", model: "gpt-test", slug: "draw-the-map", prompt: "Draw the map." }]],
  "main.md": [["edit_file", { path: "doc-main.md", old_string: "light", new_string: "lamp" }]],
};

/** play is one PUT: decide what was decided, run it, and go on as the prompt wants. */
export async function play(mock, d, body) {
  if (body.control) decide(mock, d, body.control, body.prompt !== undefined);
  if (body.prompt !== undefined) {
    // As the server does: a message alone denies what was asked.
    for (const c of d.pending.splice(0)) result(mock, d, c, "denied");
    const { meta, payloads } = mock.quoted(d, body.on);
    mock.append(d, "User", "input/markdown", body.prompt, { meta: { By: "human", Provider: d.provider, Model: d.model, ...meta }, before: payloads });
    return answer(mock, d, body.prompt);
  }
  if (d.pending.length > 0) return mock.rest(d, "waiting", "approval", mock.ending(d));
  if (!(await mock.say(d, body.continue ? "I go on where I stopped." : "Done: the result above says so."))) return;
  mock.rest(d, "waiting", "reply");
}

async function answer(mock, d, prompt) {
  if (prompt.includes("fail")) mock.append(d, "Note", "note/markdown", "529 overloaded_error", { meta: { Kind: "mistake", To: "human", Failure: "api_error", Cause: "busy" } });
  if (prompt.includes("fail")) return mock.rest(d, "waiting", "continue", { type: "error", message: "529 overloaded_error", kind: "busy", status: 529 });
  if (prompt.includes("evil")) {
    mock.append(d, "Assistant", "output/markdown", "evil", { html: `<p>before</p><script>window.bad=1</script><img src=x onerror="window.bad=1"><a href="javascript:window.bad=1">click</a><img src="https://elsewhere.example/spy.png" alt="spy"><form action="/x"><p onclick="window.bad=1" style="position:fixed">after</p></form>` });
    return mock.rest(d, "waiting", "reply");
  }
  const word = Object.keys(CALLS).find((w) => prompt.includes(w));
  if (!(await mock.say(d, word ? `I will do that: ${word}.` : `You said: ${prompt}`))) return;
  if (!word) return mock.rest(d, "waiting", "reply");
  for (const [tool, input] of CALLS[word]) {
    const text = JSON.stringify(input);
    const id = `call_${d.sections.length}`;
    mock.append(d, "Tool Request", "tool/input/json", text, { id, meta: { Tool: tool, Status: "pending" } });
    if (granted(d, tool, input.path ?? "")) result(mock, d, { id, tool, inputText: text }, "approved");
    else d.pending.push({ id, tool, input, inputText: text, sha256: createHash("sha256").update(text).digest("hex"), ...(tool === "write_file" ? { target: mock.target(d.project, input.path) } : {}) });
  }
  if (d.pending.length > 0) return mock.rest(d, "waiting", "approval", mock.ending(d));
  if (await mock.say(d, "Done, as you always allow it.")) mock.rest(d, "waiting", "reply");
}

// A grant is a tool, or a tool and a folder.
const granted = (d, tool, path) => [...d.grants].some((g) => g === tool || (g.startsWith(tool + " ") && path.startsWith(g.slice(tool.length + 1))));

export function decide(mock, d, control, denyRest) {
  mock.append(d, "Authorization", "control/v1", control.split("\n").filter((l) => !l.startsWith("əəə")).join("\n"), { meta: { By: "human", Scope: "dialog" } });
  for (const l of control.split("\n")) {
    if (l.startsWith("allow ")) d.grants.add(l.slice(6));
    if (l.startsWith("ask ")) d.grants.delete(l.slice(4));
  }
  for (const c of [...d.pending]) {
    const line = control.split("\n").find((l) => l.startsWith(c.id + " "));
    const verdict = line ? line.split(" ")[1] : denyRest ? "deny" : granted(d, c.tool, c.input.path ?? "") ? "approve" : "";
    if (verdict === "") continue;
    d.pending = d.pending.filter((p) => p !== c);
    result(mock, d, c, verdict === "approve" ? "approved" : "denied");
  }
}

/** result writes what came of a call. */
export function result(mock, d, c, status) {
  const input = JSON.parse(c.inputText);
  if (status === "approved" && c.tool === "write_file") mock.make(d.project, input.path, input.content);
  const doc = c.tool === "edit_file" ? mock.projects.get(d.project).files.get(input.path)?.content : undefined;
  if (status === "approved" && doc?.includes(input.old_string)) mock.writeFile(d.project, input.path, doc.replace(input.old_string, () => input.new_string));
  let r = { success: false, error: "Denied by user", ...(c.effect ? { tried: true } : {}) };
  if (status === "approved") {
    if (c.effect) r = { success: true, exitCode: 0, stdout: c.effect.stdout, stderr: "", sandbox: "bwrap", tried: true, changed: c.effect.changes.map((f) => ({ path: f.path, sha256: f.after ?? "", replaced: f.before ?? "", ...(f.kind === "deleted" ? { deleted: true } : {}) })), ...(c.target ? { conflicts: c.target.conflicts } : {}) };
    else if (c.tool === "run_command") r = { success: true, exitCode: 0, stdout: lines(60, "# text"), stderr: "", sandbox: "none" };
    else if (c.tool === "launch_agent") r = { success: true, dialogId: mock.addDialog(d.project, input.slug, input.provider, input.model).id };
    else r = { success: true, path: input.path, bytes: 210, sha256: "ab".repeat(32) };
  }
  mock.append(d, "Tool Result", "tool/result/json", JSON.stringify(r), { id: c.id, meta: { Tool: c.tool, Status: status }, resources: { tools: 1, ms: 812 } });
}
