import { deleteMarkupBackward, insertNewlineContinueMarkupCommand } from "@codemirror/lang-markdown";
import { Prec, type Extension } from "@codemirror/state";
import { EditorView, keymap } from "@codemirror/view";
import { codeColours } from "./codecolours.ts";
import { cards, type CardOptions } from "./cards.ts";
import { focusField } from "./focus.ts";
import { footnotes } from "./footnotes.ts";
import { endList, openMarks, pageKeys } from "./keys.ts";
import { followLinks, type LinkOptions } from "./links.ts";
import { headingGap, lineStyles } from "./linestyles.ts";
import type { PictureOptions } from "./picture.ts";
import { livePreview } from "./preview.ts";
import { docLanguage } from "./schwa.ts";
import { tableCells } from "./tables.ts";

/** PageOptions is what the page of markdown needs from the window. */
export interface PageOptions extends LinkOptions, PictureOptions, CardOptions {}

/** markdown is the page: its language, its keys, and how it looks. */
export function markdown(o: PageOptions): Extension {
  return [
    docLanguage.extension, // markdown() would bring html, css and javascript along: 70 KB
    EditorView.contentAttributes.of({ spellcheck: "true", autocapitalize: "sentences" }),
    EditorView.perLineTextDirection.of(true),
    footnotes,
    followLinks(o),
    // An empty item of an inner list becomes one of the outer list, also in a list without blank lines.
    openMarks,
    keymap.of([{ key: "Enter", run: endList }, { key: "Enter", run: insertNewlineContinueMarkupCommand({ nonTightLists: false }) }, { key: "Backspace", run: deleteMarkupBackward }, ...pageKeys]),
    lineStyles,
    headingGap,
    cards(o),
    livePreview(o),
    codeColours,
    focusField,
    Prec.lowest(tableCells), // the outermost element, which no other mark may split
  ];
}
