import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { markdownKeymap } from "@codemirror/lang-markdown";
import { presentableDiff } from "@codemirror/merge";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import { EditorState, Text, Transaction, type ChangeSpec } from "@codemirror/state";
import { drawSelection, dropCursor, EditorView, keymap, placeholder } from "@codemirror/view";
import { docLanguage } from "./schwa.ts";
import { livePreview } from "./preview.ts";
import { lineStyles } from "./linestyles.ts";
import { proseStyle } from "./style.ts";

export interface EditorOptions {
  text: string;
  /** the text on disk, which onEdit compares with */
  base: string;
  label: string;
  onEdit: (dirty: boolean) => void;
  /** is called with the text once at first, and at most twice a second after changes */
  onText: (text: string) => void;
}

/** MarkdownEditor is a mounted editor. */
export interface MarkdownEditor {
  read(): string;
  replace(text: string): void;
  goTo(line: number): void;
  append(text: string): void;
  markClean(): void;
  destroy(): void;
}

/**
 * mountEditor puts a markdown editor into an element. read returns the text byte for
 * byte: "\n" alone ends a line, so CR stays part of its line.
 */
export function mountEditor(parent: HTMLElement, o: EditorOptions): MarkdownEditor {
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
        // In a doc without CR, a paste loses its own; a doc that has them keeps them.
        EditorView.clipboardInputFilter.of((t, state) => (state.doc.toString().includes("\r") ? t : t.replace(/\r\n?/g, "\n"))),
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({ "aria-label": o.label, spellcheck: "true", autocapitalize: "sentences", dir: "auto", tabindex: "0" }),
        EditorView.perLineTextDirection.of(true),
        history(),
        drawSelection(),
        dropCursor(),
        search({ top: true }),
        highlightSelectionMatches(),
        placeholder("Write here what you want to exist."),
        docLanguage.extension, // markdown() would bring html, css and javascript along: 70 KB
        proseStyle,
        lineStyles,
        livePreview,
        // Tab indents; after Escape it moves the focus, so that the text can be left by keys alone.
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
    // Only what differs is replaced, so that the cursor stays and undo never
    // reverts another writer's change.
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
    goTo: (line) => {
      const at = view.state.doc.line(Math.max(1, Math.min(line, view.state.doc.lines))).from;
      view.dispatch({ selection: { anchor: at }, effects: EditorView.scrollIntoView(at, { y: "center" }) });
      view.focus();
    },
    markClean: () => { base = view.state.doc; },
    destroy: () => {
      clearTimeout(timer);
      view.destroy();
    },
  };
}
