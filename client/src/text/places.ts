import { isDialog } from "./names.ts";

/** Where a link within a project leads. */
export type Place = { at: "docs"; file: string } | { at: "dialogs"; dialog: string } | { at: "deed"; path: string };

/** placeOf returns where a link of a doc or dialog leads in its project, or null where it leads nowhere. */
export function placeOf(href: string): Place | null {
  let path: string;
  try {
    path = decodeURIComponent(href.replace(/[?#].*$/s, "")).replace(/^\.\//, "");
  } catch {
    return null;
  }
  if (isDialog(path)) return { at: "dialogs", dialog: path.replace(/^dialog-/, "").replace(/-(active|waiting|done)\.md$/, "") };
  if (/^[\w.-]+\.md$/.test(path)) return { at: "docs", file: path };
  if (/^deed\/[^\\\p{C}]+$/u.test(path) && path.split("/").every((p) => p !== "" && p !== "." && p !== "..")) return { at: "deed", path: path.slice(5) };
  return null;
}
