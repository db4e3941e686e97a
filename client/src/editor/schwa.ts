import { markdownLanguage } from "@codemirror/lang-markdown";
import { Language } from "@codemirror/language";
import { tags as t } from "@lezer/highlight";
import type { MarkdownConfig, MarkdownParser } from "@lezer/markdown";

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

/** docParser parses the markdown of docs. */
export const docParser = (markdownLanguage.parser as MarkdownParser).configure(schwaBlocks);

/** docLanguage is the markdown of docs. Its data is markdown's own, so that the keys for lists and quotes work in it. */
export const docLanguage = new Language(markdownLanguage.data, docParser, [], "markdown");
