import { closeSearchPanel, findNext, findPrevious, getSearchQuery, openSearchPanel, replaceAll, replaceNext, search, searchPanelOpen, setSearchQuery } from "@codemirror/search";
import { EditorSelection, StateEffect, type EditorState } from "@codemirror/state";
import { EditorView, keymap, runScopeHandlers, type Command, type Panel, type ViewUpdate } from "@codemirror/view";
import { find as say } from "../text/strings.ts";
import { Query } from "./query.ts";

const added = new WeakSet<EditorView>();

/** openFind adds the search to an editor, once, and opens it. */
export function openFind(view: EditorView): void {
  if (!added.has(view)) view.dispatch({ effects: StateEffect.appendConfig.of([search({ top: true, literal: true, createPanel: (v) => new Find(v) }), keymap.of(KEYS)]) });
  added.add(view);
  openSearchPanel(view);
  const { search: words, replace } = getSearchQuery(view.state);
  view.dispatch({ effects: setSearchQuery.of(new Query(words.split("\n")[0]!, replace)) });
}

const ifOpen = (c: Command): Command => (view) => searchPanelOpen(view.state) && c(view);
const on = { run: findNext, shift: findPrevious, scope: "editor search-panel", preventDefault: true };
const KEYS = [
  { ...on, key: "F3" },
  { ...on, key: "Mod-g" },
  { key: "Escape", run: ifOpen(closeSearchPanel) },
];

// So many hits are counted, and after a pause in ms, for a text may be of 10 MB.
const MOST = 999, PAUSE = 120;

/**
 * Find is the line in which words are searched for. It lies over the head of the text, in the
 * room that is left above the first line, so that nothing moves. What is typed shows the next
 * hit; Enter goes on from there. Escape gives the focus back, and the selection too unless
 * something was gone to.
 */
class Find implements Panel {
  readonly top = true;
  readonly dom = document.createElement("div");
  #words = document.createElement("input");
  #other = document.createElement("input");
  #count = document.createElement("span");
  #replacing = document.createElement("span");
  #before: { selection: EditorSelection; top: number };
  #went = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(readonly view: EditorView) {
    this.#before = { selection: view.state.selection, top: view.scrollDOM.scrollTop };
    this.dom.className = "md-find";
    this.dom.setAttribute("role", "search");
    this.dom.setAttribute("aria-label", say.name);
    field(this.#words, say.words, () => this.#typed());
    this.#words.setAttribute("main-field", "true");
    this.#words.value = getSearchQuery(view.state).search;
    field(this.#other, say.other, () => this.#ask());
    this.#count.setAttribute("role", "status");
    const replace = button("⇄", say.replaceOpen, () => {
      this.#replacing.hidden = !this.#replacing.hidden;
      replace.setAttribute("aria-expanded", String(!this.#replacing.hidden));
      if (!this.#replacing.hidden) this.#other.focus();
    });
    replace.setAttribute("aria-expanded", "false");
    replace.hidden = view.state.readOnly;
    this.#replacing.hidden = true;
    this.#replacing.className = "md-replace";
    this.#replacing.append(this.#other, button(say.replace, "", () => replaceNext(view)), button(say.replaceAll, "", () => replaceAll(view)));
    this.dom.append(this.#words, this.#count, button("↑", say.previous, () => this.#go(findPrevious)), button("↓", say.next, () => this.#go(findNext)), replace, button("×", say.close, () => this.#close()), this.#replacing);
    this.dom.addEventListener("keydown", (e) => this.#key(e));
    this.#tell();
  }

  mount(): void {
    this.#words.focus();
    this.#words.select();
  }

  update(u: ViewUpdate): void {
    const asked = u.transactions.some((t) => t.effects.some((e) => e.is(setSearchQuery)));
    const q = getSearchQuery(u.state);
    if (asked && q.search !== this.#words.value) this.#words.value = q.search;
    if (asked || u.docChanged) this.#tell();
    else if (u.selectionSet) this.#tell(0);
  }

  destroy(): void { clearTimeout(this.#timer); }

  #ask(): void { this.view.dispatch({ effects: setSearchQuery.of(new Query(this.#words.value, this.#other.value)) }); }

  // Shows the first hit from where the cursor was.
  #typed(): void {
    this.#ask();
    const { selection, top } = this.#before;
    this.view.dispatch({ selection });
    if (this.#words.value === "" || !this.#move(findNext)) this.view.scrollDOM.scrollTop = top;
  }

  // CodeMirror's commands select what is written in the field, which is still being written.
  #move(c: Command): boolean {
    const { selectionStart, selectionEnd } = this.#words;
    const moved = c(this.view);
    this.#words.setSelectionRange(selectionStart, selectionEnd);
    return moved;
  }

  #go(c: Command): void { if (this.#move(c)) this.#went = true; }

  #close(): void {
    const { selection, top } = this.#before;
    closeSearchPanel(this.view);
    this.view.focus();
    if (this.#went || this.view.state.doc.length < selection.main.to) return;
    this.view.dispatch({ selection });
    this.view.scrollDOM.scrollTop = top;
  }

  #key(e: KeyboardEvent): void {
    if (e.isComposing) return;
    const enter = e.key === "Enter" && e.target === this.#words;
    if (enter) this.#go(e.shiftKey ? findPrevious : findNext);
    else if (e.key === "Escape") this.#close();
    else if (e.key === "Enter" && e.target === this.#other) replaceNext(this.view);
    else if (!runScopeHandlers(this.view, e, "search-panel")) return;
    e.preventDefault();
    e.stopPropagation();
  }

  // Tells which of the hits is selected: "3 of 14".
  #tell(pause = PAUSE): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      const words = this.#words.value === "" ? "" : say.count(...countIn(this.view.state));
      if (this.#count.textContent !== words) this.#count.textContent = words;
    }, pause);
  }
}

// Returns the number of the hit that is selected, or 0, how many there are, and whether there are more.
function countIn(state: EditorState): [number, number, boolean] {
  const { main } = state.selection, query = getSearchQuery(state);
  let n = 0, at = 0;
  for (const hit of query instanceof Query ? query.hits(state) : []) {
    if (++n > MOST) break;
    if (hit.from === main.from && hit.to === main.to) at = n;
  }
  return [at, Math.min(n, MOST), n > MOST];
}

function field(el: HTMLInputElement, label: string, onInput: () => void): void {
  el.placeholder = label;
  el.setAttribute("aria-label", label);
  el.autocomplete = "off";
  el.spellcheck = false;
  el.dir = "auto";
  el.oninput = onInput;
}

function button(text: string, label: string, act: () => void): HTMLButtonElement {
  const el = document.createElement("button");
  el.type = "button";
  el.textContent = text;
  if (label !== "") el.ariaLabel = el.title = label;
  el.onclick = act;
  return el;
}
