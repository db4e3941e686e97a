import { test } from "node:test";
import assert from "node:assert/strict";
import { formed } from "../../src/editor/formed.ts";

test("markdown becomes html for another program: headings, emphasis, links, lists, quotations, tables, code, footnotes", () => {
  const cases: [string, string][] = [
    ["the **brass** *lamp* ~~out~~ `a<b`", "the <strong>brass</strong> <em>lamp</em> <del>out</del> <code>a&lt;b</code>"],
    ["# Night\n\nIt was & is.\n", "<h1>Night</h1>\n\n<p>It was &amp; is.</p>"],
    ["Night\n=====\n", "<h1>Night</h1>"],
    ["- one\n- two\n  - three\n", "<ul><li>one</li>\n<li>two\n  <ul><li>three</li></ul></li></ul>"],
    ["3. one\n4. two\n", '<ol start="3"><li>one</li>\n<li>two</li></ol>'],
    ["- [x] done\n", "<ul><li>☑ done</li></ul>"],
    ["> said\n> he\n", "<blockquote><p>said\n he</p></blockquote>"],
    ["[a \"b\"](https://x.example/?q=1&r \"t\") [here](doc-a.md) ![sea](files/a.png)", '<a href="https://x.example/?q=1&amp;r">a &quot;b&quot;</a> here sea'],
    ["[x](javascript:alert(1)) <b onclick=x>", "x &lt;b onclick=x&gt;"],
    ["one\\\ntwo \\* &amp;", "one<br>two * &amp;"],
    ["| a | b |\n| - | - |\n| c | d |\n", "<table><tr> <th>a</th>  <th>b</th> </tr>\n\n<tr> <td>c</td>  <td>d</td> </tr></table>"],
    ["```js\nlet a = 1 < 2;\n\nb\n```\n", "<pre>let a = 1 &lt; 2;\n\nb</pre>"],
    ["a[^1]\n\n[^1]: Note.\n", "<p>a<sup>1</sup></p>\n\n<p><sup>1</sup> Note.</p>"],
    ["---\n\na\n", "<hr>\n\n<p>a</p>"],
  ];
  // Blanks between blocks show nothing.
  const tight = (html: string) => html.replace(/\s*(<\/?(?:p|h\d|ul|ol|li|blockquote|table|tr|th|td|pre|hr)\b[^>]*>)\s*/g, "$1").trim();
  for (const [text, want] of cases) assert.equal(tight(formed(text)), tight(want), text);
});
