// A display of its own with a window manager, a bus, and Orca, the screen reader, on it.
// What Orca says is read from its own log: no voice and no sound is needed.
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { until } from "../e2e/world.mjs";

const LAUNCHER = "/usr/libexec/at-spi-bus-launcher";

// Orca writes its log in blocks, and asks for all of what each event is about only to write it down; it ends itself where it is slow for 10 s, waits for a braille display, and starts a program that speaks, which stays.
const CUSTOM = `
import re
import orca.debug, orca.settings
orca.debug.debugFile.reconfigure(line_buffering=True)
orca.debug.eventDebugFilter = re.compile("no event")
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

// So long, in ms, the log of an Orca that rests stays as it is.
const STOPPED = 200;

// So many letters are typed at once.
const LETTERS = 4;

/** pieces divides keys where none is held. */
function pieces(actions) {
  const all = [[]];
  let held = 0, letters = 0;
  for (const a of actions) {
    if (held === 0 && letters === LETTERS) { all.push([]); letters = 0; }
    all.at(-1).push(a);
    held += a.type === "keyDown" ? 1 : -1;
    if (held === 0) letters++;
  }
  return all;
}

// A test that is stopped ends by process.exit, so that what runs on its display ends with it.
const SIGNALS = ["SIGTERM", "SIGINT", "SIGHUP"];
const stop = () => process.exit(1);

/** Display is a screen whose windows are read out. `env` is for what shall run on it. */
export class Display {
  static async open() {
    const d = new Display();
    d.home = mkdtempSync(join(tmpdir(), "vibey-heard-"));
    d.log = join(d.home, "orca.log");
    d.parts = [{ what: "Orca begins", from: 0 }];
    const run = join(d.home, "run");
    mkdirSync(run, { mode: 0o700 });
    const settings = join(d.home, ".local", "share", "orca");
    mkdirSync(settings, { recursive: true });
    writeFileSync(join(settings, "orca-customizations.py"), CUSTOM);
    writeFileSync(join(d.home, "bus.conf"), BUS(join(run, "bus")));
    // Orca does not begin where pgrep finds another one of this user, on whatever display.
    mkdirSync(join(d.home, "bin"));
    writeFileSync(join(d.home, "bin", "pgrep"), "#!/bin/sh\nexit 1\n", { mode: 0o755 });
    d.mark = `XDG_RUNTIME_DIR=${run}\0`;
    d.env = { PATH: `${d.home}/bin:${process.env.PATH}`, LANG: "C.UTF-8", HOME: d.home, XDG_RUNTIME_DIR: run, GSETTINGS_BACKEND: "memory" };
    d.onEnd = () => { d.kill(); d.forget(); };
    process.on("exit", d.onEnd);
    for (const signal of SIGNALS) process.on(signal, stop);
    try {
      d.env.DISPLAY = ":" + (await d.start("Xvfb", ["-displayfd", "1", "-screen", "0", "1280x900x24", "-nolisten", "tcp"], true));
      d.env.DBUS_SESSION_BUS_ADDRESS = await d.start("dbus-daemon", [`--config-file=${d.home}/bus.conf`, "--nofork", "--print-address"], true);
      await d.start("openbox", []);
      await d.start(LAUNCHER, ["--launch-immediately", "--screen-reader=1"]);
      await d.start("nice", ["--adjustment=-10", "orca", "--debug-file=" + d.log]); // if it may: what is at work beside it makes it no deafer
      await d.hears(/Screen reader on/);
      return d;
    } catch (e) { await d.close(); throw e; }
  }

  /** start runs a program as long as the display; with `line` it waits for its first line. */
  async start(name, args, line = false) {
    const child = spawn(name, args, { env: this.env, stdio: ["ignore", "pipe", "pipe"] });
    let said = "";
    child.on("error", (e) => { this.lost = e.code === "ENOENT" ? `${name} is missing` : String(e); });
    child.on("close", (status, signal) => { if (!this.closing) this.lost ??= `${name} ended (${status ?? signal}): ${said}`; });
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

  /** processes returns those that run on the display: each was given its folder, and gives it on to what it starts, if that leaves its group too. */
  processes() {
    return readdirSync("/proc").filter((p) => /^\d+$/.test(p)).map(Number).filter((p) => {
      try { return readFileSync(`/proc/${p}/environ`, "latin1").includes(this.mark); } catch { return false; } // it has ended, or is another user's
    });
  }

  /** kill ends all that runs on the display, and returns how many it found. */
  kill() {
    const found = this.processes();
    for (const p of found) try { process.kill(p, "SIGKILL"); } catch { /* it has ended */ }
    return found.length;
  }

  async close() {
    this.closing = true;
    await until(() => this.kill() === 0, "all that ran on the display has ended");
    process.off("exit", this.onEnd);
    for (const signal of SIGNALS) process.off(signal, stop);
    this.forget();
  }

  forget() { rmSync(this.home, { recursive: true, force: true, maxRetries: 5 }); }

  /** rests waits until Orca has nothing more to do: its log has stopped. */
  async rests() {
    let size = -1, since = 0;
    await until(() => {
      const now = this.alive() && statSync(this.log).size;
      if (now !== size) [size, since] = [now, Date.now()];
      return Date.now() - since >= STOPPED;
    }, "Orca rests");
  }

  /** paced returns the engine with keys that come as those of a human who listens: some letters, and the next once Orca rests. Of more than 50 events that wait, Orca passes over those that tell news. */
  paced(engine) {
    const act = async ([{ actions, ...from }]) => {
      for (const some of pieces(actions)) {
        await engine.act([{ ...from, actions: some }]);
        await this.rests();
      }
    };
    return { ...engine, act };
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
