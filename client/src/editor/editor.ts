import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { Compartment, EditorSelection, EditorState, Text, type Extension, type SelectionRange } from "@codemirror/state";
import { drawSelection, dropCursor, EditorView, keymap, placeholder } from "@codemirror/view";
import type { DocEditor, Place } from "../state/doc.ts";
import { completeLinks, type CompleteOptions } from "./complete.ts";
import { begin, begun, chosen, isDirty, kept, mineField, rebased, reverted, saved, saving } from "./mine.ts";
import { grewLong, longer } from "./longline.ts";
import { inIdleTime, Words } from "./words.ts";
import { markdown, type PageOptions } from "./markdown.ts";
import { askAbout, askedIn, passages, selectedIn, type PassageOptions } from "./passage.ts";
import type { SuggestedOptions } from "./suggested.ts";
import { criticLater, type CriticOptions } from "./criticlater.ts";
import type { FilesOptions } from "./files.ts";
import { focusField, setFocusing } from "./focus.ts";
import { hiddenChars, type Revealed } from "./hiddenchars.ts";
import { headings } from "../text/links.ts";
import { pasteMarkdown, type PasteOptions } from "./paste.ts";
import { leaveByTab } from "./keys.ts";
import { setOnPaper } from "./onpaper.ts";
import { outsideMarks } from "./outside.ts";
import { marksUnfold, readingField, setReading } from "./reading.ts";
import { proseStyle } from "./style.ts";

export interface EditorOptions extends PageOptions, CompleteOptions, PasteOptions, FilesOptions, PassageOptions, SuggestedOptions, CriticOptions {
  /** the text of the file */
  base: string;
  /** the human's changes in it, as `changes` gave them; null for none */
  mine: unknown;
  /** null puts the cursor below the heading */
  place: Place | null;
  reveal: (text: string) => Revealed[];
  label: string;
  /** what an empty text waits for */
  empty: string;
  /** how a text is left in which Tab indents */
  leave: string;
  onEdit: (dirty: boolean) => void;
  onWords: (n: number) => void;
  /** is called once where a line is so long that no markdown is read */
  onPlain: () => void;
  /** calls f once the text can be written in */
  afterwards: (f: () => void) => void;
}

/** MarkdownEditor is a mounted editor: what a doc needs of it, and what its page does. */
export interface MarkdownEditor extends DocEditor {
  append(text: string): void;
  destroy(): void;
}

// What CodeMirror keeps of where a text is scrolled to: a line, and how far below the upper edge it begins.
interface Snapshot { range: SelectionRange; yMargin: number }

const split = (s: string) => Text.of(s.split("\n"));

/**
 * mountEditor puts a markdown editor into an element. read returns the text byte for
 * byte: "\n" alone ends a line, so CR stays part of its line.
 */
export function mountEditor(parent: HTMLElement, o: EditorOptions): MarkdownEditor {
  const { doc, init } = begin(split(o.base), o.mine);
  const page = new Compartment(), label = new Compartment(), files = new Compartment(), copied = new Compartment(), critic = criticLater(o);
  let plain = longer(o.base) || longer(doc.toString());
  const words = new Words();
  let stopCount = () => {};
  let timer: ReturnType<typeof setTimeout> | undefined;
  const count = () => {
    timer = undefined;
    stopCount();
    stopCount = inIdleTime((late) => {
      const n = words.count(view.state.doc, late);
      if (n !== null) o.onWords(n);
      return n !== null;
    });
  };
  const place = { anchor: Math.min(o.place?.cursor ?? belowHeading(doc), doc.length) };
  const nonce = document.querySelector<HTMLMetaElement>("meta[name=csp-nonce]")?.content ?? "";
  const view = new EditorView({
    parent,
    state: EditorState.create({
      doc: plain ? "" : doc,
      ...(plain ? {} : { selection: place }),
      extensions: [
        EditorState.lineSeparator.of("\n"),
        EditorView.cspNonce.of(nonce),
        // In a doc without CR, a paste loses its own; a doc that has them keeps them.
        EditorView.clipboardInputFilter.of((t, state) => (state.doc.toString().includes("\r") ? t : t.replace(/\r\n?/g, "\n"))),
        EditorView.lineWrapping,
        EditorView.scrollMargins.of(() => ({ bottom: o.covered() })),
        label.of(labelled(o.label)),
        history(),
        drawSelection(),
        dropCursor(),
        plain ? mineField : mineField.init(() => init),
        readingField,
        marksUnfold,
        hiddenChars(o.reveal),
        // CodeMirror would tell it of a full text too, where it is no string.
        placeholder(() => document.createTextNode(o.empty) as unknown as HTMLElement),
        EditorView.contentAttributes.of((v): Record<string, string> => ({ ...(v.state.doc.length === 0 ? { "aria-placeholder": o.empty } : {}), ...(v.state.readOnly ? {} : { "aria-description": o.leave }) })),
        proseStyle,
        passages(o),
        critic.extension,
        page.of(pageOf(plain, o)),
        completeLinks(o),
        files.of([]),
        copied.of([]),
        pasteMarkdown(o),
        keymap.of([
          { key: "Mod-f", run: (v) => (openFind ? openFind(v) : void loadFind.then(() => openFind?.(v)), true), preventDefault: true },
        ]),
        outsideMarks(() => view),
        keymap.of([...defaultKeymap, ...historyKeymap, indentWithTab]),
        leaveByTab,
        EditorView.updateListener.of((u) => {
          if (!u.docChanged) return;
          o.onEdit(isDirty(u.state));
          timer ??= setTimeout(count, plain ? 2000 : 500);
          if (plain || !grewLong(u)) return;
          plain = true;
          setTimeout(() => {
            view.dispatch({ effects: page.reconfigure(pageOf(true, o)) });
            o.onPlain();
          });
        }),
      ],
    }),
  });
  if (plain) {
    // A view that has not measured itself yet draws a line without end in full, 3 s for 5 MB.
    view.coordsAtPos(0);
    view.dispatch(begun(doc, init, place));
    o.onPlain();
  }
  // It opens at once, for what is typed behind Ctrl F is not for the text.
  let openFind: ((view: EditorView) => void) | null = null;
  const loadFind = import("./find.ts").then((m) => { openFind = m.openFind; }, () => undefined);
  const loadFiles = new Promise<void>(o.afterwards).then(() => import("./files.ts")).then((m) => {
    if (!gone) view.dispatch({ effects: files.reconfigure(m.takeFiles(o)) });
    return m;
  });
  void new Promise<void>(o.afterwards).then(() => import("./copied.ts")).then((m) => { if (!gone) view.dispatch({ effects: copied.reconfigure(m.copyFormed) }); }, () => undefined);
  loadFiles.catch(() => undefined); // the window tells that it was replaced where something else is asked for
  // What agents want changed is drawn by code that comes with the first of it.
  let theirs: typeof import("./told.ts") | null = null; // and what another writer changed
  let suggested: typeof import("./suggested.ts") | null = null, gone = false;
  count();
  if (o.place) {
    const at = view.scrollSnapshot();
    Object.assign(at.value as Snapshot, { range: EditorSelection.cursor(Math.min(o.place.line, doc.length)), yMargin: o.place.top });
    view.dispatch({ effects: at });
  }
  return {
    read: () => view.state.doc.toString(),
    dirty: () => isDirty(view.state),
    changes: () => kept(view.state.field(mineField)),
    place: () => {
      const { range, yMargin } = view.scrollSnapshot().value as Snapshot;
      return { cursor: view.state.selection.main.head, line: range.from, top: yMargin };
    },
    saving: () => view.dispatch(saving(view.state)),
    saved: () => view.dispatch(saved(view.state)),
    revert: () => {
      const { base, changes } = view.state.field(mineField);
      view.dispatch({ changes: changes.invert(base), userEvent: "revert" });
      view.dispatch(reverted(view.state));
    },
    rebase: async (file, still, answer) => {
      const [{ rebaseMine }, m] = await Promise.all([import("./rebase.ts"), import("./told.ts")]);
      await composed(view);
      if (!still()) return undefined;
      const r = rebaseMine(view.state.field(mineField), split(file), answer);
      if (r === null) return null;
      (theirs = m).listen(view);
      view.dispatch(rebased(r.changes, r.base, r.mine, r.changes.empty ? [] : [m.told(view.state, r.changes)]));
      if (r.choice) view.dispatch(chosen(r.choice.changes, r.base, r.choice.mine));
      return r.lines;
    },
    showTheirs: () => theirs?.showTold(view),
    undoTheirs: () => theirs?.undoTold(view),
    hasTheirs: () => theirs?.hasTold(view.state) ?? false,
    theirLines: () => theirs?.toldLines(view.state) ?? { added: 0, removed: 0, changed: 0 },
    forgetTheirs: () => view.dispatch({ effects: theirs?.forget ?? [] }),
    append: (text) => {
      const end = view.state.doc.length;
      const insert = split((view.state.sliceDoc(end - 1) === "\n" || end === 0 ? "" : "\n") + text);
      view.dispatch({ changes: { from: end, insert }, selection: { anchor: end + insert.length }, scrollIntoView: true });
    },
    putFiles: (all) => void loadFiles.then((m) => m.putFiles(view, all, o), () => undefined),
    goTo: (line, words = "") => {
      const at = wordsNear(view.state.doc, Math.max(1, Math.min(line, view.state.doc.lines)), words);
      view.dispatch({ selection: at, effects: EditorView.scrollIntoView(at, { y: "center" }) });
      view.focus();
    },
    selected: () => selectedIn(view.state),
    select: ({ from, to }) => {
      view.dispatch({ selection: EditorSelection.range(from, Math.min(to, view.state.doc.length)) });
      view.focus();
    },
    ask: (passage) => askAbout(view, passage),
    asked: () => askedIn(view.state),
    comment: (words) => critic.comment(view, () => askedIn(view.state), words),
    setNoted: (on) => critic.setNoted(view, on),
    suggest: (all) => {
      if (all.length === 0 && suggested === null) return;
      const { doc } = view.state; // where they stand: for another text they are looked for anew
      void import("./suggested.ts").then(async (m) => {
        suggested = m;
        await composed(view);
        if (!gone && (all.length === 0 || view.state.doc === doc)) m.suggest(view, all, o);
      }, () => undefined);
    },
    suggestedAt: (key) => suggested?.suggestedAt(view.state, key) ?? null,
    showSuggested: (key) => {
      const d = suggested?.suggestedAt(view.state, key);
      if (d) view.dispatch({ effects: EditorView.scrollIntoView(EditorSelection.range(d.from, d.to), { y: "center" }) });
    },
    selectedLines: () => {
      const { from, to } = view.state.selection.main;
      return { from: view.state.doc.lineAt(from).number, to: view.state.doc.lineAt(to).number };
    },
    topOf: (line) => view.coordsAtPos(view.state.doc.line(Math.max(1, Math.min(line, view.state.doc.lines))).from)?.top ?? null,
    replace: async (text) => {
      const { diff } = await import("./rebase.ts");
      view.dispatch({ changes: diff(view.state.doc, split(text)), effects: theirs?.forget ?? [], userEvent: "input" });
    },
    setLabel: (words) => view.dispatch({ effects: label.reconfigure(labelled(words)) }),
    retitle: (heading) => {
      const { doc } = view.state;
      const at = headings(doc.iterLines()).find((h) => h.level === 1);
      if (!at) return view.dispatch({ changes: { from: behindFrontMatter(doc), insert: `${heading}\n\n` }, userEvent: "input" });
      const { from, to, text } = doc.line(at.line);
      view.dispatch({ changes: { from, to: text.endsWith("\r") ? to - 1 : to, insert: heading }, userEvent: "input" });
    },
    setReading: (on) => view.dispatch({ effects: setReading.of(on) }),
    setOnPaper: (on) => setOnPaper(view, on),
    lines: () => view.state.doc.iterLines(),
    setFocusing: (on) => { if (view.state.field(focusField, false)) view.dispatch({ effects: setFocusing.of(on), scrollIntoView: true }); },
    focus: () => view.focus(),
    destroy: () => {
      gone = true;
      clearTimeout(timer);
      stopCount();
      view.destroy();
    },
  };
}

// Returns where words stand in the line nearest to one, for a text that is not saved may have others than the file; without them the line's beginning.
function wordsNear(doc: Text, line: number, words: string): SelectionRange {
  const low = words.toLowerCase();
  for (let by = 0; low !== "" && by < doc.lines; by++) {
    for (const n of [line + by, line - by]) {
      const at = n < 1 || n > doc.lines ? -1 : doc.line(n).text.toLowerCase().indexOf(low);
      if (at >= 0) return EditorSelection.range(doc.line(n).from + at, Math.min(doc.line(n).from + at + words.length, doc.line(n).to));
    }
  }
  return EditorSelection.cursor(doc.line(line).from);
}

// The page of markdown, or plain text, whose direction and spelling the browser does not look at either.
function pageOf(plain: boolean, o: PageOptions): Extension {
  return plain ? EditorView.contentAttributes.of({ spellcheck: "false" }) : markdown(o);
}

function labelled(words: string): Extension { return EditorView.contentAttributes.of({ "aria-label": words, tabindex: "0" }); }

// Returns the beginning of the line behind the front matter; 0 where there is none, or nothing behind it.
function behindFrontMatter(doc: Text): number {
  if (doc.line(1).text.trimEnd() !== "---") return 0;
  for (let n = 2; n < doc.lines; n++) if (/^(---|\.\.\.)\s*$/.test(doc.line(n).text)) return doc.line(n + 1).from;
  return 0;
}

// Returns the beginning of the first line with words below the doc's heading.
function belowHeading(doc: Text): number {
  let heading = 0;
  for (let n = 1; n <= Math.min(doc.lines, 40); n++) {
    const line = doc.line(n).text;
    if (heading === 0 && /^#{1,6}\s/.test(line)) heading = n;
    else if (heading > 0 && line.trim() !== "") return doc.line(n).from;
  }
  return heading === 0 ? 0 : doc.line(Math.min(doc.lines, heading + 2)).from;
}

// Resolves when no word is being composed: a change below an input method would break its word.
function composed(view: EditorView): Promise<void> {
  if (!view.composing) return Promise.resolve();
  return new Promise((done) => view.contentDOM.addEventListener("compositionend", () => setTimeout(done), { once: true }));
}
