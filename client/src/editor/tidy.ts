// What Word, Google Docs and web pages put on the clipboard, as html that says what it means.

const DROPPED = "style, script, meta, link, title, head, template, noscript, iframe, object, embed, svg, math, button, input, select, textarea, o\\:p, [hidden]";
// Of the words in this script: `mso-bidi-font-weight` is that of another's.
const WEIGHT = /(?<![\w-])font-weight:\s*(\w+)/i, SLANT = /(?<![\w-])font-style:\s*(\w+)/i;

/** styleless renames the styles of html, which tidy reads: the content policy has each that is parsed told as a breach, though none is applied. */
export function styleless(html: string): string {
  return html.replace(/<style\b[^]*?<\/style\s*>/gi, "").replace(/<[a-z][^>]*>/gi, (tag) => tag.replace(/\sstyle\s*=/gi, ` ${LOOK}=`));
}

const LOOK = "data-look";

/** tidy makes of styles what they mean, and drops what has no meaning in a text. */
export function tidy(root: DocumentFragment): void {
  const doc = root.ownerDocument;
  for (const el of root.querySelectorAll(DROPPED)) el.remove();
  const all = doc.createTreeWalker(root, NodeFilter.SHOW_COMMENT);
  const comments: Node[] = [];
  while (all.nextNode()) comments.push(all.currentNode);
  for (const c of comments) (c as Comment).remove();
  for (const el of root.querySelectorAll(`[${LOOK}]`)) if (/\bdisplay:\s*none|\bmso-hide:\s*all/i.test(look(el))) el.remove();
  wordLists(root);
  wordStyles(root);
  for (const el of root.querySelectorAll<HTMLElement>("b, strong, i, em, span, font, a")) meaning(el);
  for (const a of root.querySelectorAll("a")) if (!/^(https?:|mailto:|[^:]*#)/i.test(a.getAttribute("href") ?? "")) unwrap(a, a.id !== "" || a.hasAttribute("name"));
  for (const el of root.querySelectorAll("h1, h2, h3, h4, h5, h6")) for (const b of el.querySelectorAll("b, strong")) unwrap(b);
  // A list that stands beside the items of another belongs to the item before it.
  for (const list of root.querySelectorAll("ul > ul, ul > ol, ol > ul, ol > ol")) if (list.previousElementSibling?.tagName === "LI") list.previousElementSibling.append(list);
  for (const table of root.querySelectorAll("table")) if (Math.max(0, ...[...table.rows].map((r) => r.cells.length)) <= 1) layout(table);
}

// Makes elements of bold, slanted and struck words, and none of what is bold by its name and not by its look.
function meaning(el: HTMLElement): void {
  const style = look(el);
  const weight = WEIGHT.exec(style)?.[1]?.toLowerCase() ?? "";
  const bold = /^(bold|bolder|[6-9]00)$/.test(weight);
  const slant = SLANT.exec(style)?.[1]?.toLowerCase() ?? "";
  if (/^(B|STRONG)$/.test(el.tagName)) {
    if (weight !== "" && !bold) unwrap(el);
    return;
  }
  if (/^(I|EM)$/.test(el.tagName)) {
    if (slant === "normal") unwrap(el);
    return;
  }
  const raised = /vertical-align:\s*(super|sub)\b/i.exec(style)?.[1]?.slice(0, 3).toLowerCase();
  const made = [raised !== undefined && !within(el, "sup, sub") && raised, bold && !within(el, "b, strong") && "strong", slant === "italic" && !within(el, "i, em") && "em", /line-through/i.test(style) && !within(el, "s, del") && "s"].filter((t) => t !== false);
  for (const tag of made) wrapInside(el, tag);
  if (el.tagName !== "A") unwrap(el, el.id !== "");
}

const look = (el: Element) => el.getAttribute(LOOK) ?? "";

const within = (el: Element, what: string) => el.parentElement?.closest(what) != null;

function wrapInside(el: HTMLElement, tag: string): void {
  if ((el.textContent ?? "").trim() === "") return;
  const into = el.ownerDocument.createElement(tag);
  into.append(...el.childNodes);
  el.append(into);
}

function unwrap(el: Element, keep = false): void {
  if (!keep) return el.replaceWith(...el.childNodes);
  el.removeAttribute("href");
}

// Word names what a paragraph is by its class.
function wordStyles(root: DocumentFragment): void {
  for (const p of root.querySelectorAll<HTMLElement>("p.MsoTitle, p.MsoSubtitle, p[class*=Quote]")) {
    const to = p.ownerDocument.createElement(p.className.includes("Quote") ? "blockquote" : p.className === "MsoTitle" ? "h1" : "h2");
    to.append(...p.childNodes);
    p.replaceWith(to);
  }
}

// Word writes a list as paragraphs that tell their level in their style, with the mark as words.
function wordLists(root: DocumentFragment): void {
  let lists: HTMLElement[] = [];
  let last: Element | null = null;
  for (const p of root.querySelectorAll<HTMLElement>(`p[${LOOK}*='mso-list']`)) {
    const level = Number(/mso-list:[^;]*\blevel(\d+)/i.exec(look(p))?.[1] ?? 0);
    if (level === 0) continue;
    const mark = p.querySelector(`span[${LOOK}*='Ignore']`);
    const numbered = /^\(?(\d{1,4}|[a-z]{1,5})[.)]/i.exec((mark?.textContent ?? "").trim());
    mark?.remove();
    if (last === null || before(p) !== last) lists = [];
    lists = lists.slice(0, level);
    // Numbers behind bullets are another list.
    if (lists.length === level && (lists.at(-1)!.tagName === "OL") !== (numbered !== null)) lists.pop();
    while (lists.length < level) lists.push(open(p, lists, numbered?.[1]));
    const li = p.ownerDocument.createElement("li");
    li.append(...p.childNodes);
    lists.at(-1)!.append(li);
    p.remove();
    last = lists[0]!;
  }
}

// The element before, with nothing but blanks between.
function before(p: Element): Element | null {
  for (let n: ChildNode | null = p.previousSibling; n !== null; n = n.previousSibling) {
    if (n instanceof Element) return n;
    if ((n.textContent ?? "").trim() !== "") return null;
  }
  return null;
}

function open(p: HTMLElement, lists: HTMLElement[], number: string | undefined): HTMLElement {
  const list = p.ownerDocument.createElement(number === undefined ? "ul" : "ol");
  if (number !== undefined && Number(number) > 1) list.setAttribute("start", number);
  const above = lists.at(-1);
  if (above === undefined) p.before(list);
  else (above.lastElementChild ?? above.appendChild(p.ownerDocument.createElement("li"))).append(list);
  return list;
}

// A table of one column only sets things below each other.
function layout(table: HTMLTableElement): void {
  const parts = [...table.rows].flatMap((r) => [...r.cells]).map((cell) => {
    const div = table.ownerDocument.createElement("div");
    div.append(...cell.childNodes);
    return div;
  });
  table.replaceWith(...parts);
}
