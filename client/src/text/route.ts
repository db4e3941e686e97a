/** Where the window stands; it is written in the URL's fragment. */
export type Route =
  | { at: "projects" }
  | { at: "docs"; project: string; file: string | null }
  | { at: "dialogs"; project: string; dialog: string | null };

/** NEW stands in the place of a dialog's id while its name is asked. No id looks like it. */
export const NEW = "new";

/** readRoute reads a fragment; what it does not know is the list of projects. */
export function readRoute(hash: string): Route {
  const parts = hash.replace(/^#\/?/, "").split("/").map(decode);
  const [first, project, tab, item] = parts;
  if (first !== "project" || !project) return { at: "projects" };
  if (tab === "dialogs") return { at: "dialogs", project, dialog: item || null };
  return { at: "docs", project, file: item || null };
}

/** writeRoute is readRoute's inverse. */
export function writeRoute(r: Route): string {
  if (r.at === "projects") return "#/projects";
  const base = `#/project/${encodeURIComponent(r.project)}/${r.at}`;
  const item = r.at === "docs" ? r.file : r.dialog;
  return item ? `${base}/${encodeURIComponent(item)}` : base;
}

function decode(part: string): string {
  try { return decodeURIComponent(part); } catch { return part; }
}
