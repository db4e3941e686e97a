// Bundles the tests of the pure modules and runs them with node's own runner:
// Node 20 reads no TypeScript.
import { build } from "esbuild";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const here = fileURLToPath(new URL("unit/", import.meta.url));
const tests = readdirSync(here).filter((f) => f.endsWith(".test.ts"));
const out = mkdtempSync(join(tmpdir(), "vibey-unit-"));
try {
  await build({
    entryPoints: tests.map((f) => join(here, f)),
    outdir: out,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    platform: "node",
    format: "esm",
    sourcemap: "inline",
    logLevel: "warning",
  });
  const run = spawnSync(process.execPath, ["--test", "--enable-source-maps", ...tests.map((f) => join(out, f.replace(/ts$/, "mjs")))], { stdio: "inherit" });
  process.exitCode = run.status ?? 1;
} finally {
  rmSync(out, { recursive: true, force: true });
}
