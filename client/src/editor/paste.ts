import { syntaxTree } from "@codemirror/language";
import type { EditorState } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { linkable, linkOf } from "../text/links.ts";

/** PasteOptions is what pasting needs from the window. */
export interface PasteOptions {
  /** parses html into a template, in which nothing runs or loads */
  inert: (html: string) => HTMLTemplateElement;
}

/** WRITTEN is the type of what was copied from a doc as it is written, comments too. */
export const WRITTEN = "text/x-vibey-markdown";

/**
 * pasteMarkdown makes markdown of what is pasted with a form, and a link of an address that is pasted over words.
 * What was copied from a doc comes as it is written. What comes without a form, as by Ctrl Shift V, or into code, comes as text.
 */
export function pasteMarkdown(o: PasteOptions) {
  return EditorView.domEventHandlers({
    paste(e, view) {
      const data = e.clipboardData;
      if (data === null || inCode(view.state)) return false;
      const text = data.getData("text/plain"), html = data.getData("text/html");
      const { main } = view.state.selection;
      const words = view.state.sliceDoc(main.from, main.to);
      if (words !== "" && !/[\r\n]/.test(words) && address(text) !== "") {
        insert(view, linkOf(words, address(text)));
        return true;
      }
      const written = data.getData(WRITTEN);
      if (written !== "") {
        insert(view, written);
        return true;
      }
      if (html === "" || isCode(data, html)) return false;
      void import("./pasted.ts").then((m) => m.pasteForm(view, o.inert(m.styleless(html)).content, text), () => insert(view, text));
      return true;
    },
  });
}

function insert(view: EditorView, text: string): void {
  view.dispatch(view.state.replaceSelection(view.state.toText(text)), { userEvent: "input.paste", scrollIntoView: true });
}

// The address that a text is, as a link has it; "" for any other text.
function address(text: string): string {
  const t = text.trim();
  return /^(https?:\/\/|mailto:)[^\s<>]+$/i.test(t) ? linkable(t) : "";
}

// A program's source comes with colours, which are no form.
function isCode(data: DataTransfer, html: string): boolean {
  return data.types.includes("vscode-editor-data") || /^(?:\s|<meta[^>]*>|<!--\w*-->|<\/?(?:html|body)[^>]*>)*<(?:div|pre|span)[^>]*\bwhite-space:\s*pre\s*[;"']/i.test(html);
}

function inCode(state: EditorState): boolean {
  for (let n = syntaxTree(state).resolveInner(state.selection.main.from, -1), at: typeof n | null = n; at !== null; at = at.parent) {
    if (/^(FencedCode|CodeBlock|CodeText|InlineCode)$/.test(at.name)) return true;
  }
  return false;
}
