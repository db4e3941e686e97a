import { missing } from "../../state/missingdoc.ts";
import { go, staysHere } from "../../state/navigation.ts";
import { drawPicture, keepFile, NoPicture, openFile } from "../../state/pictures.ts";
import { docs } from "../../state/project.ts";
import { inert } from "../../state/trusted.ts";
import { addedName, addedPath } from "../../text/added.ts";
import { picturePath, readLink } from "../../text/links.ts";
import { revealProse } from "../../text/prose.ts";
import { writeRoute } from "../../text/route.ts";
import { added as say, hidden, log, rich } from "../../text/strings.ts";
import { showFile } from "../../state/shownfile.ts";

const TAGS = new Set(
  "A P BR HR H1 H2 H3 H4 H5 H6 EM STRONG DEL S CODE PRE BLOCKQUOTE UL OL LI TABLE THEAD TBODY TR TH TD SPAN DIV SUP SUB DL DT DD KBD".split(" "),
);
// Each of them begins a line, whose own words tell its direction.
const BLOCKS = new Set("P H1 H2 H3 H4 H5 H6 BLOCKQUOTE UL OL LI TD TH DT DD".split(" "));
const DROPPED = new Set(["SCRIPT", "STYLE", "TEMPLATE", "IFRAME", "OBJECT", "EMBED", "SVG", "MATH", "NOSCRIPT", "TITLE", "TEXTAREA"]);

/** The ids of a footnote and of its numbers, which lead to each other. */
const NOTE_ID = /^n[0-9a-f]{8}-fn(ref\d*)?:\d+$/;

/**
 * clean makes nodes of the server's html. The server renders markdown with raw html off;
 * this is the second check: only known tags, few attributes, links to http(s), mail and
 * docs, dialogs and files of the project, images of the deed and of files/ alone; and characters
 * that would be invisible are drawn.
 */
export function clean(html: string, project: string): DocumentFragment {
  const out = document.createDocumentFragment();
  for (const n of inert(html).content.childNodes) copy(n, out, project);
  return out;
}

function copy(n: Node, to: Node, project: string): void {
  if (n.nodeType === Node.TEXT_NODE) {
    for (const p of revealProse(n.nodeValue ?? "")) to.appendChild(typeof p === "string" ? document.createTextNode(p) : chip(p));
    return;
  }
  if (!(n instanceof Element) || DROPPED.has(n.tagName.toUpperCase())) return;
  const el = element(n, project);
  if (el === null) return;
  const into = el === "children" ? to : to.appendChild(el);
  if (el !== "children" && el.tagName === "INPUT") return;
  for (const c of n.childNodes) copy(c, into, project);
}

// As Reveal draws it.
function chip(p: { code: string; name: string }): HTMLElement {
  const el = document.createElement("span");
  el.className = "hidden-char";
  el.setAttribute("role", "img");
  el.title = hidden.title(p.name);
  el.setAttribute("aria-label", hidden.label(p.name, p.code));
  el.textContent = p.code;
  return el;
}

function element(n: Element, project: string): HTMLElement | "children" | null {
  if (n.tagName === "IMG") return image(n, project);
  if (n.tagName === "INPUT") return n.getAttribute("type") === "checkbox" ? box(n) : null;
  if (!TAGS.has(n.tagName)) return "children";
  const el = document.createElement(n.tagName);
  const cls = n.getAttribute("class");
  if (cls !== null && /^[\w+# -]{1,80}$/.test(cls)) el.className = cls.split(" ").map((c) => "md-" + c).join(" ");
  const id = n.getAttribute("id") ?? "", role = n.getAttribute("role") ?? "";
  if (NOTE_ID.test(id)) el.id = id;
  if (/^doc-(noteref|backlink|endnotes)$/.test(role)) el.setAttribute("role", role);
  const align = n.getAttribute("align") ?? /text-align:\s*(left|right|center)/.exec(n.getAttribute("style") ?? "")?.[1];
  if ((n.tagName === "TD" || n.tagName === "TH") && align) el.style.textAlign = align;
  const start = n.getAttribute("start");
  if (n.tagName === "OL" && start !== null && /^\d{1,9}$/.test(start)) el.setAttribute("start", start);
  if (BLOCKS.has(n.tagName)) el.dir = "auto";
  if (n.tagName === "A" && !link(n, el as HTMLAnchorElement, project)) return "children";
  return el;
}

// Sets where a link leads, and reports whether it leads anywhere.
function link(n: Element, a: HTMLAnchorElement, project: string): boolean {
  const href = (n.getAttribute("href") ?? "").trim();
  if (/^(https?:|mailto:)/i.test(href)) {
    a.href = href;
    a.target = "_blank";
    a.rel = "noopener noreferrer";
    a.title = href;
    return true;
  }
  if (href.startsWith("#") && NOTE_ID.test(href.slice(1))) {
    a.href = "";
    a.addEventListener("click", (e) => {
      e.preventDefault();
      const to = a.closest(".prose")?.querySelector<HTMLElement>(`[id="${href.slice(1)}"]`);
      if (!to) return;
      to.tabIndex = -1;
      to.scrollIntoView({ block: "nearest" });
      to.focus({ preventScroll: true });
    });
    return true;
  }
  const to = readLink(href);
  if (to.to === "doc") {
    a.href = writeRoute({ at: "docs", project, file: to.file });
    a.addEventListener("click", (e) => {
      if (!staysHere(e) || (docs.peek() ?? [to.file]).includes(to.file)) return;
      e.preventDefault();
      missing.value = { project, file: to.file };
      go({ at: "docs", project, file: null });
    });
  }
  else if (to.to === "added" || addedPath(href) !== null) {
    const path = addedPath(href) ?? (to as { path: string }).path;
    a.href = "";
    a.title = path;
    a.addEventListener("click", (e) => {
      e.preventDefault();
      openFile(project, path);
    });
  }
  else if (to.to === "dialog") a.href = writeRoute({ at: "dialogs", project, dialog: to.id });
  else if (to.to === "deed" && !to.picture) a.href = writeRoute({ at: "deed", project, path: to.path });
  else if (to.to === "deed") {
    a.href = "";
    a.title = `deed/${to.path}`;
    a.addEventListener("click", (e) => {
      e.preventDefault();
      showFile(project, `deed/${to.path}`);
    });
  } else return false;
  return true;
}

function box(n: Element): HTMLElement {
  const el = document.createElement("input");
  el.type = "checkbox";
  el.disabled = true;
  el.checked = n.hasAttribute("checked");
  el.setAttribute("aria-label", el.checked ? rich.done : rich.toDo);
  return el;
}

// An image of another host is never fetched: its host would learn who reads what.
function image(n: Element, project: string): HTMLElement {
  const src = (n.getAttribute("src") ?? "").trim();
  const alt = n.getAttribute("alt") ?? "";
  let host = "";
  try {
    const url = new URL(src);
    if (url.protocol === "https:" || url.protocol === "http:") host = url.host;
  } catch {
    // a path of the project
  }
  if (host !== "") {
    const a = document.createElement("a");
    a.className = "chip";
    a.href = src;
    a.target = "_blank";
    a.rel = "noopener noreferrer";
    a.textContent = rich.imageAt(host, alt);
    return a;
  }
  const img = document.createElement("img");
  img.alt = alt;
  const path = addedPath(src) ?? picturePath(src); // the server has read the escapes
  if (path === null) return img;
  img.dataset["picture"] = path; // morph keeps an img by it
  if (addedPath(path) !== null) return added(img, project, path);
  // It is read once it stands in the page: of what is drawn again most is thrown away.
  requestAnimationFrame(() => {
    if (img.isConnected) drawPicture(img, project, path).catch(() => { img.title = log.noPicture; });
  });
  return img;
}

// A picture of files/ is shown small, and opens whole; what can't be shown is a file to download.
function added(img: HTMLImageElement, project: string, path: string): HTMLElement {
  const box = document.createElement("button");
  box.type = "button";
  box.className = "added-picture";
  const name = addedName(path);
  img.alt ||= name;
  box.title = say.open(name);
  box.append(img);
  box.addEventListener("click", () => (box.className === "added-picture" ? showFile(project, path) : keepFile(project, path)));
  requestAnimationFrame(() => {
    if (!img.isConnected) return;
    drawPicture(img, project, path).catch((e: Error) => {
      if (!(e instanceof NoPicture)) {
        img.title = box.title = log.noPicture;
        return;
      }
      box.className = "added-file";
      box.title = say.keep(name);
      box.textContent = img.alt;
    });
  });
  return box;
}
