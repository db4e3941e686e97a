import type { StreamParser } from "@codemirror/streamparser";
import type { Parser } from "@lezer/common";

/** Language reads a programming language: by a grammar, or line by line. */
export type Language = { grammar: Parser } | { lines: StreamParser<unknown> };

type Load = () => Promise<Language>;

const grammar = (load: () => Promise<Parser>): Load => async () => ({ grammar: await load() });
const lines = (load: () => Promise<unknown>): Load => async () => ({ lines: (await load()) as StreamParser<unknown> });

const script = (dialect: string) => grammar(async () => {
  const { parser } = await import("@lezer/javascript");
  return dialect === "" ? parser : parser.configure({ dialect });
});

// A page's scripts and styles are read in their own languages.
const page = grammar(async () => {
  const [html, js, css] = await Promise.all([import("@lezer/html"), import("@lezer/javascript"), import("@lezer/css")]);
  return html.parser.configure({ wrap: html.configureNesting([{ tag: "script", parser: js.parser }, { tag: "style", parser: css.parser }]) });
});

const cLike = (name: "csharp" | "kotlin" | "scala" | "dart") => lines(async () => (await import("@codemirror/legacy-modes/mode/clike"))[name]);

// Each is a chunk of its own, loaded when its first block is met. The names are those
// that writers put behind a fence.
const ALL: [names: string, load: Load][] = [
  ["js javascript mjs cjs node", script("")],
  ["jsx", script("jsx")],
  ["ts typescript mts cts", script("ts")],
  ["tsx", script("ts jsx")],
  ["html htm vue svelte", page],
  ["css scss less", grammar(async () => (await import("@lezer/css")).parser)],
  ["json jsonc json5 jsonl", grammar(async () => (await import("@lezer/json")).parser)],
  ["py python python3 pycon", grammar(async () => (await import("@lezer/python")).parser)],
  ["go golang", grammar(async () => (await import("@lezer/go")).parser)],
  ["rs rust", grammar(async () => (await import("@lezer/rust")).parser)],
  ["c h cpp c++ cc hpp cxx", grammar(async () => (await import("@lezer/cpp")).parser)],
  ["java", grammar(async () => (await import("@lezer/java")).parser)],
  ["xml svg xsl rss", grammar(async () => (await import("@lezer/xml")).parser)],
  ["yaml yml", grammar(async () => (await import("@lezer/yaml")).parser)],
  ["md markdown", grammar(async () => (await import("./mdgrammar.ts")).parser)],
  ["sh bash shell zsh console terminal ksh", lines(async () => (await import("@codemirror/legacy-modes/mode/shell")).shell)],
  ["sql", lines(async () => (await import("@codemirror/legacy-modes/mode/sql")).standardSQL)],
  ["diff patch", lines(async () => (await import("@codemirror/legacy-modes/mode/diff")).diff)],
  ["toml", lines(async () => (await import("@codemirror/legacy-modes/mode/toml")).toml)],
  ["ini conf properties env", lines(async () => (await import("@codemirror/legacy-modes/mode/properties")).properties)],
  ["dockerfile docker", lines(async () => (await import("@codemirror/legacy-modes/mode/dockerfile")).dockerFile)],
  ["rb ruby", lines(async () => (await import("@codemirror/legacy-modes/mode/ruby")).ruby)],
  ["lua", lines(async () => (await import("@codemirror/legacy-modes/mode/lua")).lua)],
  ["swift", lines(async () => (await import("@codemirror/legacy-modes/mode/swift")).swift)],
  ["cs csharp c#", cLike("csharp")],
  ["kt kotlin", cLike("kotlin")],
  ["scala", cLike("scala")],
  ["dart", cLike("dart")],
];

const byName = new Map(ALL.flatMap(([names, load]) => names.split(" ").map((n) => [n, load] as const)));
const loaded = new Map<Load, Promise<Language>>();

/** language loads the language that a fence names, or is null for one that is not known here. */
export function language(name: string): Promise<Language> | null {
  const load = byName.get(name.toLowerCase());
  if (load === undefined) return null;
  let l = loaded.get(load);
  if (l === undefined) {
    l = load();
    loaded.set(load, l);
    l.catch(() => loaded.delete(load)); // a chunk that did not come is asked for again
  }
  return l;
}
