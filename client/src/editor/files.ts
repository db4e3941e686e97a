import { isolateHistory } from "@codemirror/commands";
import { syntaxTree } from "@codemirror/language";
import { StateEffect, StateField, type EditorState, type Extension } from "@codemirror/state";
import { Decoration, EditorView, WidgetType, type DecorationSet } from "@codemirror/view";
import type { SyntaxNode } from "@lezer/common";
import { filesOf } from "../text/pasted.ts";

/** FilesOptions is what files that are pasted or dropped need from the window. */
export interface FilesOptions {
  /** adds a file to the project and returns what stands for it in a text, with those words for it if they are not ""; it throws words for the human, "" where `signal` ended it */
  addFile: (file: File, words: string, signal: AbortSignal) => Promise<string>;
  /** is called where the text is not shown any more when a file was added, or, with why, was not */
  leftBehind: (file: File, trouble: string) => void;
  fileName: (file: File) => string;
  fileWords: { adding: (name: string) => string; again: string; remove: (name: string) => string };
}

/** Coming is a file on its way into the text; `trouble` says why it did not come. */
interface Coming { file: File; from: number; to: number; words: string; trouble: string; off: AbortController }

const begin = StateEffect.define<Coming[]>();
const end = StateEffect.define<Coming["off"][]>();
const fail = StateEffect.define<{ off: AbortController; trouble: string }>();

// What is on its way, and where in the text it comes to. None of it is part of the text.
const comingField = StateField.define<Coming[]>({
  create: () => [],
  update(all, tr) {
    // What is typed at its place meanwhile stands behind it.
    if (tr.docChanged) all = all.map((c) => ({ ...c, from: Math.min(tr.changes.mapPos(c.from, c.words === "" ? -1 : 1), tr.changes.mapPos(c.to, -1)), to: tr.changes.mapPos(c.to, -1) }));
    for (const e of tr.effects) {
      if (e.is(begin)) all = [...all, ...e.value];
      if (e.is(end)) all = all.filter((c) => !e.value.includes(c.off));
      if (e.is(fail)) all = all.map((c) => (c.off === e.value.off ? { ...c, trouble: e.value.trouble } : c));
    }
    return all;
  },
});

/** takeFiles puts what is pasted or dropped as a file into the text: a picture at the cursor, or at the place that it was dropped on. */
export function takeFiles(o: FilesOptions): Extension {
  const shown = (all: Coming[]): DecorationSet => Decoration.set(all.map((c) => Decoration.widget({ widget: new Placeholder(c, o), side: 1 }).range(c.to)), true);
  return [
    comingField,
    EditorView.decorations.compute([comingField], (state) => shown(state.field(comingField))),
    EditorView.domEventHandlers({
      paste(e, view) {
        const files = filesOf(e.clipboardData);
        if (files.length === 0 || view.state.readOnly) return false;
        const { from, to } = view.state.selection.main;
        bring(view, files, from, to, o);
        return true;
      },
      dragover(e, view) {
        if (!e.dataTransfer?.types.includes("Files")) return false;
        e.preventDefault(); // in the reading view too: the browser would leave the page for the file
        e.dataTransfer.dropEffect = view.state.readOnly ? "none" : "copy";
        calm(view, !view.state.readOnly);
        return true;
      },
      dragleave(e, view) {
        if (!view.dom.contains(e.relatedTarget as Node | null)) calm(view, false);
        return false;
      },
      drop(e, view) {
        calm(view, false);
        if ((e.dataTransfer?.files.length ?? 0) === 0) return false;
        e.preventDefault();
        const files = filesOf(e.dataTransfer);
        if (files.length === 0) return false;
        if (view.state.readOnly) return true;
        const at = outside(view.state, view.posAtCoords({ x: e.clientX, y: e.clientY }) ?? view.state.selection.main.head);
        view.dispatch({ selection: { anchor: at } });
        view.focus();
        bring(view, files, at, at, o);
        return true;
      },
    }),
  ];
}

/** putFiles puts files at the cursor, as if they were pasted. */
export function putFiles(view: EditorView, files: File[], o: FilesOptions): void {
  const { from, to } = view.state.selection.main;
  if (files.length > 0 && !view.state.readOnly) bring(view, files, from, to, o);
}

// Returns the place behind what a position stands in that nothing may part: a picture, a link, code.
function outside(state: EditorState, pos: number): number {
  for (let n: SyntaxNode | null = syntaxTree(state).resolveInner(pos, -1); n; n = n.parent) {
    if (/^(?:Image|Link|Autolink|URL|FootnoteRef|FootnoteLabel|InlineCode)$/.test(n.name) && n.from < pos) pos = n.to;
  }
  return pos;
}

function calm(view: EditorView, on: boolean): void { view.scrollDOM.classList.toggle("dropping", on); }

// Files that come together are put into the text together, so that one undo takes them out.
function bring(view: EditorView, files: File[], from: number, to: number, o: FilesOptions): void {
  const chosen = view.state.sliceDoc(from, to);
  // Words that are selected are those of one picture; more, or several lines, stay as they are.
  const named = files.length === 1 && chosen !== "" && !/[\r\n]/.test(chosen);
  const all = files.map((file): Coming => ({ file, from: named ? from : to, to, words: named ? chosen : "", trouble: "", off: new AbortController() }));
  view.dispatch({ effects: begin.of(all) });
  void Promise.all(all.map((c) => add(view, c, o))).then((made) => {
    const came = all.filter((_, i) => made[i] !== "");
    if (came.length === 0) return;
    if (!view.dom.isConnected) return came.forEach((c) => o.leftBehind(c.file, ""));
    put(view, came, made.filter((m) => m !== ""));
  });
}

// Returns "" for a file that did not come.
async function add(view: EditorView, c: Coming, o: FilesOptions): Promise<string> {
  try {
    return await o.addFile(c.file, c.words, c.off.signal);
  } catch (e) {
    const trouble = (e as Error).message;
    if (trouble !== "" && !view.dom.isConnected) o.leftBehind(c.file, trouble);
    view.dispatch({ effects: trouble === "" ? end.of([c.off]) : fail.of({ off: c.off, trouble }) });
    return "";
  }
}

function put(view: EditorView, came: Coming[], made: string[]): void {
  const { state } = view;
  const offs = came.map((c) => c.off);
  const at = state.field(comingField).find((c) => offs.includes(c.off));
  if (!at) return;
  const from = state.sliceDoc(at.from, at.to) === at.words ? at.from : at.to;
  const line = state.doc.lineAt(at.to);
  const eol = state.doc.toString().includes("\r\n") ? "\r\n" : "\n";
  // In a line of its own each is a paragraph.
  const insert = state.toText(made.join(line.text.trim() === "" ? eol + eol : " "));
  const { main } = state.selection;
  const waits = main.to === at.to && (main.empty || main.from === from);
  view.dispatch({
    changes: { from, to: at.to, insert },
    ...(waits ? { selection: { anchor: from + insert.length } } : {}),
    effects: end.of(offs),
    annotations: isolateHistory.of("full"),
    userEvent: "input.paste",
  });
}

class Placeholder extends WidgetType {
  constructor(readonly c: Coming, readonly o: FilesOptions) { super(); }
  override eq(other: Placeholder): boolean { return other.c.off === this.c.off && other.c.trouble === this.c.trouble; }
  override ignoreEvent(): boolean { return true; }
  toDOM(view: EditorView): HTMLElement {
    const { c, o } = this, name = o.fileName(c.file);
    const box = document.createElement("span");
    box.className = `md-coming${c.trouble === "" ? "" : " bad"}`;
    box.contentEditable = "false";
    const words = document.createElement("span");
    words.textContent = c.trouble === "" ? o.fileWords.adding(name) : c.trouble;
    box.append(words);
    const act = (label: string, run: () => void) => {
      const b = document.createElement("button");
      b.type = "button";
      b.textContent = label;
      b.onmousedown = (e) => e.preventDefault();
      b.onclick = () => {
        run();
        view.focus();
      };
      box.append(b);
    };
    if (c.trouble !== "") {
      act(o.fileWords.again, () => {
        const at = view.state.field(comingField).find((d) => d.off === c.off);
        if (!at) return;
        view.dispatch({ effects: end.of([c.off]) });
        bring(view, [c.file], at.from, at.to, o);
      });
    }
    act(o.fileWords.remove(name), () => {
      c.off.abort();
      view.dispatch({ effects: end.of([c.off]) });
    });
    return box;
  }
}
