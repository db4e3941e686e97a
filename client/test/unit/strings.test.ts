import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import test from "node:test";
import { parser } from "@lezer/javascript";
import type { SyntaxNode } from "@lezer/common";

// Every word that a person reads in the window stands in text/strings.ts. What follows
// finds those that stand elsewhere: text between tags, what a tooltip or a label says, what
// is given to a function that shows it, and every string of two words or more.

/** Attributes, properties and functions whose strings are read by people. */
const SHOWN = new Set(["aria-label", "aria-description", "aria-valuetext", "title", "placeholder", "alt", "label"]);
const PROPERTIES = new Set([...SHOWN, "words", "word", "wants", "question", "effect", "detail", "trouble", "textContent", "ariaLabel"]);
const FUNCTIONS = new Set(["toast", "plural", "refuse", "Error", "ApiError"]);

/** What is no text for people, though it may have blanks: names of classes and what is looked up by CSS. */
const CLASSES = new Set(["class", "className"]);
const LOOKUPS = new Set(["querySelector", "querySelectorAll", "closest", "matches", "matchMedia"]);

/** What may stand elsewhere, each with why. "*" is every file. */
const EXCEPT: { file: string; is: RegExp; why: string }[] = [
  { file: "*", is: /^Ctrl( Shift| Alt)? \S$/, why: "keys, as they stand on a keyboard" },
  { file: "*", is: /^…*Vibey$/, why: "the name of the program" },
  { file: "*", is: /^(:|\.[a-z]|input:not)/, why: "a selector" },
  { file: "state/pressed.ts", is: /^button\b.*(a\[href\]|summary)/, why: "a selector" },
  { file: "state/follow.ts|view/doc/docs.tsx", is: /^# …/, why: "the heading that a new doc begins with" },
  { file: "text/time.ts", is: /^…( m …)? (ms|s|kB|MB)$/, why: "units, which strings.ts itself takes from there" },
  { file: "text/control.ts", is: /^(… deny|… approve sha256:…|(allow|ask) …|try run_command)$/, why: "lines of a control, in its format" },
  { file: "text/parts.ts", is: /^member …$/, why: "a key" },
  { file: "view/dialog/note.tsx", is: /^\[DOC CHANGED\] $/, why: "how the text of a Note begins, in the file's format" },
  { file: "view/parts/(diff|exact).tsx", is: /^… (end|fold|label)$/, why: "the name of a part, which is not shown" },
  { file: "view/parts/icon.tsx", is: /^M[\d.]/, why: "a drawing" },
  { file: "view/dialog/(log|stretches).tsx?", is: /px$/, why: "a value of CSS" },
  { file: "view/parts/html.ts|editor/pasted.ts", is: /^[A-Z0-9 ]+$/, why: "names of elements" },
  { file: "editor/(tidy|pastednotes).ts", is: /^(\[id\],|[a-z]+(\.\w+)?,) /, why: "a selector" },
  { file: "view/parts/html.ts", is: /^deed\/…$/, why: "a path" },
  { file: "view/parts/html.ts", is: /^noopener noreferrer$/, why: "how a link is opened" },
  { file: "state/api.ts|live/switchboard.ts", is: /^Bearer …$/, why: "a header" },
  { file: "state/notify.ts", is: /^vibey …$/, why: "a key" },
  { file: "state/window.ts", is: /^<(svg|circle) /, why: "a drawing" },
  { file: "editor/languages.ts", is: /^[a-z0-9+# ]+$/, why: "names of languages, as they stand behind a fence" },
  { file: "editor/find.ts", is: /^editor search-panel$/, why: "where a key acts" },
  { file: "editor/(linestyles|tables).ts", is: /^md-/, why: "names of classes" },
  { file: "editor/style.ts", is: /[.&]|solid var/, why: "CSS" },
];

interface Found { file: string; line: number; text: string }

/** stringsIn lists what a source says to people by itself. Where a template has a value, its text has "…". */
function stringsIn(file: string, source: string): Found[] {
  const out: Found[] = [];
  const tree = parser.configure({ dialect: file.endsWith("x") ? "ts jsx" : "ts" }).parse(source);
  const text = (n: SyntaxNode | null | undefined) => (n ? source.slice(n.from, n.to) : "");
  const found = (n: SyntaxNode, said: string) => out.push({ file, line: source.slice(0, n.from).split("\n").length, text: said.replace(/\s*\n\s*/g, " ") });
  const tag = (n: SyntaxNode) => text(n.parent?.firstChild?.firstChild?.nextSibling);
  const literal = (n: SyntaxNode): string => {
    if (n.name !== "TemplateString") return source.slice(n.from + 1, n.to - 1);
    let said = "", at = n.from + 1;
    for (const i of n.getChildren("Interpolation")) {
      said += `${source.slice(at, i.from)}…`;
      at = i.to;
    }
    return said + source.slice(at, n.to - 1);
  };
  const callee = (n: SyntaxNode): string => (n.name === "MemberExpression" ? text(n.getChild("PropertyName")) : text(n));

  const named = (name: string, shown: Set<string>) => (CLASSES.has(name) ? "none" : shown.has(name) ? "shown" : "");

  // What becomes of a literal, by what stands around it: "shown", "none", or "" where it is not known.
  const use = (n: SyntaxNode): "shown" | "none" | "" => {
    for (let at = n, p = n.parent; p !== null; at = p, p = p.parent) {
      switch (p.name) {
        case "ImportDeclaration": case "ExportDeclaration": case "DynamicImport": case "LiteralType": case "CaseLabel": return "none";
        case "JSXAttribute": return named(text(p.firstChild), SHOWN);
        case "Property": return at.from === p.from ? "none" : named(text(p.firstChild), PROPERTIES);
        case "AssignmentExpression": return named(callee(p.firstChild!), PROPERTIES);
        case "JSXElement": case "JSXFragment": return "shown";
        case "BinaryExpression": {
          const op = p.firstChild?.nextSibling;
          if (op?.name === "CompareOp" || op?.name === "in") return "none";
          break;
        }
        case "ConditionalExpression": if (at === p.firstChild) return ""; break;
        case "ArgList": {
          const name = callee(p.parent!.getChild("VariableName") ?? p.parent!.firstChild!);
          if (LOOKUPS.has(name)) return "none";
          if (name === "setAttribute") return at.from > p.from + 1 && SHOWN.has(text(p.getChild("String")).slice(1, -1)) ? "shown" : "none";
          return FUNCTIONS.has(name) ? "shown" : "";
        }
        case "JSXEscape": case "ParenthesizedExpression": case "TemplateString": case "Interpolation": case "LogicOp": break;
        default: return "";
      }
    }
    return "";
  };

  tree.iterate({
    enter({ node: n }) {
      if (n.name === "JSXText") {
        if (/\p{L}/u.test(text(n)) && !["kbd", "code"].includes(tag(n))) found(n, text(n).trim()); // keys and commands
        return;
      }
      if (n.name !== "String" && n.name !== "TemplateString" && n.name !== "JSXAttributeValue") return;
      const said = literal(n);
      if (!/\p{L}/u.test(said.replaceAll("…", ""))) return;
      const is = use(n);
      const twoWords = /\S\s+\S/.test(said);
      if (is === "shown" || (is === "" && twoWords)) found(n, said);
    },
  });
  return out;
}

const SRC = "src/";
const files = readdirSync(SRC, { recursive: true, encoding: "utf8" }).filter((f) => /\.tsx?$/.test(f) && f !== "types.ts" && f !== "text/strings.ts").sort();
const sources = files.map((file) => ({ file, source: readFileSync(SRC + file, "utf8") }));

const used = new Set<RegExp>();
function excepted(f: Found): boolean {
  const by = EXCEPT.find((e) => (e.file === "*" || new RegExp(`^(${e.file})$`).test(f.file)) && e.is.test(f.text));
  if (by) used.add(by.is);
  return by !== undefined;
}

test("what people read stands in strings.ts", () => {
  const all = sources.flatMap(({ file, source }) => stringsIn(file, source)).filter((f) => !excepted(f));
  assert.deepEqual(all.map((f) => `${f.file}:${f.line}: ${f.text}`), []);
  assert.deepEqual(EXCEPT.filter((e) => !used.has(e.is)).map((e) => `${e.file}: ${e.is} is not needed any more`), []);
});

test("a string that is added anywhere is found", () => {
  for (const { file, source } of sources) {
    const before = stringsIn(file, source).length;
    const after = stringsIn(file, `${source}\nexport const added = ${file.endsWith("x") ? "<p>Hello there</p>" : `"Hello there"`};\n`);
    assert.equal(after.at(-1)?.text, "Hello there", file);
    assert.equal(after.length, before + 1, file);
  }
});

test("each way to show a string is known", () => {
  const shown = (source: string) => stringsIn("view/x.tsx", source).map((f) => f.text);
  for (const [source, want] of [
    ["<p>Hello</p>", "Hello"],
    ["<p>{a && <b>Hello</b>}</p>", "Hello"],
    ["<p>{a ? \"Hello\" : null}</p>", "Hello"],
    ["<p>{`Hello ${name}`}</p>", "Hello …"],
    ["<button title=\"Hello\" />", "Hello"],
    ["<button aria-label={a ? \"Hello\" : b} />", "Hello"],
    ["<input placeholder={`Hello`} />", "Hello"],
    ["toast(\"Hello\")", "Hello"],
    ["throw new Error(\"Hello\")", "Hello"],
    ["el.setAttribute(\"aria-label\", \"Hello\")", "Hello"],
    ["el.textContent = \"Hello\"", "Hello"],
    ["const a = { title: \"Hello\" }", "Hello"],
    ["const a = \"Hello there\"", "Hello there"],
    ["f(\"Hello there\")", "Hello there"],
    ["return plural(n, \"hello\")", "hello"],
  ] as const) assert.deepEqual(shown(source), [want], source);
  for (const source of ["<p class=\"big red\" />", "<kbd>Ctrl S</kbd>", "<p>{a === \"a b\" && b}</p>", "switch (a) { case \"a b\": b(); }", "el.closest(\"a b\")", "// Hello there", "const a: \"a b\" = b", "import { a } from \"a b\"", "f(\"hello\")", "<p>{words.hello} … 12</p>"]) assert.deepEqual(shown(source), [], source);
});

test("an object of strings needs nothing to be run, so that each part of the window takes its own alone", () => {
  const source = readFileSync(`${SRC}text/strings.ts`, "utf8");
  const calls: string[] = [];
  parser.configure({ dialect: "ts" }).parse(source).iterate({
    enter({ node: n }) {
      if (["ArrowFunction", "FunctionDeclaration", "MethodDeclaration"].includes(n.name) || (n.name === "Property" && n.getChild("Block"))) return false;
      // A member of another object may be a getter, for all that the build knows.
      if (["CallExpression", "NewExpression", "MemberExpression"].includes(n.name)) calls.push(source.slice(n.from, n.to));
      return undefined;
    },
  });
  assert.deepEqual(calls, []);
});
