// An editor, by the protocol's own library: a session from a prompt over a permission to
// the end, then another process that has it in its list and tells all of it.
//
//   node editor.mjs LIBRARY PROGRAM FOLDER
//
// It prints one JSON object of what it was told.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { Readable, Writable } from "node:stream";
import { pathToFileURL } from "node:url";

const [library, program, folder] = process.argv.slice(2);
const acp = await import(pathToFileURL(library).href);
const { agent, client: our } = acp.methods;
const said = { asked: [], first: [], replayed: [] };

/** edit starts the program, says initialize, and gives work what it asks with. */
async function edit(told, work) {
  const child = spawn(program, ["acp"], { stdio: ["pipe", "pipe", "inherit"] });
  const ended = once(child, "exit");
  const stream = acp.ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout));
  const editor = acp.client({ name: "editor" });
  editor.onRequest(our.session.requestPermission, ({ params }) => {
    said.asked.push({ title: params.toolCall.title, diffs: params.toolCall.content?.filter((c) => c.type === "diff").map((c) => c.newText), options: params.options.map((o) => o.kind) });
    return { outcome: { outcome: "selected", optionId: params.options.find((o) => o.kind === "allow_once").optionId } };
  });
  editor.onNotification(our.session.update, ({ params: { update } }) => {
    told.push(update.content?.type === "text" ? `${update.sessionUpdate} ${update.content.text}` : `${update.sessionUpdate} ${update.status ?? ""}`.trim());
  });
  await editor.connectWith(stream, async (to) => {
    said.initialized = await to.request(agent.initialize, { protocolVersion: acp.PROTOCOL_VERSION, clientCapabilities: {} });
    await work(to);
  });
  child.stdin.end();
  const [code] = await ended;
  if (code !== 0) throw new Error(`the program ended with ${code}`);
}

await edit(said.first, async (to) => {
  const session = await to.request(agent.session.new, { cwd: folder, mcpServers: [] });
  said.session = session.sessionId;
  said.modes = session.modes;
  said.stopped = (await to.request(agent.session.prompt, { sessionId: session.sessionId, prompt: [{ type: "text", text: "please write" }] })).stopReason;
});
await edit(said.replayed, async (to) => {
  said.list = (await to.request(agent.session.list, { cwd: folder })).sessions;
  await to.request(agent.session.load, { sessionId: said.session, cwd: folder, mcpServers: [] });
});
console.log(JSON.stringify(said));
