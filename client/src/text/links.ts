import { addedPath } from "./added.ts";

/** What a link of a doc or of a dialog leads to. */
export type Target =
  | { to: "doc"; file: string; heading: string }
  | { to: "heading"; heading: string }
  | { to: "dialog"; id: string }
  | { to: "deed"; path: string; picture: boolean }
  | { to: "added"; path: string }
  | { to: "web"; url: string }
  | { to: "nothing" };

const PICTURE = /\.(png|jpe?g|gif|webp|bmp|ico)$/i;

/** isPicture reports whether a path names a picture that the window may show. */
export function isPicture(path: string): boolean { return PICTURE.test(path); }

/** readLink reads the address of a link. One that leads out of the project, or runs something, leads to nothing. */
export function readLink(address: string): Target {
  if (/^https?:\/\//i.test(address)) return { to: "web", url: address };
  const [path = "", heading = ""] = address.split(/#(.*)/s).map(decode);
  const file = path.replace(/\?.*$/s, "").replace(/^(\.\/)+/, "");
  if (file === "") return heading === "" ? { to: "nothing" } : { to: "heading", heading };
  if (/^[a-z][a-z0-9+.-]*:/i.test(file) || file.startsWith("/") || file.split("/").includes("..")) return { to: "nothing" };
  if (/[\\\p{C}]/u.test(file)) return { to: "nothing" };
  if (file.startsWith("deed/")) return file.split("/").some((p) => p === "" || p === ".") ? { to: "nothing" } : { to: "deed", path: file.slice(5), picture: isPicture(file) };
  if (addedPath(file) !== null) return { to: "added", path: file };
  const dialog = /^(?:dialog-)?(\d{8}-\d{6}-[^/]+?)(?:-(?:active|waiting|done)\.md)?$/.exec(file);
  if (dialog && (file.startsWith("dialog-") || !file.endsWith(".md"))) return { to: "dialog", id: dialog[1]! };
  if (/^[^/.][^/]*\.md$/.test(file)) return { to: "doc", file, heading };
  return { to: "nothing" };
}

/** readDocLink returns what the address of a link of a doc leads to. One with an ending that leads to nothing else names a file of the deed: "lamp.png" is "deed/lamp.png". */
export function readDocLink(address: string): Target {
  const at = readLink(address), bare = address.replace(/^(\.\/)+/, "");
  return at.to === "nothing" && /^(?![a-z][a-z0-9+.-]*:)[^/#].*[^/]\.[^/.]+$/is.test(bare) ? readLink(`deed/${bare}`) : at;
}

/** picturePath returns the path in the project of a picture that the window may show, in `deed/` or in `files/`, or null. */
export function picturePath(address: string): string | null {
  const t = readDocLink(address);
  return t.to === "added" ? t.path : t.to === "deed" && t.picture ? `deed/${t.path}` : null;
}

function decode(s: string): string {
  try { return decodeURIComponent(s); } catch { return s; }
}

/** A heading of a doc. */
export interface Heading { line: number; level: number; title: string }

/** headings lists the headings of a doc; what stands in code, in blocks of schwas, in comments or in front matter is none. */
export function headings(lines: Iterable<string>): Heading[] {
  const out: Heading[] = [];
  const all = Array.from(lines, (l, i) => (i === 0 ? l.replace(/^\uFEFF/, "") : l).trimEnd());
  let n = all[0] === "---" ? all.findIndex((l, i) => i > 0 && /^(---|\.\.\.)$/.test(l)) + 1 : 0;
  for (let closes: RegExp | null = null; n < all.length; n++) {
    const line = all[n]!;
    if (closes) {
      if (closes.test(line)) closes = null;
      continue;
    }
    const fence = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/.exec(line);
    if (fence) closes = new RegExp(`^ {0,3}${fence[1]![0]}{${fence[1]!.length},}$`);
    else if (/^əəə[^ə\s]/.test(line)) closes = /^əəə$/;
    else if (/^ {0,3}<!--/.test(line) && !line.includes("-->")) closes = /-->/;
    const h = /^ {0,3}(#{1,6})(?=[ \t])(.*?)(?:[ \t]#+)?$/.exec(line), title = h?.[2]!.trim();
    if (title) out.push({ line: n + 1, level: h![1]!.length, title: plainTitle(title) });
  }
  return out;
}

/** plainTitle returns a title without the marks of markdown. */
export function plainTitle(s: string): string { return s.replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1").replace(/[*`~]+|\\(?=[\p{P}])/gu, ""); }

/** slugOf returns a title as links name it: "How to work" is how-to-work. */
export function slugOf(title: string): string {
  return title.toLowerCase().replace(/[^\p{L}\p{N}\p{M}_ -]/gu, "").trim().replace(/ /g, "-");
}

/** headingLine returns the line of the heading that a link names, or 0. */
export function headingLine(all: Heading[], heading: string): number {
  const want = slugOf(heading.replace(/-/g, " ")).replace(/-+/g, "-");
  return all.find((h) => slugOf(h.title).replace(/-+/g, "-") === want)?.line ?? 0;
}

/** linkOf is the markdown of a link. */
export function linkOf(words: string, address: string): string { return `[${words.replace(/[\\[\]]/g, "\\$&")}](${address})`; }

/** linkable is an address as a link's brackets can hold it. */
export function linkable(href: string): string { return href.replace(/[()]/g, (c) => (c === "(" ? "%28" : "%29")); }
