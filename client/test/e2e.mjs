// Builds the program, with the window in it, and the scripted provider and agent, then
// runs the flows of e2e/ against both, those that are named, or all of a folder
// (measure/, one after the other). The window must be built already. VIBEY_SHOTS names a folder for pictures.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const names = process.argv.slice(2);
const folder = names[0]?.endsWith("/") ? names.shift() : "e2e/";
const here = fileURLToPath(new URL(folder, import.meta.url));
const tests = names.length > 0 ? names.map((f) => f + ".test.mjs") : readdirSync(here).filter((f) => f.endsWith(".test.mjs"));
const out = mkdtempSync(join(tmpdir(), "vibey-e2e-"));
const twice = fileURLToPath(new URL("twice.mjs", import.meta.url));
const run = (command, args, env = {}) => spawnSync(command, args, { cwd: here, stdio: "inherit", env: { ...process.env, ...env } }).status ?? 1;
try {
  process.exitCode =
    run("go", ["build", "-o", out + "/", "vibey/cmd/vibey", "vibey/provider/providertest/mock"]) ||
    run(process.execPath, [twice, folder === "measure/" ? "1" : "4", ...tests], { VIBEY_BUILT: out });
} finally {
  rmSync(out, { recursive: true, force: true });
}
