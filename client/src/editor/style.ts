import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { EditorView } from "@codemirror/view";
import { tags as t } from "@lezer/highlight";

const mono = "var(--mono)";

const highlight = HighlightStyle.define([
  { tag: t.heading, fontWeight: "700" },
  { tag: t.emphasis, fontStyle: "italic" },
  { tag: t.strong, fontWeight: "700" },
  { tag: t.strikethrough, textDecoration: "line-through" },
  { tag: t.url, color: "var(--ink-3)", fontSize: "0.86em" },
  { tag: t.monospace, fontFamily: mono, fontSize: "0.84em" },
  { tag: [t.processingInstruction, t.contentSeparator, t.labelName], color: "var(--ink-3)" },
  { tag: t.meta, color: "var(--ink-3)" },
  { tag: t.comment, color: "var(--ink-3)" },
]);

// CodeMirror's own style sheet is in no layer and wins over ours: what must win over it is here.
const theme = EditorView.theme({
  "&": { height: "100%", backgroundColor: "transparent", color: "var(--ink)", fontSize: "1.125rem" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "var(--serif)", lineHeight: "1.65", overflow: "auto" },
  ".cm-content": { maxWidth: "42rem", marginInline: "auto", padding: "2.5rem 1.5rem", caretColor: "var(--accent)", boxSizing: "border-box" },
  ".cm-line": { padding: "0" },
  ".cm-cursor, .cm-dropCursor": { borderLeftColor: "var(--accent)", borderLeftWidth: "2px" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": { backgroundColor: "var(--select)" },
  ".cm-placeholder": { color: "var(--ink-3)" },
  ".cm-panels": { position: "absolute", insetInline: "0", color: "var(--ink)", backgroundColor: "transparent", pointerEvents: "none" },
  ".cm-panels-top": { borderBottom: "0" },
  ".cm-searchMatch": { backgroundColor: "var(--mark)" },
  ".cm-searchMatch-selected": { backgroundColor: "var(--select)", outline: "2px solid var(--accent)" },
});

/** proseStyle makes the editor look like a page. */
export const proseStyle = [syntaxHighlighting(highlight), theme];
