import { markdownKeymap } from "@codemirror/lang-markdown";
import type { Extension } from "@codemirror/state";
import { EditorView, keymap } from "@codemirror/view";
import { docLanguage } from "./schwa.ts";
import { livePreview } from "./preview.ts";
import { lineStyles } from "./linestyles.ts";

/** PageOptions is what the page of markdown needs from the window. */
export interface PageOptions {}

/** markdown is the page: its language, its keys, and how it looks. */
export function markdown(_o: PageOptions): Extension {
  return [
    docLanguage.extension, // markdown() would bring html, css and javascript along: 70 KB
    EditorView.contentAttributes.of({ spellcheck: "true", autocapitalize: "sentences" }),
    EditorView.perLineTextDirection.of(true),
    lineStyles,
    livePreview,
    keymap.of(markdownKeymap),
  ];
}
