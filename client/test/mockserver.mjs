// A small stand-in for the server, for tests of the window alone: the routes and
// frames of the contract, projects in memory, and an agent that says what the
// prompt asks for by a word. Tests reach into it: hold its stream, change files
// behind the window's back, take the line away.
import { createHash } from "node:crypto";
import { createServer } from "node:http";
import { fileURLToPath } from "node:url";
import { decide, play } from "./agent.mjs";
import { built } from "./dist.mjs";

const NONCE = "testnonce";
const csp = (preview) => `default-src 'none'; frame-src ${preview}; script-src 'self'; style-src 'self' 'nonce-${NONCE}'; img-src 'self' data: blob:; connect-src 'self'; require-trusted-types-for 'script'; trusted-types vibey; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
const TYPES = { js: "text/javascript", css: "text/css", svg: "image/svg+xml" };

export const sha = (s) => createHash("sha256").update(s).digest("hex");
/** titleOf is what the server takes for the title of a doc, or that of a project by its leading one. */
const titleOf = (content, name) => /^# +(.*?)(?: #+)?$/m.exec(content ?? "")?.[1].replace(/\\(?=[^\w\s])/g, "") || name;
const slugOf = (title) => title.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "") || `x${sha(title).slice(0, 8)}`;
const escape = (s) => s.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
// What is added is what its bytes say; "" is no kind that is taken.
const kindOf = (b) => (b.subarray(0, 4).equals(Buffer.from("\x89PNG", "latin1")) ? "image/png" : b.subarray(0, 4).toString() === "%PDF" ? "application/pdf" : b.includes(0) ? "" : b.toString().startsWith("<svg") ? "image/svg+xml" : "text/plain");
const withPictures = (html) => html.replace(/!\[((?:\\.|[^\]])*)\]\((files\/[^)]+)\)/g, (_, words, at) => `<img src="${decodeURIComponent(at)}" alt="${words}">`);

/** What the governor says of a dialog of which nothing is to be said. */
export const GOVERNOR = { intent: "", budget: { used: 0, limit: 15 }, ledger: { read: [], modified: [] }, covers: [] };
const RULES = { rules: [{ name: "verify", value: "", about: "check", text: "No command checks what was changed." }], problems: [] };

// Makes a server listen, and returns its port: the one that it had, or for 0 a free one below those that systems
// hand out by themselves (32768 up). One of those another test's page has before the server comes back.
async function listenOn(server, port) {
  for (let left = 100; ; left--) {
    const at = port || 20_000 + Math.floor(12_000 * Math.random());
    try {
      await new Promise((ok, fail) => {
        server.once("error", fail).listen(at, "127.0.0.1", () => {
          server.off("error", fail);
          ok();
        });
      });
      return at;
    } catch (e) {
      if (port !== 0 || left === 0) throw e;
    }
  }
}

export class Mock {
  projects = new Map();
  providers = [{ provider: "claude", api: "messages", models: [{ id: "claude-test" }, { id: "claude-other" }] }, { provider: "openai", api: "responses", models: [{ id: "gpt-test" }] }];
  sandbox = "none";
  /** where a first visit begins */
  welcome = undefined;
  codes = new Set(["one-time"]);
  keys = [];
  zips = [];
  /** how often a list of dialogs was read */
  lists = 0;
  /** every PUT body, and every body of a confirm, in order */
  puts = [];
  /** every body of a POST that starts a dialog */
  starts = [];
  confirmed = [];
  /** pictures of pages by name, and the names that were asked for */
  shots = new Map();
  shown = [];
  /** what a tried command changed: the bytes by "before deed/a", and which were read */
  sides = new Map();
  read = [];
  /** whether commands can be tried */
  layers = undefined;
  /** what a waiting command changes when it is tried */
  trial = [["deed/a.md", null, "tried\n"]];
  /** how many pieces of text the agent may still say */
  #permits = Infinity;
  #waiting = [];
  #watchers = new Map();
  /** the live streams: what each follows, by key */
  lives = new Set();
  /** a server that stalls: its live streams stand, and nothing comes of them */
  stalls = false;
  /** why no dialog may be followed; "" where they may */
  refuses = "";
  #sockets = new Set();
  #clock = 0;

  /** what each start of the server puts before the names of projects at the preview origin */
  word = "";

  async listen(port = 0, pages = 0) {
    this.server = createServer((q, r) => this.#answer(q, r).catch((e) => this.#problem(r, e.status ?? 500, e.message)));
    this.server.on("connection", (s) => {
      this.#sockets.add(s);
      s.on("close", () => this.#sockets.delete(s));
    });
    this.port = await listenOn(this.server, port);
    // The preview origin: pages of the deed, without an origin of their own.
    this.pages = createServer((q, r) => {
      const [, name, ...path] = decodeURIComponent(new URL(q.url, "http://x").pathname).split("/");
      const content = this.projects.get(name.startsWith(this.word) ? name.slice(this.word.length) : "")?.made.get("deed/" + path.join("/"));
      const type = path.at(-1)?.endsWith(".html") ? "text/html" : "text/plain";
      r.writeHead(content === undefined ? 404 : 200, { "Content-Type": `${type}; charset=utf-8`, "Content-Security-Policy": "sandbox allow-scripts" }).end(content ?? "There is no such page.\n");
    });
    this.pages.on("connection", (s) => {
      this.#sockets.add(s);
      s.on("close", () => this.#sockets.delete(s));
    });
    this.preview = `http://127.0.0.1:${await listenOn(this.pages, pages)}`;
    this.url = `http://127.0.0.1:${this.port}/`;
    return this;
  }
  /** down cuts every line; listen(mock.port) brings it back, with all it held. */
  async down() {
    const closed = Promise.all([this.server, this.pages].map((s) => new Promise((ok) => s.close(ok))));
    for (const s of this.#sockets) s.destroy();
    await closed;
  }
  /** hold makes the agent wait before each piece of text; the answer lets n of them through, all by default. */
  hold() {
    this.#permits = 0;
    return (n = Infinity) => {
      this.#permits += n;
      while (this.#permits > 0 && this.#waiting.length > 0) {
        this.#permits--;
        this.#waiting.shift()();
      }
    };
  }
  #permit() {
    if (this.#permits <= 0) return new Promise((ok) => this.#waiting.push(ok));
    this.#permits--;
    return new Promise((ok) => setTimeout(ok, 2));
  }

  title(p) { return titleOf(p.files.get("doc-main.md")?.content, p.name); }
  addProject(name, title = name) {
    const p = { name, files: new Map(), added: new Map(), dialogs: new Map(), made: new Map() };
    this.projects.set(name, p);
    this.writeFile(name, "doc-main.md", "# " + title + "\n\nA *small* game about a **light**.\n\n- Read [the notes](doc-notes.md)\n- Ask before `rm`\n");
    return p;
  }
  histories = 0;
  /** tells what a call, or the calls behind a message, made of files */
  onChanges = () => [];
  writeFile(project, name, content) {
    const p = this.projects.get(project);
    p.files.set(name, { content, mtime: ++this.#clock });
    for (const d of p.dialogs.values()) for (const c of d.pending) if (c.target?.path === name) c.target = this.target(project, name);
    this.#tell(project, { kind: "files", name });
  }
  /** make writes a file that is no doc, as the deed's are; null deletes it. */
  make(project, path, content) {
    const p = this.projects.get(project);
    if (content === null) p.made.delete(path);
    else p.made.set(path, content);
    for (const d of p.dialogs.values()) for (const c of d.pending) if (c.target?.path === path) c.target = this.target(project, path);
    this.#tell(project, { kind: "files", name: path });
  }
  /** held is what a doc or a file of the deed holds, undefined where there is none. */
  held(project, path) {
    const p = this.projects.get(project);
    return p.made.get(path) ?? p.files.get(path)?.content;
  }
  /** target is what is told of a file that a call would write. */
  target(project, path) {
    const content = this.held(project, path);
    return content === undefined ? { path, exists: false, bytes: 0 } : { path, sha256: sha(content), exists: true, bytes: Buffer.byteLength(content) };
  }
  deleteFile(project, name) {
    this.projects.get(project).files.delete(name);
    this.#tell(project, { kind: "files", name });
  }
  addDialog(project, slug, provider = "claude", model = "claude-test", more = {}) {
    const p = this.projects.get(project);
    const stamp = `20260216-20${String(1000 + p.dialogs.size)}`;
    const d = { id: `${stamp}-${slug}`, project, status: "waiting", needs: "reply", provider, model, began: model, sections: [], open: "", pending: [], governor: GOVERNOR, watchers: new Set(), grants: new Set(), mtime: ++this.#clock, n: 0, stop: false, title: "", from: "", tokens: { in: 0, out: 0 }, ...more };
    p.dialogs.set(d.id, d);
    this.#tell(project, { kind: "dialogs", dialogId: d.id });
    return d;
  }
  /** look makes a dialog's agent look at a page, of which a picture is kept if there is one. */
  look(d, name, picture, { tool = "request_visual_qa", question = "Is the menu readable on a phone?", title = "The lamp", ...more } = {}) {
    const url = "http://127.0.0.1:8000/";
    const asked = tool === "request_visual_qa" ? { question } : {};
    const id = `call_${d.sections.length}`;
    if (picture) this.shots.set(name, picture);
    this.append(d, "Tool Request", "tool/input/json", JSON.stringify({ url, ...asked }), { id, meta: { Tool: tool, Status: "pending" } });
    this.append(d, "Tool Result", "tool/result/json", JSON.stringify({ success: true, url, status: 200, title, ...asked, screenshot: `~/screenshots/${name}`, sandbox: "bwrap", ...more }), { id, meta: { Tool: tool, Status: "approved" }, resources: { tools: 1, ms: 1203 } });
  }
  deleteDialog(d) {
    this.projects.get(d.project).dialogs.delete(d.id);
    this.#tell(d.project, { kind: "dialogs", dialogId: d.id });
  }
  /** needs is what is told of all projects. */
  needs() {
    const of = (p) => [...p.dialogs.values()];
    return { type: "projects", projects: [...this.projects.values()].map((p) => ({
      name: p.name, waiting: of(p).filter((d) => d.status === "waiting" && (d.needs === "approval" || d.needs === "continue")).length, active: of(p).filter((d) => d.status === "active").length, changed: "2026-02-16T20:11:00Z",
      ...(this.title(p) === p.name ? {} : { title: this.title(p) }),
    })).sort((a, b) => (a.name < b.name ? -1 : 1)) };
  }
  #tellAll() { this.#toLive((w) => w.project === "*", this.needs()); }
  /** item is a dialog's entry of the list. */
  item(d) {
    const asks = d.pending[0] && `wants to use ${d.pending[0].tool}`;
    return {
      dialogId: d.id, status: d.status, needs: d.needs, filename: this.name(d), mtime: new Date(Date.UTC(2026, 1, 16) + d.mtime * 1000).toISOString().replace(".000", ""),
      title: d.title, words: d.words ?? asks ?? "", ...(d.from ? { from: d.from } : {}), ...(d.fork ? { fork: d.fork } : {}), ...(d.other ? { other: d.other } : {}), tokens: d.tokens, ...(d.wrote && d.status !== "done" ? { wrote: d.wrote } : {}), ...(d.cost ? { cost: d.cost } : {}),
    };
  }
  /** tell tells that a dialog changed behind the mock's back. */
  tell(d) {
    d.mtime = ++this.#clock;
    this.#tell(d.project, { kind: "dialogs", dialogId: d.id });
  }
  name(d) { return `dialog-${d.id}-${d.status}.md`; }

  // What a dialog's agent calls while it plays.
  append(d, role, type, text, { meta = {}, id, resources = {}, html, before = [] } = {}) {
    const at = new Date(Date.UTC(2026, 1, 16, 20, 11, d.n++)).toISOString();
    const s = { role, id: id ?? `m${d.n}`, time: `${at} - ${at}`, resources: { in: 0, out: 0, total: 0, tools: 0, ms: 0, ...resources }, meta, payloads: [{ type, text }] };
    s.payloads.unshift(...before);
    if (type.endsWith("/markdown")) s.html = html ?? text.split("\n\n").map((t) => `<p>${withPictures(escape(t))}</p>`).join("");
    if (role === "Assistant") Object.assign(d, { open: "", written: undefined });
    d.sections.push(s);
    d.mtime = ++this.#clock;
    this.emit(d, { type: "section", section: s, dialogId: d.id });
    this.#tell(d.project, { kind: "dialogs", dialogId: d.id });
    return s;
  }
  async say(d, text, resources = { in: 1204, out: 310, total: 1514, ms: 4100 }) {
    for (const piece of text.match(/\S+\s*/g) ?? []) {
      await this.#permit();
      if (d.stop) return false;
      d.open += piece;
      this.emit(d, { type: "chunk", content: piece });
    }
    this.append(d, "Assistant", "output/markdown", text, { resources });
    return true;
  }
  /** work makes a dialog's agent work until `ask` or `rest`, whatever is said to it. */
  work(d) {
    Object.assign(d, { status: "active", needs: "none", stop: false, mtime: ++this.#clock });
    this.#tell(d.project, { kind: "dialogs", dialogId: d.id });
  }
  /** ask makes a dialog's agent want a call; it ends a round. */
  ask(d, tool = "run_command", input = { command: "rm -rf deed/*" }, more = {}) {
    const inputText = JSON.stringify(input);
    const id = more.id ?? `call_${d.sections.length}`;
    if (!more.id) this.append(d, "Tool Request", "tool/input/json", inputText, { id, meta: { Tool: tool, Status: "pending" } });
    d.pending.push({ id, tool, input, inputText, sha256: sha(inputText), ...(tool === "write_file" || (tool === "edit_file" && this.held(d.project, input.path) !== undefined) ? { target: this.target(d.project, input.path) } : {}), ...more });
    this.rest(d, "waiting", "approval", this.ending(d));
    return id;
  }
  /** wants makes a dialog's agent want several edits of a doc at once: [old, new]. */
  wants(d, path, edits) {
    const ids = edits.map(([old_string, new_string, more = {}], i) => {
      const id = `edit_${d.sections.length}`, input = { path, old_string, new_string, ...more }, inputText = JSON.stringify(input);
      this.append(d, "Tool Request", "tool/input/json", inputText, { id, meta: { Tool: "edit_file", Status: "pending" } });
      d.pending.push({ id, tool: "edit_file", input, inputText, sha256: sha(inputText), target: this.target(d.project, path) });
      return id;
    });
    this.rest(d, "waiting", "approval", this.ending(d));
    return ids;
  }
  /** tries makes a dialog's command wait with what it changed: [path, before, after, more], of which null is nothing. */
  tries(d, files, { command = "make all", stdout = "", exitCode = 0, conflicts, id } = {}) {
    const side = (path, which, content) => {
      if (content === null) return {};
      this.sides.set(`${which} ${path}`, Buffer.from(content));
      return { [which]: sha(content) };
    };
    const changes = files.map(([path, before, after, more = {}]) => ({
      path, kind: before === null ? "added" : after === null ? "deleted" : "changed", type: "file", bytes: Buffer.byteLength(after ?? before), ...side(path, "before", before), ...side(path, "after", after), ...more,
    }));
    const effect = { sha256: sha(JSON.stringify(changes)), changes, exitCode, stdout, stderr: "" };
    return this.ask(d, "run_command", { command }, { ...(id ? { id } : {}), effect, ...(conflicts ? { target: { conflicts: conflicts.map((path) => ({ path })) } } : {}) });
  }
  emit(d, frame) {
    if (frame.type === "open") d.written = frame; // who comes later is told too
    for (const w of d.watchers) this.#frame(w, d, frame);
    this.#toLive((w) => w.project === d.project && w.dialog === d.id, frame.type === "chunk" ? this.#open(d) : frame, `${d.sections.length}+0`);
  }
  // The text that is being written, as html: all blocks but the last are closed.
  #open(d) {
    const blocks = d.open.split("\n\n").map((t) => `<p>${escape(t)}</p>`);
    return { type: "open", from: 0, blocks: blocks.slice(0, -1), tail: blocks.at(-1) };
  }
  #toLive(is, frame, at) {
    for (const { r, watches } of this.lives) for (const w of watches) if (is(w)) this.#live(r, w.key, frame, at);
  }
  #live(r, key, frame, at) { r.write(`event: live\ndata: ${JSON.stringify({ type: "live", watch: key, ...(at ? { at } : {}), frame })}\n\n`); }
  #follow(q, r, watch) {
    const watches = watch.map((w) => {
      const [key, kind, project = "*", dialog, at = ""] = w.split("/");
      return { key, project, dialog: kind === "dialog" ? dialog : undefined, from: Number(at.split("+")[0]) };
    });
    this.#stream(r);
    const live = { r, watches };
    this.lives.add(live);
    const beat = setInterval(() => { if (!this.stalls) r.write(":\n\n"); }, 1000);
    r.on("close", () => {
      clearInterval(beat);
      this.lives.delete(live);
    });
    for (const w of watches) {
      if (w.project === "*") {
        this.#live(r, w.key, this.needs());
        continue;
      }
      const p = this.projects.get(w.project);
      const d = w.dialog === undefined ? undefined : p?.dialogs.get(w.dialog);
      if (d && this.refuses !== "") {
        this.#live(r, w.key, { type: "error", kind: "refused", status: 400, message: this.refuses });
        w.dialog = ""; // nothing is told of it
        continue;
      }
      if (!p || (w.dialog !== undefined && !d)) this.#live(r, w.key, { type: "error", kind: "refused", status: 404, message: "It is not there." });
      if (!d) continue;
      if (w.from > d.sections.length) {
        this.#live(r, w.key, { type: "reset" }, "0+0");
        w.from = 0;
      }
      d.sections.slice(w.from).forEach((section, i) => this.#live(r, w.key, { type: "section", section }, `${w.from + i + 1}+0`));
      const written = d.open === "" ? d.written : this.#open(d);
      if (written) this.#live(r, w.key, written);
      if (d.status !== "active") this.#live(r, w.key, this.ending(d), `${d.sections.length}+0`);
    }
  }
  rest(d, status, needs, last) {
    Object.assign(d, { status, needs, mtime: ++this.#clock });
    this.emit(d, last ?? { type: "done", dialogId: d.id, filename: this.name(d), status, needs, resources: {} });
    for (const w of d.watchers) w.end();
    d.watchers.clear();
    this.#tell(d.project, { kind: "dialogs", dialogId: d.id });
  }

  #frame(r, d, f) { r.write(`id: ${d.sections.length}+${d.open.length}\nevent: ${f.type}\ndata: ${JSON.stringify(f)}\n\n`); }
  #tell(project, change) {
    if (change.kind === "dialogs") {
      const d = this.projects.get(project).dialogs.get(change.dialogId);
      change = { ...change, item: d ? this.item(d) : null };
    }
    this.#toLive((w) => w.project === project && w.dialog === undefined, { type: "change", ...change });
    if (change.kind === "dialogs" && !this.projects.get(project).dialogs.has(change.dialogId)) {
      this.#toLive((w) => w.project === project && w.dialog === change.dialogId, { type: "error", kind: "refused", status: 404, message: "It is not there." });
    }
    this.#tellAll();
    for (const w of this.#watchers.get(project) ?? []) w.write(`event: change\ndata: ${JSON.stringify({ type: "change", ...change })}\n\n`);
  }
  #problem(r, status, detail, more = {}) {
    if (r.headersSent) return r.end();
    r.writeHead(status, { "Content-Type": "application/problem+json" }).end(JSON.stringify({ type: "about:blank", title: "No", status, detail, ...more }));
  }
  #json(r, v, headers = {}) { r.writeHead(200, { "Content-Type": "application/json", ...headers }).end(JSON.stringify(v)); }
  #stream(r) {
    r.writeHead(200, { "Content-Type": "text/event-stream" });
    r.write(":\n\n");
    return r;
  }

  async #answer(q, r) {
    const url = new URL(q.url, this.url);
    const path = url.pathname.split("/").filter(Boolean).map(decodeURIComponent);
    if (q.method === "GET" && (path.length === 0 || path[0] === "assets" || path[0] === "vibey-client.js")) return this.#asset(r, url.pathname);
    const parts = [];
    for await (const c of q) parts.push(c);
    if (path[2] === "files" && (q.method === "POST" || path.length === 4)) return this.#added(q, r, path, Buffer.concat(parts), url.searchParams.get("name"));
    const text = Buffer.concat(parts).toString();
    if (q.headers["content-type"] === "application/zip") {
      this.zips.push(text);
      this.addProject(url.searchParams.get("name"));
      return this.#json(r, { name: url.searchParams.get("name"), disarmed: ["deed/.git/config: taken out"] });
    }
    const body = text === "" ? {} : JSON.parse(text);
    if (url.pathname === "/login") return this.codes.delete(body.code) ? this.#json(r, { token: "tok" }) : this.#problem(r, 401, "no");
    if (q.headers.authorization !== "Bearer tok") return this.#problem(r, 401, "The token is missing.");
    if (path[0] === "projects") return this.#projects(q, r, path[1], body);
    if (path[0] === "live") return this.#follow(q, r, url.searchParams.getAll("watch"));
    if (path[0] === "models") return this.#json(r, this.providers);
    if (path[0] === "health") return this.#json(r, { version: "test", sandbox: this.sandbox, sandboxWhy: this.sandboxWhy, sandboxRemedy: this.sandboxRemedy, durable: this.durable, layers: this.layers, welcome: this.welcome });
    if (path[0] === "keys") {
      this.keys.push(body);
      this.providers.push({ provider: body.provider, api: "messages", models: [{ id: "claude-test" }] });
      return r.writeHead(204).end();
    }
    const p = this.projects.get(path[1]);
    if (!p) return this.#problem(r, 404, "There is no such project.");
    return this.#project(q, r, p, path.slice(2), body, url);
  }
  /** holdAdding, where it is set, is waited for before a file is added; refuseAdding is the status that refuses it */
  holdAdding = null;
  refuseAdding = 0;
  async #added(q, r, [, project, , name], bytes, called) {
    if (q.headers.authorization !== "Bearer tok") return this.#problem(r, 401, "The token is missing.");
    const { added } = this.projects.get(project);
    if (q.method === "GET") {
      const at = added.get(`files/${name}`);
      return at === undefined ? this.#problem(r, 404, "There is no such file.") : r.writeHead(200, { "Content-Type": kindOf(at) }).end(at);
    }
    await this.holdAdding;
    if (this.refuseAdding) return this.#problem(r, this.refuseAdding, "No. Nothing was kept.");
    if (kindOf(bytes) === "") return this.#problem(r, 415, "By its bytes this is none of png and text. Nothing was kept.");
    const hash = sha(bytes), known = [...added].find(([, b]) => b.equals(bytes));
    const path = known?.[0] ?? `files/${hash.slice(0, 16)}-${called}`;
    added.set(path, bytes);
    r.writeHead(known ? 200 : 201, { "Content-Type": "application/json" }).end(JSON.stringify({ path, sha256: hash, bytes: bytes.length, type: kindOf(bytes) }));
  }
  #asset(r, path) {
    const bytes = built(path === "/" ? "index.html" : path.slice(1));
    if (!bytes) return this.#problem(r, 404, "no such asset");
    if (path === "/") return r.writeHead(200, { "Content-Type": "text/html", "Content-Security-Policy": csp(this.preview) }).end(bytes.toString().replace("__NONCE__", NONCE));
    r.writeHead(200, { "Content-Type": TYPES[path.split(".").pop()] ?? "text/plain" }).end(bytes);
  }
  #projects(q, r, name, body) {
    if (q.method === "GET") return this.#json(r, [...this.projects.values()].map((p) => ({ name: p.name, title: this.title(p) })).sort((a, b) => (a.name < b.name ? -1 : 1)));
    if (q.method === "DELETE") {
      for (const d of this.projects.get(name).dialogs.values()) d.stop = true;
      this.projects.delete(name);
      this.#tellAll();
      return r.writeHead(204).end();
    }
    if (body.title.length > 200) return this.#problem(r, 400, "The title is too long. Nothing was done.");
    const made = this.#free(slugOf(body.title), "", this.projects);
    this.addProject(made, body.title.trim()).deed = body.deed;
    this.#json(r, { name: made, title: body.title.trim() });
  }
  #free(stem, ext, taken) {
    for (let n = 1; ; n++) if (!taken.has(`${stem}${n > 1 ? `-${n}` : ""}${ext}`)) return `${stem}${n > 1 ? `-${n}` : ""}${ext}`;
  }
  #project(q, r, p, [kind, item, tail, call], body, url) {
    if ((kind === "file" && tail === "page") || (kind === "dialog" && tail === "page")) return r.writeHead(200, { "Content-Type": "text/html", "Content-Disposition": `attachment; filename*=UTF-8''${encodeURIComponent(item)}.html` }).end(`<!doctype html><p>${item}`);
    if (kind === "files") return this.#json(r, [...[...p.files].sort((a, b) => b[1].mtime - a[1].mtime).map(([name, f]) => ({ name, title: titleOf(f.content, name) })), ...[...p.dialogs.values()].map((d) => ({ name: this.name(d), title: this.name(d) }))]);
    if (kind === "file" && item === undefined) {
      const name = this.#free(`doc-${slugOf(body.title)}`, ".md", p.files);
      this.writeFile(p.name, name, `# ${body.title.trim()}\n\n`);
      return this.#json(r, { name, title: body.title.trim() });
    }
    if (kind === "unlisted") return this.#unlisted(q, r, p, body);
    if (kind === "file" && tail === "history") return this.#history(r, p, item, call);
    if (kind === "file") return this.#file(q, r, p, item, body);
    if (kind === "events") {
      const set = this.#watchers.get(p.name) ?? new Set();
      this.#watchers.set(p.name, set.add(this.#stream(r)));
      return r.on("close", () => set.delete(r));
    }
    if (kind === "screenshot") {
      this.shown.push(item);
      if (!this.shots.has(item)) return this.#problem(r, 404, "This picture is no longer kept.");
      return r.writeHead(200, { "Content-Type": "image/png" }).end(this.shots.get(item));
    }
    if (kind === "preview") return this.#json(r, { url: `${this.preview}/${this.word}${p.name}/` });
    if (kind === "deed" && item === undefined) return this.#json(r, [...p.made].filter(([n]) => n.startsWith("deed/")).sort().map(([n, c]) => ({ path: n.slice(5), bytes: Buffer.byteLength(c), mtime: sha(c).slice(0, 12) })));
    if (kind === "rules") return this.#json(r, p.rules ?? RULES);
    if (kind === "search") return this.#json(r, this.#search(p, url.searchParams.get("q")));
    if (kind === "snapshot") return r.writeHead(200, { "Content-Type": "application/zip", "Content-Disposition": `attachment; filename="${p.name}-${url.searchParams.get("scope")}-20260216-201100.zip"` }).end(`zip of ${p.name}`);
    if (kind === "confirm") {
      this.confirmed.push(body);
      if (body.etag !== p.rules.wish.etag) return this.#problem(r, 409, "It has changed.", { type: "urn:vibey:problem:stale" });
      p.rules = { ...p.rules, wish: { ...p.rules.wish, confirmed: true, etag: '"later"' } };
      return this.#json(r, { name: "doc-main.md" });
    }
    if (kind === "undo") {
      const d = p.dialogs.get(body.dialogId);
      if (d.status === "active") return this.#problem(r, 409, "The dialog is active. Stop it first.", { type: "urn:vibey:problem:active" });
      if (this.onUndo) {
        const answer = this.onUndo(body);
        this.append(d, "Note", "note/json", JSON.stringify(answer), { meta: { Kind: "undo", To: answer.undone.length > 0 ? "model" : "human", By: "human", Parent: body.id ?? body.turn, ...(body.hunk ? { Hunk: `${body.hunk.path} ${body.hunk.from}-${body.hunk.to}` } : {}) } });
        return this.#json(r, answer);
      }
      d.governor = { ...d.governor, covers: d.governor.covers.filter((c) => c.by !== body.id) };
      this.append(d, "Note", "note/markdown", "The summary was undone.", { meta: { Kind: "summary-undone", To: "human", Parent: body.id } });
      return this.#json(r, { undone: [{ id: body.id }], refused: [] });
    }
    if (kind === "dialogs") {
      this.lists++;
      return this.#json(r, [...p.dialogs.values()].map((d) => this.item(d)).sort((a, b) => (a.mtime < b.mtime ? 1 : -1)));
    }
    if (kind !== "dialog") return this.#problem(r, 404, "no route");
    if (q.method === "POST" && item === "new") {
      const slug = body.title.toLowerCase().replace(/[^a-z0-9]+/g, "-").slice(0, 80).replace(/^-|-$/g, "") || "dialog";
      const d = this.addDialog(p.name, slug, body.provider, body.model, { title: body.title });
      return this.#json(r, { dialogId: d.id, filename: this.name(d), status: d.status, provider: d.provider, model: d.model });
    }
    if (q.method === "PUT") return this.#put(r, p, body);
    if (q.method === "POST" && item === undefined) return this.#start(r, p, body);
    const d = p.dialogs.get(item);
    if (!d) return this.#problem(r, 404, "There is no such dialog.");
    if (tail === "stream") return this.#join(q, r, d);
    if (tail === "changes") return this.onChanges ? this.#json(r, this.onChanges(call)) : this.#problem(r, 404, "There is nothing of that id.");
    if (tail === "fork") {
      const at = d.sections.findLastIndex((s) => s.id === body.at);
      if (at < 0) return this.#problem(r, 404, "There is no such section. Nothing was made.");
      const title = `${d.title || d.sections[0].payloads[0].text} (from message 1)`;
      const f = this.addDialog(p.name, slugOf(title), d.provider, d.model, { title, fork: { dialogId: d.id, at: body.at }, sections: d.sections.slice(0, at + 1) });
      return r.writeHead(201, { "Content-Type": "application/json" }).end(JSON.stringify(this.item(f)));
    }
    if (tail === "intent") return this.#json(r, { intent: body.prompt.includes("by yourself") ? "autonomous" : body.prompt.includes("typo") ? "small_fix" : "" });
    if (tail === "target") {
      const c = d.pending.find((c) => c.id === call && c.target);
      if (!c) return this.#problem(r, 404, "This call writes no file that could be shown.");
      const content = this.held(p.name, c.target.path);
      const { bytes: _, ...target } = this.target(p.name, c.target.path);
      const tell = () => this.#json(r, { ...target, ...(content === undefined || content.includes("\0") ? {} : { content }) });
      return this.slowTarget ? void setTimeout(tell, this.slowTarget) : tell();
    }
    if (tail === "effect") {
      const at = `${url.searchParams.get("side")} ${url.searchParams.get("path")}`, bytes = this.sides.get(at);
      this.read.push(at);
      if (bytes === undefined || !d.pending.some((c) => c.id === call && c.effect)) return this.#problem(r, 404, "It is not in what waits.");
      if (bytes.length > 1 << 20) return this.#problem(r, 413, "It is too much.");
      return r.writeHead(200, { "Content-Type": /\.png$/.test(at) ? "image/png" : "application/octet-stream" }).end(bytes);
    }
    let from = Number(url.searchParams.get("from") ?? 0);
    if (from < 0) from = Math.max(0, d.sections.length + from);
    const limit = Number(url.searchParams.get("limit") ?? 1e9);
    this.#json(r, { dialogId: d.id, status: d.status, needs: d.needs, filename: this.name(d), title: d.title, provider: d.provider, model: d.model, began: d.began, sections: d.sections.slice(from, from + limit), from, total: d.sections.length, at: `${d.sections.length}+0`, pending: d.pending, governor: d.governor });
  }
  #unlisted(q, r, p, body) {
    if (q.method === "GET") return this.#json(r, p.unlisted ?? []);
    const u = p.unlisted.find((u) => u.name === body.name);
    if (p.files.has(body.as)) return this.#problem(r, 409, "This name is taken already.");
    this.writeFile(p.name, body.as, u.text);
    Object.assign(u, { in: body.as });
    r.writeHead(201, { "Content-Type": "application/json" }).end(JSON.stringify({ name: body.as, etag: '"1"', mtime: "2026-02-16T20:11:00Z" }));
  }
  /** versions are what `past` says a doc was before, and what it is. */
  #history(r, p, name, sum) {
    const f = p.files.get(name);
    if (!f) return this.#problem(r, 404, "There is no such file.");
    this.histories++;
    const past = p.past?.get(name) ?? [], now = { who: "unknown", kind: "outside", at: "", dialog: "", message: "", call: "", tool: "", allowed: null, kept: true };
    const all = [...past, ...(past.at(-1)?.text === f.content ? [] : [{ ...now, text: f.content }])].map((v) => ({ ...now, ...v, sha256: sha(v.text) }));
    if (sum !== undefined) {
      const v = all.find((v) => v.sha256 === sum && v.kept);
      return v ? this.#json(r, { name, content: v.text }) : this.#problem(r, 404, "This is no version of the page whose text is kept.");
    }
    const count = (text) => text.split(/\s+/).filter(Boolean).length;
    const by = f.content.replace(/\n$/, "").split("\n").map((l) => all.findIndex((v) => v.text.split("\n").includes(l)));
    this.#json(r, { file: name, sha256: sha(f.content), versions: all.map(({ text, ...v }, i) => ({ ...v, words: count(text) - (i === 0 ? 0 : count(all[i - 1].text)) })), lines: by.map((v, i) => ({ from: i + 1, to: i + 1, version: v < 0 || all[v].who === "unknown" ? -1 : v })) });
  }
  #search(p, q) {
    const has = (t) => t.toLowerCase().includes(q.toLowerCase());
    const docs = [...p.files].flatMap(([file, f]) => f.content.split("\n").flatMap((text, i) => (has(text) ? [{ file, line: i + 1, text }] : [])));
    const dialogs = [...p.dialogs.values()].flatMap((d) => d.sections.flatMap((s) => s.payloads.at(-1).text.split("\n").filter(has).map((text) => ({ file: this.name(d), dialogId: d.id, section: s.id, role: s.role, line: 1, text }))));
    return { results: [...docs, ...dialogs].slice(0, 50), more: false };
  }
  #file(q, r, p, name, body) {
    const f = p.files.get(name);
    const dialog = [...p.dialogs.values()].find((d) => this.name(d) === name);
    if (q.method === "DELETE" && dialog) {
      if (dialog.status === "active") return this.#problem(r, 409, "This dialog is active. Nothing was deleted.");
      this.deleteDialog(dialog);
      return r.writeHead(204).end();
    }
    if (q.method === "POST") {
      if (q.headers["if-none-match"] === "*" && f) return this.#problem(r, 409, "It is there already.");
      if (q.headers["if-match"] && (!f || q.headers["if-match"] !== `"${sha(f.content)}"`)) return this.#problem(r, 409, "Changed meanwhile.", { current: f?.content ?? null });
      this.writeFile(p.name, name, body.content);
      return this.#json(r, { name }, { ETag: `"${sha(body.content)}"` });
    }
    if (!f) return this.#problem(r, 404, "There is no such file.");
    if (q.method === "DELETE") {
      this.deleteFile(p.name, name);
      return r.writeHead(204).end();
    }
    this.#json(r, { name, content: f.content }, { ETag: `"${sha(f.content)}"` });
  }
  #join(q, r, d) {
    const m = /^(\d+)\+(\d+)$/.exec(q.headers["last-event-id"] ?? "");
    this.#stream(r);
    let from = m ? Number(m[1]) : 0;
    if (from > d.sections.length) {
      this.#frame(r, d, { type: "reset" });
      from = 0;
    }
    d.sections.slice(from).forEach((section, i) => r.write(`id: ${from + i + 1}+0\nevent: section\ndata: ${JSON.stringify({ type: "section", section })}\n\n`));
    const seen = m && Number(m[1]) === d.sections.length ? Number(m[2]) : 0;
    if (d.open.length > seen) this.#frame(r, d, { type: "chunk", content: d.open.slice(seen) });
    if (d.status === "active") {
      d.watchers.add(r);
      r.on("close", () => d.watchers.delete(r));
    } else {
      this.#frame(r, d, this.ending(d));
      r.end();
    }
  }
  ending(d) {
    if (d.pending.length > 0) return { type: "tool_request", dialogId: d.id, filename: this.name(d), toolCalls: d.pending.map(({ tool, ...c }) => ({ ...c, name: tool })) };
    return { type: "done", dialogId: d.id, filename: this.name(d), status: d.status, needs: d.needs, resources: {} };
  }
  /** wrong refuses passages that are not in the file with that hash. */
  #wrong(r, p, on = []) {
    for (const { file, sha256, from, to } of on) {
      const content = p.files.get(file)?.content ?? p.made.get(file);
      if (content === undefined) return this.#problem(r, 404, "There is no such file. Nothing was written."), true;
      if (sha256 !== sha(content)) return this.#problem(r, 409, "It has changed. Nothing was written.", { type: "urn:vibey:problem:target-changed" }), true;
      if (!(from >= 0 && from < to && to <= Buffer.byteLength(content))) return this.#problem(r, 400, "There is no such passage. Nothing was written."), true;
    }
    return false;
  }
  /** quoted is what a section with passages has of them. */
  quoted(d, on = []) {
    const p = this.projects.get(d.project);
    const all = on.map((o) => ({ ...o, bytes: Buffer.from(p.files.get(o.file)?.content ?? p.made.get(o.file)) }));
    const line = (b, at) => b.subarray(0, at).toString().split("\n").length;
    return {
      meta: all.length === 0 ? {} : { On: all.map((o) => `${o.file} sha256:${o.sha256} ${o.from}-${o.to}`).join("; "), Lines: all.map(({ bytes: b, from, to }) => [...new Set([line(b, from), line(b, to - 1)])].join("-")).join("; ") },
      payloads: all.map(({ bytes: b, from, to }) => ({ type: "passage/text", text: b.subarray(from, to).toString() })),
    };
  }
  #start(r, p, body) {
    this.starts.push(body);
    if (this.#wrong(r, p, body.on)) return;
    const d = this.addDialog(p.name, slugOf(body.title), body.provider, body.model, { title: body.title });
    Object.assign(d, { status: "active", needs: "none", stop: false });
    d.watchers.add(this.#stream(r));
    r.on("close", () => d.watchers.delete(r));
    void play(this, d, body);
  }
  #put(r, p, body) {
    this.puts.push(body);
    if (this.#wrong(r, p, body.on)) return;
    const d = p.dialogs.get(body.dialogId);
    if (!d) return this.#problem(r, 404, "There is no such dialog.");
    if (body.prompt && d.status === "active") return this.#problem(r, 409, "The dialog is active.", { type: "urn:vibey:problem:active" });
    if (body.title !== undefined) {
      if (body.title.includes("\n")) return this.#problem(r, 400, "A title is one line. Nothing was changed.");
      d.title = body.title;
      this.append(d, "Note", "note/markdown", body.title, { meta: { Kind: "title", To: "human" } });
      return this.#json(r, { dialogId: d.id, status: d.status, needs: d.needs, filename: this.name(d), pending: d.pending, ignored: [] });
    }
    if (body.compact) return this.#problem(r, 409, "There is nothing to sum up. Nothing was done.", { type: "urn:vibey:problem:nothing-to-do" });
    const wrong = (body.control ?? "").split("\n").find((l) => l.includes("sha256:") && !d.pending.some((c) => l.includes(c.id) && l.includes(c.sha256)));
    if (wrong) return this.#problem(r, 409, "This is not what waits.");
    const other = d.pending.find((c) => c.effect && new RegExp(`^${c.id} approve (?!.*effect:${c.effect.sha256}$)`, "m").test(body.control ?? ""));
    if (other) return this.#problem(r, 409, "It has changed.", { type: "urn:vibey:problem:stale" });
    const moved = d.pending.some((c) => c.target && !c.effect && new RegExp(`^${c.id} approve .*target:(?!${c.target.sha256 ?? "none"}(?: path:.*)?$)`, "m").test(body.control ?? ""));
    if (moved) return this.#problem(r, 409, "The file has changed.", { type: "urn:vibey:problem:target-changed" });
    const shown = d.sections.findLastIndex((s) => s.id === body.seen);
    if (body.prompt && body.seen && d.pending.some((c) => d.sections.findLastIndex((s) => s.id === c.id) > shown)) return this.#problem(r, 409, "It would deny what was not shown.", { type: "urn:vibey:problem:stale" });
    if (body.status) {
      d.stop = d.status === "active";
      d.pending = [];
      this.rest(d, body.status, body.status === "done" ? "none" : d.stop ? "continue" : "reply");
      return this.#json(r, { dialogId: d.id, status: d.status, needs: d.needs, filename: this.name(d), pending: [], ignored: [] });
    }
    if (body.control && body.prompt === undefined && !d.pending.some((c) => body.control.includes(c.id))) {
      if (d.status === "active") return this.#problem(r, 409, "This dialog is working.", { type: "urn:vibey:problem:active" });
      decide(this, d, body.control, false); // rules alone: nothing runs by them, but what is tried
      const tried = body.control.includes("\ntry run_command\n") && d.pending.find((c) => c.tool === "run_command" && !c.effect);
      if (tried) {
        d.pending = d.pending.filter((c) => c !== tried);
        this.work(d);
        this.tries(d, this.trial, { id: tried.id, command: tried.input.command });
      }
      return this.#json(r, { dialogId: d.id, status: d.status, needs: d.needs, filename: this.name(d), pending: d.pending, ignored: [] });
    }
    if (body.continue) this.onContinue?.();
    Object.assign(d, { status: "active", needs: "none", stop: false });
    if (body.provider) Object.assign(d, { provider: body.provider, model: body.model });
    d.watchers.add(this.#stream(r));
    r.on("close", () => d.watchers.delete(r));
    void play(this, d, body);
  }
}

// By hand: node test/mockserver.mjs serves the built window on port 3002.
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const mock = new Mock();
  mock.addProject("lighthouse");
  await mock.listen(3002);
  console.log(`${mock.url}#code=one-time`);
}
