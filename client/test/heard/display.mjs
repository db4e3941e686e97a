// A display of its own with a window manager, a bus, and Orca, the screen reader, on it.
// What Orca says is read from its own log: no voice and no sound is needed.
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { until } from "../e2e/world.mjs";

const LAUNCHER = "/usr/libexec/at-spi-bus-launcher";

// Orca writes its log in blocks, ends itself where it is slow for 10 s, waits for a braille display, and starts a program that speaks, which stays.
const CUSTOM = `
import orca.debug, orca.settings
orca.debug.debugFile.reconfigure(line_buffering=True)
orca.settings.timeoutTime = 0
orca.settings.enableBraille = False
orca.settings.speechServerFactory = "none"
orca.settings.speechFactoryModules = []
`;

// A bus that starts nothing by itself, so that nothing stays.
const BUS = (at) => `<busconfig>
  <type>session</type>
  <listen>unix:path=${at}</listen>
  <auth>EXTERNAL</auth>
  <policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/></policy>
</busconfig>`;

/** Display is a screen whose windows are read out. `env` is for what shall run on it. */
export class Display {
  static async open() {
    const d = new Display();
    d.home = mkdtempSync(join(tmpdir(), "vibey-heard-"));
    d.log = join(d.home, "orca.log");
    d.children = [];
    d.parts = [{ what: "Orca begins", from: 0 }];
    const run = join(d.home, "run");
    mkdirSync(run, { mode: 0o700 });
    const settings = join(d.home, ".local", "share", "orca");
    mkdirSync(settings, { recursive: true });
    writeFileSync(join(settings, "orca-customizations.py"), CUSTOM);
    writeFileSync(join(d.home, "bus.conf"), BUS(join(run, "bus")));
    d.env = { PATH: process.env.PATH, LANG: "C.UTF-8", HOME: d.home, XDG_RUNTIME_DIR: run, GSETTINGS_BACKEND: "memory" };
    try {
      d.env.DISPLAY = ":" + (await d.start("Xvfb", ["-displayfd", "1", "-screen", "0", "1280x900x24", "-nolisten", "tcp"], true));
      d.env.DBUS_SESSION_BUS_ADDRESS = await d.start("dbus-daemon", [`--config-file=${d.home}/bus.conf`, "--nofork", "--print-address"], true);
      await d.start("openbox", []);
      await d.start(LAUNCHER, ["--launch-immediately", "--screen-reader=1"]);
      await d.start("orca", ["--debug-file=" + d.log]);
      await d.hears(/Screen reader on/);
      return d;
    } catch (e) { await d.close(); throw e; }
  }

  /** start runs a program as long as the display; with `line` it waits for its first line. */
  async start(name, args, line = false) {
    const child = spawn(name, args, { env: this.env, stdio: ["ignore", "pipe", "pipe"], detached: true });
    this.children.push(child);
    let said = "";
    child.gone = new Promise((ok) => child.on("exit", ok));
    child.on("error", (e) => { this.lost = e.code === "ENOENT" ? `${name} is missing` : String(e); });
    child.on("close", (status, signal) => { if (!child.ending) this.lost ??= `${name} ended (${status ?? signal}): ${said}`; });
    let out = "";
    child.stdout.on("data", (b) => { out += b; });
    for (const from of [child.stdout, child.stderr]) from.on("data", (b) => { said = (said + b).slice(-2000); });
    if (line) await until(() => this.alive() && out.includes("\n"), `the first line of ${name}`);
    return out.trim();
  }

  alive() {
    if (this.lost) throw new Error(this.lost);
    return true;
  }

  async close() {
    for (const c of this.children.reverse()) {
      if (c.pid === undefined) continue; // it is missing
      c.ending = true;
      if (c.exitCode === null && c.signalCode === null) process.kill(-c.pid, "SIGKILL"); // with what it started
      await c.gone;
    }
    rmSync(this.home, { recursive: true, force: true, maxRetries: 5 });
  }

  /** heard is what was said since mark, one item for each utterance. */
  heard(mark = 0) {
    if (!existsSync(this.log)) return [];
    return [...readFileSync(this.log, "utf8").matchAll(/SPEECH OUTPUT: '([^]*?)'(?: voice=\w+)?(?:\{|$| )/gm)].map((m) => m[1].replace(/\s+/g, " ").trim()).filter((s) => s !== "").slice(mark);
  }

  /** did begins a new part of what is heard, which hears listens to. */
  did(what) {
    this.parts.push({ what, from: this.heard().length });
  }

  /** part is what was heard in this part. */
  part() { return this.heard(this.parts.at(-1).from); }

  /** story is what was done, and below it what was heard. */
  get story() {
    const all = this.heard();
    return this.parts.flatMap(({ what, from }, i) => [`— ${what}`, ...all.slice(from, this.parts[i + 1]?.from)]);
  }

  /** hears waits until what was heard in this part has that sentence. */
  async hears(sentence) {
    await until(() => this.alive() && sentence.test(this.part().join("\n")), `heard ${sentence}`);
  }
}
