// Runs test files, so many at a time; where tests of one or two files fail, it runs these
// files once more, one at a time. What passes only then is told in a line that begins
// with FLAKY, at the end: it is a fault of the test or of the program, to be looked at,
// and no reason to stop everything else.
//
//   node test/twice.mjs 6 a.test.mjs b.test.mjs …
import { spawn } from "node:child_process";

const [atOnce, ...files] = process.argv.slice(2);

const run = (atOnce, files) => new Promise((ended) => {
  let text = "";
  const p = spawn(process.execPath, ["--test", "--test-reporter=tap", `--test-concurrency=${atOnce}`, ...files], { stdio: ["inherit", "pipe", "inherit"] });
  p.stdout.on("data", (b) => {
    process.stdout.write(b);
    text += b;
  });
  p.on("close", (status) => ended({ status: status ?? 1, text }));
});

const { status, text } = await run(atOnce, files);
const failed = [...text.matchAll(/^not ok \d+ - (.*)\n  ---\n  duration_ms: .*\n  location: '(.*):\d+:\d+'/gm)].map(([, name, file]) => ({ name, file }));
const again = [...new Set(failed.map((f) => f.file))];
const all = Number(/^# fail (\d+)$/m.exec(text)?.[1]) === failed.length && /^# cancelled 0$/m.test(text); // nothing failed whose file is not known
process.exitCode = status;
if (status !== 0 && all && again.length > 0 && again.length <= 2) {
  process.exitCode = (await run(1, again)).status;
  if (process.exitCode === 0) for (const f of failed) console.log(`FLAKY: passed only when run again: ${f.name}`);
}
