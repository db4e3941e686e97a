import { Prec, StateEffect, StateField, type EditorState } from "@codemirror/state";
import { EditorView, keymap, ViewPlugin, type Command, type ViewUpdate } from "@codemirror/view";
import { linkOf } from "../text/links.ts";
import { matching } from "../text/palette.ts";
import { hide, lay } from "./over.ts";

/** A doc that a link may lead to. */
export interface Page { file: string; title: string }

/** CompleteOptions is what the completion of links needs from the window. */
export interface CompleteOptions {
  pages: () => Page[];
  /** what a screen reader calls the list of them */
  pagesWords: string;
}

// What was typed behind a bracket from `from` on, the docs of that title, and which is chosen.
interface Asked { from: number; to: number; pages: Page[]; at: number }

const MOST = 8;
const choose = StateEffect.define<number>(), close = StateEffect.define<null>();

/** askedIn returns where the bracket stands that a link is being written behind, and the words since, or null. */
export function askedIn(before: string): { at: number; words: string } | null {
  const m = /(?<!\\)\[{1,2}([^[\]\n]{1,80})$/.exec(before);
  if (!m || !/[\p{L}\p{N}]/u.test(m[1]!) || /^\s*(?:[-*+]|\d+[.)])\s+\[[xX]$/.test(before)) return null;
  return { at: m.index, words: m[1]! };
}

/** linkTo returns the markdown of a link to a doc, by its title. */
export function linkTo({ file, title }: Page): string { return linkOf(title, file); }

/** completeLinks offers the docs whose titles hold what is written behind a bracket; Enter or Tab makes it a link. */
export function completeLinks(o: CompleteOptions) {
  const ask = (state: EditorState): Asked | null => {
    const { main } = state.selection;
    const line = state.doc.lineAt(main.head);
    const asked = main.empty && !state.readOnly ? askedIn(state.sliceDoc(Math.max(line.from, main.head - 200), main.head)) : null;
    if (asked === null) return null;
    const pages = matching(o.pages().map((p) => ({ kind: "doc", key: p.file, name: p.title, also: p.file })), asked.words).slice(0, MOST);
    if (pages.length === 0) return null;
    return { from: Math.max(line.from, main.head - 200) + asked.at, to: main.head, pages: pages.map((p) => ({ file: p.key, title: p.name })), at: 0 };
  };
  const field = StateField.define<Asked | null>({
    create: () => null,
    update(was, tr) {
      for (const e of tr.effects) {
        if (e.is(close)) return null;
        if (e.is(choose) && was) return { ...was, at: (e.value + was.pages.length) % was.pages.length };
      }
      if (tr.docChanged) return tr.isUserEvent("input.type") || (was !== null && tr.isUserEvent("delete")) ? ask(tr.state) : null;
      return tr.selection ? null : was;
    },
    provide: (f) => EditorView.contentAttributes.from(f, (asked): Record<string, string> => (asked ? { "aria-controls": "md-pages", "aria-activedescendant": `md-page-${asked.at}`, "aria-autocomplete": "list" } : {})),
  });
  const take: Command = (view) => {
    const asked = view.state.field(field);
    if (!asked) return false;
    insert(view, asked, asked.at);
    return true;
  };
  const move = (by: number): Command => (view) => {
    const asked = view.state.field(field);
    if (asked) view.dispatch({ effects: choose.of(asked.at + by) });
    return asked !== null;
  };
  const leave: Command = (view) => {
    const open = view.state.field(field) !== null;
    if (open) view.dispatch({ effects: close.of(null) });
    return open;
  };
  return [
    field,
    ViewPlugin.define((view) => new Offer(view, field, o.pagesWords)),
    Prec.highest(keymap.of([{ key: "Enter", run: take }, { key: "Tab", run: take }, { key: "ArrowDown", run: move(1) }, { key: "ArrowUp", run: move(-1) }, { key: "Escape", run: leave }])),
    EditorView.domEventHandlers({ blur: (_, view) => void leave(view) }),
  ];
}

function insert(view: EditorView, { from, to, pages }: Asked, i: number): void {
  const closed = /^\]{1,2}/.exec(view.state.sliceDoc(to, to + 2))?.[0].length ?? 0; // an editor elsewhere closes them by itself
  const text = linkTo(pages[i]!);
  view.dispatch({ changes: { from, to: to + closed, insert: text }, selection: { anchor: from + text.length }, effects: close.of(null), userEvent: "input.complete" });
}

// Offer is the list below what is being written. As the button of a link it lies over the text, so that nothing moves.
class Offer {
  #list = document.createElement("ul");
  #shown: Asked | null = null;

  constructor(view: EditorView, readonly field: StateField<Asked | null>, label: string) {
    this.#list.className = this.#list.id = "md-pages";
    this.#list.hidden = true;
    this.#list.setAttribute("role", "listbox");
    this.#list.setAttribute("aria-label", label);
    lay(view, this.#list);
  }

  update({ view }: ViewUpdate): void {
    const asked = view.state.field(this.field);
    if (asked === null) hide(this.#list);
    if (asked !== null && asked !== this.#shown) this.#list.replaceChildren(...asked.pages.map((p, i) => option(view, asked, p, i)));
    this.#shown = asked;
    if (asked === null) return;
    view.requestMeasure({
      key: this,
      read: () => ({ at: view.coordsAtPos(asked.from), box: view.dom.getBoundingClientRect() }),
      write: ({ at, box }) => {
        this.#list.hidden = at === null || this.#shown === null;
        if (at === null || this.#list.hidden) return;
        const high = this.#list.offsetHeight, wide = this.#list.offsetWidth;
        const top = at.bottom + high + 4 > box.bottom && at.top - high > box.top ? at.top - high - 4 : at.bottom + 4;
        this.#list.style.top = `${top - box.top}px`;
        this.#list.style.left = `${Math.max(8, Math.min(at.left - box.left, box.width - wide - 8))}px`;
      },
    });
  }

  destroy(): void { this.#list.remove(); }
}

function option(view: EditorView, asked: Asked, p: Page, i: number): HTMLElement {
  const li = document.createElement("li");
  li.id = `md-page-${i}`;
  li.setAttribute("role", "option");
  li.setAttribute("aria-selected", String(i === asked.at));
  li.dir = "auto";
  li.textContent = p.title;
  li.onmousedown = (e) => {
    e.preventDefault();
    insert(view, asked, i);
  };
  return li;
}
