// What the window pastes, held against the server's reading of markdown: a page that is pasted is the same page.
import { test } from "node:test";
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { project, sees, until, withWorld } from "./real.mjs";

const SOURCE = `# A page

Words with **bold**, *slanted*, ***both***, ~~struck~~ and \`code\`; a [link](https://example.org/a_%28b%29).
A line\\
that is broken.

Not marks: \\*stars\\* 2\\*3 snake_case \\_this\\_ \\[x](y) \\[^1] \\<b> \\\`tick\\\` \\~~wave\\~~ back\\\\slash.

\\# no heading

\\- no item

1\\. no number

\\> no quotation

## Lists

- one
- two
  - two a
  - two b
    1. deep
    2. deeper
- three

7. seven
8. eight

   with a paragraph

> Said **once**.
>
> > Said twice.

| Hour | a \\| b |
| --- | --- |
| 21 | \`x\` |
| 03 |  |

\`\`\`\`go
if a < b { // \`\`\`
}
\`\`\`\`

---

The end.
`;

// The documentation of the program, as pages of every kind.
const DOCS = fileURLToPath(new URL("../../../vibey/vibey/", import.meta.url));

test("a page that is pasted is the same page", () => withWorld({ replies: [] }, async ({ world, page }) => {
  await project(page, "p");
  const names = readdirSync(DOCS).filter((n) => /^doc-.*\.md$/.test(n) && !readFileSync(DOCS + n, "utf8").includes("əəə")); // a block of ours in code is one of ours when it is pasted
  for (const n of names) world.write(readFileSync(DOCS + n, "utf8"), "p", n);
  world.write(SOURCE, "p", "doc-source.md");
  world.write("", "p", "doc-copy.md");
  const body = async (doc) => /<article[^]*<\/article>|<main[^]*<\/main>/.exec(await world.ask("GET", `/project/p/file/${doc}/page`))[0];
  await page.goto(`http://${world.addr}/#/project/p/docs/doc-copy.md`);
  const box = page.getByRole("textbox", { name: /^Text of/ });
  await sees(box);
  for (const name of ["doc-source.md", ...names]) {
    const html = await body(name);
    await box.press("Control+a");
    const before = world.read("p", "doc-copy.md");
    await box.evaluate((el, html) => {
      const data = new DataTransfer();
      data.setData("text/html", html);
      data.setData("text/plain", "words");
      el.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
    }, html);
    await until(async () => { await page.keyboard.press("Control+s"); return world.read("p", "doc-copy.md") !== before; });
    const same = (s) => s.replaceAll(/<a>(.*?)<\/a>/gs, "$1").replaceAll(/\s+/g, " ").replaceAll(/ <\/code>/g, "</code>");
    const [is, want] = [await body("doc-copy.md"), html].map((s) => same(s).split(/(?=<)/));
    const at = is.findIndex((p, i) => p !== want[i]);
    assert.deepEqual(is.slice(at - 3, at + 5), want.slice(at - 3, at + 5), name);
    assert.equal(is.length, want.length);
  }
}));
