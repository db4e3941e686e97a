import assert from "node:assert/strict";
import { test } from "node:test";
import { highlight } from "../../src/editor/highlight.ts";

const now = () => Promise.resolve();
const shown = async (name: string, code: string) => (await highlight(code, name, now))?.map((p) => (p.class === "" ? p.text : `[${p.class.slice(5)[0]}:${p.text}]`)).join("");

// k keyword, s string, n number or name, c comment, a added, r removed
test("words get the class of what they are", async () => {
  for (const [name, code, want] of [
    ["js", "const a = `x\ny` // z", "[k:const] [n:a] = [s:`x]\n[s:y`] [c:// z]"],
    ["TS", "let n: number = 1", "[k:let] [n:n]: [n:number] = [n:1]"],
    ["tsx", "<b>1</b>", "<[k:b]>1</[k:b]>"],
    ["go", 'func f() { return "<x>" } // 1', '[k:func] [n:f]() { [k:return] [s:"<x>"] } [c:// 1]'],
    ["python", "def f(): # d\n  return None", "[k:def] [n:f](): [c:# d]\n  [k:return] [n:None]"],
    ["json", '{"a": true, "b": 12}', '{[n:"a"]: [n:true], [n:"b"]: [n:12]}'],
    ["html", '<!-- c --><p class="x">1</p><script>let a</script>', '[c:<!-- c -->]<[k:p] [n:class]=[s:"x"]>1</[k:p]><[k:script]>[k:let] [n:a]</[k:script]>'],
    ["css", "a{color:#fff}", "[k:a]{[n:color]:[n:#fff]}"],
    ["rust", "fn f() -> u8 { 1 }", "[k:fn] [n:f]() -> [n:u8] { [n:1] }"],
    ["c++", "int f() { return 1; }", "[n:int] [n:f]() { [k:return] [n:1]; }"],
    ["java", "class A { int a = 1; }", "[k:class] [n:A] { [n:int] [n:a] = [n:1]; }"],
    ["xml", "<a b='c'/>", "<[k:a] [n:b]=[s:'c']/>"],
    ["yaml", "a: 1 # b", "[n:a]: 1 [c:# b]"],
    ["sh", 'echo "a b" # end\nif true; then', '[n:echo] [s:"a b"] [c:# end]\n[k:if] [n:true]; [k:then]'],
    ["sql", "SELECT a -- all", "[k:SELECT] a [c:-- all]"],
    ["diff", "--- a\n+new\n-old\n same", "[r:--- a]\n[a:+new]\n[r:-old]\n same"],
    ["toml", 'a = "b"', '[n:a] = [s:"b"]'],
    ["c#", 'var a = "b";', '[k:var] [n:a] = [s:"b"];'],
    ["ruby", "def f; end", "[k:def] [n:f]; [k:end]"],
  ] as const) assert.equal(await shown(name, code), want, name);
});

test("a language that is not known is left alone", async () => {
  for (const name of ["", "nosuch", "constructor", "__proto__"]) assert.equal(await highlight("func", name, now), null);
});

test("no character is lost, whatever the code", async () => {
  const odd = ["", "\n", "\n\nx\n", "\r\n\ta\r\n", "\u0000", "'\\", "/* never closed", "\"open\ny", "`${`${", "é\u{1f600}\u202e", "<".repeat(500), "((((".repeat(200), "$(".repeat(300) + "\n", "<<EOF\n$x\n"];
  for (const name of ["js", "tsx", "html", "css", "json", "python", "go", "rust", "cpp", "java", "xml", "yaml", "md", "sh", "sql", "diff", "toml", "ini", "dockerfile", "ruby", "lua", "swift", "cs", "kotlin", "scala", "dart"]) {
    for (const code of odd) assert.equal((await highlight(code, name, now))!.map((p) => p.text).join(""), code, `${name} ${JSON.stringify(code)}`);
  }
});

test("a long text is read in steps", async () => {
  for (const [name, line] of [["js", "if (a) { b('c') } // d\n"], ["html", "<p>a <b>b</b></p>\n"], ["sh", "a b # c\n"]] as const) {
    let steps = 0;
    await highlight(line.repeat(2000), name, async () => { steps++; });
    assert.ok(steps > 20, `${name}: ${steps}`);
  }
});
