import { StringStream, type StreamParser } from "@codemirror/streamparser";
import type { Parser, Tree } from "@lezer/common";
import { highlightCode, tagHighlighter, tags as t } from "@lezer/highlight";
import { language } from "./languages.ts";

/** Piece is a stretch of code with the class of its colour, "" for none. */
export interface Piece { text: string; class: string }

/** codeClasses gives the words of code their classes: few, as on a quiet page. */
export const codeClasses = tagHighlighter([
  { tag: [t.keyword, t.modifier, t.operatorKeyword, t.self, t.tagName], class: "code-keyword" },
  { tag: [t.string, t.special(t.string), t.regexp, t.character, t.attributeValue, t.url], class: "code-string" },
  { tag: [t.number, t.bool, t.null, t.atom, t.escape, t.color, t.unit], class: "code-number" },
  { tag: [t.comment, t.meta, t.documentMeta, t.processingInstruction], class: "code-comment" },
  { tag: [t.typeName, t.className, t.namespace, t.propertyName, t.attributeName, t.definition(t.variableName), t.function(t.variableName), t.definition(t.propertyName), t.labelName, t.macroName], class: "code-name" },
  { tag: t.heading, class: "code-keyword" },
  { tag: t.inserted, class: "code-added" },
  { tag: t.deleted, class: "code-removed" },
]);

// What the languages that are read line by line call the same, by the first word of a style.
const STYLES: Record<string, string> = {
  keyword: "code-keyword", modifier: "code-keyword", qualifier: "code-keyword", tag: "code-keyword", tagName: "code-keyword", heading: "code-keyword", header: "code-keyword",
  string: "code-string", "string-2": "code-string", regexp: "code-string", url: "code-string", link: "code-string",
  number: "code-number", atom: "code-number", bool: "code-number", null: "code-number",
  comment: "code-comment", meta: "code-comment",
  def: "code-name", type: "code-name", typeName: "code-name", className: "code-name", builtin: "code-name", property: "code-name", propertyName: "code-name", attribute: "code-name", attributeName: "code-name", labelName: "code-name", namespace: "code-name",
  inserted: "code-added", deleted: "code-removed", positive: "code-added", negative: "code-removed",
};

function classOf(style: string | null): string {
  for (const one of (style ?? "").split(" ")) {
    const [word = "", ...more] = one.split(".");
    if (word === "variableName" && (more.includes("definition") || more.includes("function") || more.includes("standard"))) return "code-name";
    if (Object.hasOwn(STYLES, word)) return STYLES[word]!;
  }
  return "";
}

/**
 * highlight returns code in pieces, in order and without a character lost, or null where
 * its language is not known. It awaits pause between two steps of its work, each of which
 * is short, so that the caller decides when it goes on.
 */
export async function highlight(code: string, name: string, pause: () => Promise<void>): Promise<Piece[] | null> {
  const l = await language(name);
  if (l === null) return null;
  return "grammar" in l ? byGrammar(l.grammar, code, pause) : byLines(l.lines, code, pause);
}

async function byGrammar(parser: Parser, code: string, pause: () => Promise<void>): Promise<Piece[]> {
  const parse = parser.startParse(code);
  let tree: Tree | null;
  for (let n = 0; (tree = parse.advance()) === null; n++) if (n % 100 === 99) await pause();
  const all: Piece[] = [];
  highlightCode(code, tree, codeClasses, (text, classes) => put(all, text, classes.split(" ")[0]!), () => put(all, "\n", ""));
  return all;
}

async function byLines(mode: StreamParser<unknown>, code: string, pause: () => Promise<void>): Promise<Piece[]> {
  const all: Piece[] = [];
  const state = mode.startState?.(2) ?? {};
  for (const [n, line] of code.split("\n").entries()) {
    if (n > 0) put(all, "\n", "");
    if (n % 50 === 49) await pause();
    if (line === "") mode.blankLine?.(state, 2);
    const at = new StringStream(line, 4, 2);
    for (let still = 0; !at.eol(); ) {
      at.start = at.pos;
      const style = mode.token(at, state);
      // A language may change its state without reading on, but not for ever.
      if (at.pos === at.start && ++still < 10) continue;
      if (at.pos === at.start) at.pos++;
      still = 0;
      put(all, line.slice(at.start, at.pos), classOf(style));
    }
  }
  return all;
}

function put(all: Piece[], text: string, cls: string): void {
  const last = all.at(-1);
  if (last?.class === cls) last.text += text;
  else if (text !== "") all.push({ text, class: cls });
}
