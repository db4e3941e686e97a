import type { MarkdownConfig } from "@lezer/markdown";

const NOTE = /^\{>>(?:(?!\{>>)[\s\S])*?<<\}/;

/**
 * criticInline reads the signs of CriticMarkup as no other marks: nothing in a comment's words
 * is markdown, and the tildes around words to be replaced strike nothing. What a mark is,
 * text/critic.ts decides.
 */
export const criticInline: MarkdownConfig = {
  defineNodes: [{ name: "CriticNote" }, { name: "CriticSign" }],
  parseInline: [{
    name: "Critic",
    before: "Escape",
    parse(cx, next, pos) {
      if (next === 123 && cx.char(pos + 1) === 62) {
        const m = NOTE.exec(cx.slice(pos, cx.end));
        return m ? cx.addElement(cx.elt("CriticNote", pos, pos + m[0].length)) : -1;
      }
      if (next === 123 && cx.slice(pos, pos + 3) === "{~~" && /~>[\s\S]*~~\}/.test(cx.slice(pos, cx.end))) return cx.addElement(cx.elt("CriticSign", pos, pos + 3));
      if (next === 126 && cx.slice(pos, pos + 3) === "~~}" && /\{~~[\s\S]*~>/.test(cx.slice(cx.offset, pos))) return cx.addElement(cx.elt("CriticSign", pos, pos + 3));
      return -1;
    },
  }],
};
