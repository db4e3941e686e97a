import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { markdownKeymap, markdownLanguage } from "@codemirror/lang-markdown";
import { presentableDiff } from "@codemirror/merge";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import { EditorState, Text, Transaction, type ChangeSpec } from "@codemirror/state";
import { drawSelection, dropCursor, EditorView, keymap, placeholder } from "@codemirror/view";
import { livePreview } from "./preview.ts";
import { lineStyles } from "./lines.ts";
import { proseStyle } from "./style.ts";

export interface EditorOptions {
  text: string;
  /** what is on disk: the text differs from it, or does not */
  base: string;
  label: string;
  onEdit: (dirty: boolean) => void;
  /** hears the text at first and, at most twice a second, when it changed */
  onText: (text: string) => void;
}

/** Pane is the editor as its owner sees it. */
export interface Pane {
  read(): string;
  replace(text: string): void;
  append(text: string): void;
  markClean(): void;
  destroy(): void;
}

/**
 * mountEditor puts a markdown editor into an element. Every byte of the text
 * comes back as it was: "\n" alone ends a line, so CR stays part of its line.
 */
export function mountEditor(parent: HTMLElement, o: EditorOptions): Pane {
  const split = (s: string) => Text.of(s.split("\n"));
  let base = split(o.base);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const nonce = document.querySelector<HTMLMetaElement>("meta[name=csp-nonce]")?.content ?? "";
  const view = new EditorView({
    parent,
    state: EditorState.create({
      doc: split(o.text),
      extensions: [
        EditorState.lineSeparator.of("\n"),
        EditorView.cspNonce.of(nonce),
        // A doc without CR gets none by a paste; one that has them keeps them.
        EditorView.clipboardInputFilter.of((t, state) => (state.doc.toString().includes("\r") ? t : t.replace(/\r\n?/g, "\n"))),
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({ "aria-label": o.label, spellcheck: "true", autocapitalize: "sentences", dir: "auto" }),
        EditorView.perLineTextDirection.of(true),
        history(),
        drawSelection(),
        dropCursor(),
        search({ top: true }),
        highlightSelectionMatches(),
        placeholder("Write here what you want to exist."),
        markdownLanguage.extension, // markdown() would bring html, css and javascript along: 70 KB
        proseStyle,
        lineStyles,
        livePreview,
        // Tab indents; after Escape it moves on, so that keys alone can leave the text.
        keymap.of([{ key: "Escape", run: (v) => (v.setTabFocusMode(2000), false) }]),
        keymap.of([...markdownKeymap, ...defaultKeymap, ...historyKeymap, ...searchKeymap, indentWithTab]),
        EditorView.updateListener.of((u) => {
          if (!u.docChanged) return;
          o.onEdit(!u.state.doc.eq(base));
          timer ??= setTimeout(() => {
            timer = undefined;
            o.onText(view.state.doc.toString());
          }, 500);
        }),
      ],
    }),
  });
  o.onText(o.text);
  view.focus();
  return {
    read: () => view.state.doc.toString(),
    // Only what differs is replaced: the cursor stays where it is, and undo
    // never takes back what someone else wrote.
    replace: (text) => {
      const now = view.state.doc.toString();
      const changes: ChangeSpec[] = presentableDiff(now, text, { scanLimit: 500, timeout: 200 }).map((c) => ({
        from: c.fromA, to: c.toA, insert: split(text.slice(c.fromB, c.toB)),
      }));
      if (changes.length > 0) view.dispatch({ changes, annotations: Transaction.addToHistory.of(false) });
      base = split(text);
    },
    append: (text) => {
      const end = view.state.doc.length;
      const insert = split((view.state.doc.toString().endsWith("\n") || end === 0 ? "" : "\n") + text);
      view.dispatch({ changes: { from: end, insert }, selection: { anchor: end + insert.length }, scrollIntoView: true });
    },
    markClean: () => { base = view.state.doc; },
    destroy: () => {
      clearTimeout(timer);
      view.destroy();
    },
  };
}
