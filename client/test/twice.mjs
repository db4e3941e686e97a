// Runs test files, so many at a time; where tests of a few files fail (again.mjs says of
// which), it runs these files once more, one at a time. What passes only then is told in a
// line that begins with FLAKY, at the end: it is a fault of the test or of the program, to
// be looked at, and no reason to stop everything else.
//
//   node test/twice.mjs 6 a.test.mjs b.test.mjs …
import { spawn } from "node:child_process";
import { again } from "./again.mjs";

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
process.exitCode = status;
const more = status === 0 ? null : again(text);
if (more !== null) {
  process.exitCode = (await run(1, more.files)).status;
  if (process.exitCode === 0) for (const name of more.names) console.log(`FLAKY: passed only when run again: ${name}`);
}
