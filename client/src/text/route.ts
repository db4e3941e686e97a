/** What is in view, as the URL's fragment says it. */
export type Route =
  | { at: "projects" }
  | { at: "docs"; project: string; file: string | null }
  | { at: "dialogs"; project: string; dialog: string | null }
  | { at: "deed"; project: string; path: string | null }
  /** the board of a project; null: of all */
  | { at: "board"; project: string | null };

/** NEW stands for a dialog's id while the form for a new one is open. No id looks like it. */
export const NEW = "new";

/** readRoute reads a fragment. An unknown one is the list of projects. */
export function readRoute(hash: string): Route {
  const parts = hash.replace(/^#\/?/, "").split("/").map(decode);
  const [first, project, tab, item] = parts;
  if (first === "board") return { at: "board", project: null };
  if (first !== "project" || !project) return { at: "projects" };
  if (tab === "board") return { at: "board", project };
  if (tab === "dialogs") return { at: "dialogs", project, dialog: item || null };
  if (tab === "deed") return { at: "deed", project, path: parts.slice(3).join("/") || null };
  return { at: "docs", project, file: item || null };
}

/** writeRoute is the inverse of readRoute. */
export function writeRoute(r: Route): string {
  if (r.at === "projects") return "#/projects";
  if (r.at === "board") return r.project === null ? "#/board" : `#/project/${encodeURIComponent(r.project)}/board`;
  const base = `#/project/${encodeURIComponent(r.project)}/${r.at}`;
  if (r.at === "deed") return r.path ? `${base}/${r.path.split("/").map(encodeURIComponent).join("/")}` : base;
  const item = r.at === "docs" ? r.file : r.dialog;
  return item ? `${base}/${encodeURIComponent(item)}` : base;
}

function decode(part: string): string {
  try { return decodeURIComponent(part); } catch { return part; }
}
