import { NEW, type Route } from "../text/route.ts";
import { DialogPane, NewDialog } from "./dialog/chunks.ts";
import { editorCode } from "./doc/editorcode.ts";
import { above, later } from "./parts/later.tsx";

// The parts of the window that are chunks of their own: the first page loads the one that
// its address needs beside the data, and the others when nothing else is to do.

export const docsCode = () => import("./doc/docs.tsx");
export const Docs = later(() => docsCode().then((m) => m.Docs));
export const Deed = later(() => import("./deed.tsx").then((m) => m.Deed));
export const Board = later(() => import("./board/board.tsx").then((m) => m.Board));
export const Projects = later(() => import("./projects.tsx").then((m) => m.Projects));
export const Login = later(() => import("./login.tsx").then((m) => m.Login));
export const KeyList = above(() => import("./keylist.tsx").then((m) => m.KeyList));
export const Walls = above(() => import("./walls.tsx").then((m) => m.Walls));
export const AnswerPanel = above(() => import("./board/answerpanel.tsx").then((m) => m.AnswerPanel));
export const Palette = above(() => import("./palette.tsx").then((m) => m.Palette));

/** preload loads what a route shows. */
export async function preload(r: Route): Promise<void> {
  if (r.at === "projects") await Projects.preload();
  else if (r.at === "docs") {
    if (r.file !== null) void editorCode().catch(() => undefined); // the doc asks for it again, and tells
    await Docs.preload();
  }
  else if (r.at === "deed") await Deed.preload();
  else if (r.at === "board") await Board.preload();
  else if (r.dialog !== null) await (r.dialog === NEW ? NewDialog : DialogPane).preload();
}

/** preloadAll loads the other parts, so that nothing is empty for a moment later. */
export function preloadAll(): void {
  for (const p of [DialogPane, Docs, NewDialog, Projects, Deed, Board]) void p.preload();
}
