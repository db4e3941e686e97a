import type { SyntaxNode } from "@lezer/common";
import { docParser } from "./schwa.ts";

/** formed returns markdown as html. Words that are no more than a part of a paragraph are in none. */
export function formed(text: string): string {
  const top = docParser.parse(text).topNode, only = top.firstChild;
  return only?.name === "Paragraph" && only.nextSibling === null ? within(only, text) : within(top, text);
}

const TAGS: Record<string, string> = {
  Paragraph: "p", Blockquote: "blockquote", BulletList: "ul", Table: "table", TableRow: "tr", TableCell: "td",
  Emphasis: "em", StrongEmphasis: "strong", Strikethrough: "del", InlineCode: "code",
};
const LEFT_OUT = /Mark$|^(?:CodeInfo|LinkTitle|LinkLabel|LinkReference|TableDelimiter)$/;

const tag = (name: string, inner: string, more = "") => `<${name}${more}>${inner}</${name}>`;

function html(n: SyntaxNode, text: string): string {
  const words = () => text.slice(n.from, n.to);
  const heading = /^(?:ATX|Setext)Heading(\d)$/.exec(n.name);
  if (heading) return tag(`h${heading[1]}`, within(n, text).trim());
  if (TAGS[n.name]) return tag(TAGS[n.name]!, within(n, text));
  if (LEFT_OUT.test(n.name)) return "";
  switch (n.name) {
    case "OrderedList": return tag("ol", within(n, text), ` start="${parseInt(words())}"`);
    case "ListItem": return tag("li", within(n, text).trim().replace(/^<p>(.*?)<\/p>/s, "$1"));
    case "TaskMarker": return /x/i.test(words()) ? "☑" : "☐";
    case "TableHeader": return tag("tr", within(n, text).replace(/(<\/?)td>/g, "$1th>"));
    case "HorizontalRule": return "<hr>";
    case "HardBreak": return "<br>";
    case "Escape": return escaped(words().slice(1));
    case "Entity": return words();
    case "FencedCode": return tag("pre", n.getChildren("CodeText").map((c) => escaped(text.slice(c.from, c.to))).join(""));
    case "CodeBlock": case "SchwaBlock": case "FrontMatter": return tag("pre", escaped(words()));
    case "FootnoteRef": return tag("sup", escaped(words().slice(2, -1)));
    case "FootnoteNote": return tag("p", within(n, text));
    case "FootnoteLabel": return tag("sup", escaped(words().slice(2, -2)));
    case "URL": return /^(?:Link|Image)$/.test(n.parent!.name) ? "" : link(words(), escaped(words()));
    case "Link": case "Image": return link(addressOf(n, text), within(n, text).trim());
    default: return within(n, text);
  }
}

function within(n: SyntaxNode, text: string): string {
  let out = "", at = n.from;
  for (let c = n.firstChild; c; c = c.nextSibling) {
    out += escaped(text.slice(at, c.from)) + html(c, text);
    at = c.to;
  }
  return out + escaped(text.slice(at, n.to));
}

function addressOf(n: SyntaxNode, text: string): string {
  const url = n.getChild("URL");
  return url ? text.slice(url.from, url.to).replace(/^<|>$/g, "") : "";
}

// What leads to a place in this window leads nowhere elsewhere.
const link = (address: string, words: string) => (/^(?:https?:|mailto:)/i.test(address) ? tag("a", words, ` href="${escaped(address)}"`) : words);

const SIGNS: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
const escaped = (s: string) => s.replace(/[&<>"]/g, (c) => SIGNS[c]!);
