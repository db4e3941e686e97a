/** Note is a footnote: its name in the text, and its words. */
export interface Note { name: string; at: HTMLElement }

/**
 * takeNotes takes footnotes out of what was pasted, and leaves in each place that leads to one an element with its name
 * in data-note. A footnote is what a link leads to and from where another leads back: so have Word, Google Docs,
 * Wikipedia and most programs that make pages.
 */
export function takeNotes(root: DocumentFragment, taken: Set<string>): Note[] {
  const named = new Map<string, HTMLElement>();
  for (const el of root.querySelectorAll<HTMLElement>("[id], a[name]")) for (const n of [el.id, el.getAttribute("name")]) if (n) named.set(n, el);
  const notes = new Map<HTMLElement, Note>();
  const back: Element[] = [];
  const links = [...root.querySelectorAll<HTMLAnchorElement>("a[href*='#']")];
  for (const link of links) {
    const target = named.get(hash(link));
    const at = target && blockOf(target, link, links, named);
    if (!at || at.contains(link) || isBack(link, named, notes)) continue;
    const returns = [...at.querySelectorAll<HTMLAnchorElement>("a[href*='#']")].filter((a) => { const to = named.get(hash(a)); return to !== undefined && (to === link || to.contains(link) || link.contains(to)); });
    if (returns.length === 0) continue;
    back.push(...returns);
    const note = notes.get(at) ?? { name: fresh(taken), at };
    notes.set(at, note);
    const mark = link.ownerDocument.createElement("span");
    mark.dataset["note"] = note.name;
    (link.closest("sup") ?? link).replaceWith(mark);
  }
  for (const el of back) (el.closest("sup") ?? el).remove();
  for (const { at } of notes.values()) {
    const list = at.parentElement?.closest("ol, ul, div");
    at.remove();
    if (list && (list.textContent ?? "").trim() === "") list.remove();
  }
  // The line that set the notes apart.
  if (notes.size > 0) for (const hr of [...root.querySelectorAll("hr")].reverse()) if (isLast(hr, root)) hr.remove();
  return [...notes.values()];
}

const hash = (a: HTMLAnchorElement) => {
  const href = a.getAttribute("href") ?? "";
  try {
    return decodeURIComponent(href.slice(href.indexOf("#") + 1));
  } catch {
    return "";
  }
};

// What a note has is its list's item or its paragraph, with others behind it where it has a box of its own.
function blockOf(el: HTMLElement, link: Element, links: HTMLAnchorElement[], named: Map<string, HTMLElement>): HTMLElement | null {
  const at = el.closest<HTMLElement>("li, dd, p, div"), box = at?.parentElement;
  if (at?.tagName !== "P" || !box?.matches("li, dd, div") || box.firstElementChild !== at || box.contains(link)) return at;
  const others = links.some((a) => { const to = named.get(hash(a)); return to !== undefined && !box.contains(a) && box.contains(to) && !at.contains(to) && to !== box; });
  return others ? at : box;
}

function isLast(el: Element, root: Node): boolean {
  const behind = el.ownerDocument.createRange();
  behind.setStartAfter(el);
  behind.setEndAfter(root.lastChild!);
  const rest = behind.cloneContents();
  return (rest.textContent ?? "").trim() === "" && rest.querySelector("img, hr") === null;
}

// Whether a link stands in what is a note already: it leads back.
function isBack(link: HTMLAnchorElement, named: Map<string, HTMLElement>, notes: Map<HTMLElement, Note>): boolean {
  return [...notes.keys()].some((at) => at.contains(link)) && named.has(hash(link));
}

function fresh(taken: Set<string>): string {
  let n = 1;
  while (taken.has(String(n))) n++;
  taken.add(String(n));
  return String(n);
}
