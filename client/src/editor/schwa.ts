import { markdownLanguage } from "@codemirror/lang-markdown";
import { Language } from "@codemirror/language";
import type { Input } from "@lezer/common";
import { tags as t } from "@lezer/highlight";
import type { MarkdownConfig, MarkdownParser } from "@lezer/markdown";
import { criticInline } from "./criticgrammar.ts";
import { footnoteBlocks } from "./footnotes.ts";

const FENCE = "əəə";

// A line with a fourth ə is escaped text of a block, and no fence.
const opens = (line: string) => line.startsWith(FENCE) && line.trim().length > FENCE.length && line[FENCE.length] !== "ə";
const closes = (line: string) => line.trimEnd() === FENCE;

/** schwaBlocks reads fenced blocks of schwas, in which no markdown stands. A block that nothing closes goes on to the end. */
const schwaBlocks: MarkdownConfig = {
  defineNodes: [{ name: "SchwaBlock", block: true }, { name: "SchwaMark", style: t.meta }, { name: "SchwaComment", style: t.comment }],
  parseBlock: [{
    name: "SchwaBlock",
    before: "IndentedCode",
    parse(cx, line) {
      if (!opens(line.text)) return false;
      const from = cx.lineStart;
      let to = from + line.text.length;
      const parts = [cx.elt("SchwaMark", from, to)];
      while (cx.nextLine()) {
        const at = cx.lineStart;
        to = at + line.text.length;
        const closed = closes(line.text);
        if (closed) parts.push(cx.elt("SchwaMark", at, to));
        else if (/^\s*#/.test(line.text)) parts.push(cx.elt("SchwaComment", at, to));
        if (!closed) continue;
        cx.nextLine();
        break;
      }
      cx.addElement(cx.elt("SchwaBlock", from, to, parts));
      return true;
    },
    endLeaf: (_cx, line) => opens(line.text),
  }],
};

// A closed block of keys between two lines of dashes, at the very beginning.
const FRONT = /^---[ \t\r]*\n(?!---)(?=[^\n]*:)(?:[^\n]*\n){1,60}?---[ \t\r]*(?:\n|$)/;

/** frontMatter returns how long the front matter of a text is, its last line break counted; 0 for none. */
export function frontMatter(beginning: string): number { return FRONT.exec(beginning)?.[0].length ?? 0; }

const frontBlock: MarkdownConfig = {
  defineNodes: [{ name: "FrontMatter", block: true, style: t.meta }],
  parseBlock: [{
    name: "FrontMatter",
    before: "HorizontalRule",
    parse(cx, line) {
      if (cx.lineStart !== 0 || !line.text.startsWith("---")) return false;
      const { input } = cx as unknown as { input: Input };
      const length = frontMatter(input.read(0, Math.min(input.length, 8000)));
      if (length === 0) return false;
      let to = line.text.length;
      while (cx.nextLine() && cx.lineStart < length) to = cx.lineStart + line.text.length;
      cx.addElement(cx.elt("FrontMatter", 0, to));
      return true;
    },
  }],
};

// Words in brackets within a link, as Wikipedia has its notes, are words: read as a link of their own they would leave none around them.
const bracketed: MarkdownConfig = {
  parseInline: [{
    name: "Bracketed",
    before: "Link",
    parse(cx, next, pos) {
      const m = next === 91 && cx.char(pos - 1) === 91 ? /^\[[^[\]\\\n]{1,100}\](?=\]\()/.exec(cx.slice(pos, Math.min(cx.end, pos + 104))) : null;
      return m ? pos + m[0].length : -1;
    },
  }],
};

/** docParser parses the markdown of docs. */
export const docParser = (markdownLanguage.parser as MarkdownParser).configure([schwaBlocks, frontBlock, footnoteBlocks, bracketed, criticInline]);

/** docLanguage is the markdown of docs. Its data is markdown's own, so that the keys for lists and quotes work in it. */
export const docLanguage = new Language(markdownLanguage.data, docParser, [], "markdown");
