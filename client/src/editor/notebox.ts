import type { EditorState } from "@codemirror/state";
import type { EditorView, ViewUpdate } from "@codemirror/view";
import { piecesOf, type Piece } from "../text/notewords.ts";
import type { Note } from "../text/footnotes.ts";
import { uncommented } from "../text/uncommented.ts";
import { hide, lay } from "./over.ts";

// Where a position leads to: ref says whether it is a number's.
type Leads = (state: EditorState, pos: number) => { at: number; note: Note; ref: boolean } | null;

/** drawn draws the words of a footnote with their emphasis, code and links, without comments and as before suggestions. */
export function drawn(text: string): (Node | string)[] { return draw(piecesOf(uncommented(text))); }

function draw(pieces: Piece[]): (Node | string)[] {
  return pieces.map((p) => {
    if (typeof p === "string") return p;
    const el = document.createElement(p.tag);
    if (p.href) Object.assign(el, { href: p.href, target: "_blank", rel: "noreferrer" });
    el.append(...draw(p.in));
    return el;
  });
}

/** Box shows a note over the text, as the button of a link does. */
export class Box {
  #box = document.createElement("div");
  #words = "";
  #over: Element | null = null;
  #on: (e: PointerEvent) => void;
  #off: () => void;

  constructor(readonly view: EditorView, readonly leads: Leads) {
    this.#box.className = "md-note-box";
    this.#box.setAttribute("role", "status");
    this.#box.dir = "auto";
    this.#box.hidden = true;
    lay(view, this.#box);
    this.#on = (e) => this.#hover((e.target as Element).closest?.(".md-ref") ?? null);
    this.#off = () => this.#hover(null);
    view.contentDOM.addEventListener("pointerover", this.#on);
    view.scrollDOM.addEventListener("scroll", this.#off, { passive: true });
  }

  update(u: ViewUpdate): void { if (u.docChanged || u.selectionSet || u.focusChanged || u.geometryChanged) this.#place(); }

  #hover(el: Element | null): void {
    if (el === this.#over) return;
    this.#over = el;
    this.#place();
  }

  #place(): void {
    const { view } = this, { main } = view.state.selection;
    // The buttons of a passage stand there where one is selected.
    const pos = !main.empty ? -1 : this.#over?.isConnected && !this.#over.closest(".md-notes") ? view.posAtDOM(this.#over) : view.hasFocus ? main.head : -1;
    const to = pos < 0 ? null : this.leads(view.state, pos);
    if (!to?.ref) return hide(this.#box);
    const words = to.note.text;
    view.requestMeasure({
      key: this,
      read: () => ({ at: view.coordsAtPos(pos, 1), box: view.dom.getBoundingClientRect() }),
      write: ({ at, box }) => {
        this.#box.hidden = at === null || at.bottom < box.top || at.top > box.bottom;
        if (at === null || this.#box.hidden) return;
        if (this.#words !== words) this.#box.replaceChildren(...drawn((this.#words = words)));
        const below = at.bottom + 8 + this.#box.offsetHeight < box.bottom;
        this.#box.style.top = `${below ? at.bottom - box.top + 8 : at.top - box.top - this.#box.offsetHeight - 8}px`;
        this.#box.style.left = `${Math.max(8, Math.min(at.left - box.left - 12, box.width - this.#box.offsetWidth - 12))}px`;
      },
    });
  }

  destroy(): void {
    this.view.contentDOM.removeEventListener("pointerover", this.#on);
    this.view.scrollDOM.removeEventListener("scroll", this.#off);
    this.#box.remove();
  }
}
