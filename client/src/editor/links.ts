import { syntaxTree } from "@codemirror/language";
import type { EditorState, Text } from "@codemirror/state";
import type { SyntaxNode } from "@lezer/common";
import { EditorView, keymap, ViewPlugin, type ViewUpdate } from "@codemirror/view";
import { hide, lay } from "./over.ts";

/** A link of the text, and its address. */
export interface Link { from: number; to: number; address: string }

/** LinkOptions is what links need from the window. */
export interface LinkOptions {
  follow: (address: string) => void;
  followWords: (address: string) => string;
  /** what a screen reader calls it */
  followName: (address: string) => string;
}

// The definitions of a text, "[label]: address"; long texts are not searched for them.
const LONGEST = 200_000;
const defined = new WeakMap<Text, Map<string, string>>();
function definitions(doc: Text): Map<string, string> {
  let map = defined.get(doc);
  if (!map) {
    map = new Map();
    if (doc.length <= LONGEST) for (const m of doc.toString().matchAll(/^ {0,3}\[([^\]\n]+)\]:[ \t]*(\S+)/gm)) map.set(m[1]!.toLowerCase(), m[2]!);
    defined.set(doc, map);
  }
  return map;
}

/** addressOf returns where a node of the tree leads: brackets without an address, such as [1], are no link. */
export function addressOf(state: EditorState, node: SyntaxNode): string | null {
  if (node.name === "URL") return node.parent?.name === "LinkReference" || !/^(https?:|www\.)/i.test(state.sliceDoc(node.from, node.to)) ? null : state.sliceDoc(node.from, node.to).replace(/^www\./i, "https://www.");
  const url = node.getChild("URL");
  if (url) return state.sliceDoc(url.from, url.to).replace(/^<|>$/g, "");
  if (node.name !== "Link" && node.name !== "Image") return null;
  const label = node.getChild("LinkLabel") ?? node;
  return definitions(state.doc).get(state.sliceDoc(label.from, label.to).replace(/^!?\[|\]$|^!?\[|\]\[\]$/g, "").toLowerCase()) ?? null;
}

/** linkAt returns the link at a position, or null. */
export function linkAt(state: EditorState, pos: number): Link | null {
  for (const side of [-1, 1] as const) {
    for (let n: SyntaxNode | null = syntaxTree(state).resolveInner(pos, side); n; n = n.parent) {
      if (!/^(Link|Image|Autolink|URL)$/.test(n.name)) continue;
      const address = addressOf(state, n);
      if (address !== null) return { from: n.from, to: n.to, address };
    }
  }
  return null;
}

/** followLinks follows a link by Ctrl+click, Ctrl+Enter, and a small button that stands at the cursor's link. */
export function followLinks(o: LinkOptions) {
  return [
    EditorView.domEventHandlers({
      mousedown(e, view) {
        const reading = view.state.readOnly && !e.shiftKey && !e.altKey;
        if (e.button !== 0 || !(e.ctrlKey || e.metaKey || reading)) return false;
        const pos = view.posAtCoords({ x: e.clientX, y: e.clientY });
        const link = pos === null ? null : linkAt(view.state, pos);
        if (!link || (reading && !(e.target as Element).closest?.(".md-link"))) return false;
        e.preventDefault();
        o.follow(link.address);
        return true;
      },
    }),
    keymap.of([{
      key: "Mod-Enter",
      run: (view) => {
        const link = linkAt(view.state, view.state.selection.main.head);
        if (link) o.follow(link.address);
        return true; // where nothing leads on it changes nothing: CodeMirror would put an empty line below
      },
    }]),
    ViewPlugin.define((view) => new Follow(view, o)),
  ];
}

// Follow is the small button below the link that the cursor is in. It lies over the text, so that nothing moves.
class Follow {
  #button = document.createElement("button");
  #link: Link | null = null;
  #scrolled: () => void;

  constructor(view: EditorView, o: LinkOptions) {
    this.#button.className = "md-follow";
    this.#button.hidden = true;
    this.#button.onmousedown = (e) => e.preventDefault();
    this.#button.onclick = () => { if (this.#link) o.follow(this.#link.address); };
    this.words = o.followWords;
    this.name = o.followName;
    lay(view, this.#button);
    this.#scrolled = () => this.#place(view);
    view.scrollDOM.addEventListener("scroll", this.#scrolled, { passive: true });
    this.#place(view);
  }
  readonly words: (address: string) => string;
  readonly name: (address: string) => string;

  update(u: ViewUpdate): void {
    if (u.docChanged || u.selectionSet || u.geometryChanged || u.viewportChanged || u.focusChanged) this.#place(u.view);
  }

  #place(view: EditorView): void {
    const { main } = view.state.selection;
    this.#link = main.empty && view.hasFocus ? linkAt(view.state, main.head) : null;
    const link = this.#link;
    if (!link) return hide(this.#button);
    view.requestMeasure({
      key: this,
      read: () => ({ at: view.coordsAtPos(main.head), box: view.dom.getBoundingClientRect() }),
      write: ({ at, box }) => {
        this.#button.hidden = at === null || this.#link === null || at.bottom < box.top || at.bottom > box.bottom - 8;
        if (at === null || this.#button.hidden) return;
        this.#button.textContent = this.words(link.address);
        this.#button.ariaLabel = this.name(link.address);
        this.#button.style.top = `${at.bottom - box.top + 4}px`;
        this.#button.style.left = `${Math.max(8, Math.min(at.left - box.left - 12, box.width - this.#button.offsetWidth - 12))}px`;
      },
    });
  }

  destroy(): void { this.#button.remove(); }
}
