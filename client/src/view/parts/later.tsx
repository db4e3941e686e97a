import { signal } from "@preact/signals";
import type { ComponentType } from "preact";
import { useEffect } from "preact/hooks";
import type { Route } from "../../text/route.ts";
import { NEW } from "../../text/route.ts";
import { toast } from "../../state/toast.ts";
import { app } from "../../text/strings.ts";

// The parts of the window that are chunks of their own: the first page loads the one that
// its address needs beside the data, and the others when nothing else is to do.

/** later is a component whose code is a chunk; while that comes, its place is empty. */
function later<P extends object>(load: () => Promise<ComponentType<P>>) {
  const part = signal<ComponentType<P> | null>(null);
  const failed = signal(false);
  let loading: Promise<void> | null = null;
  const preload = (): Promise<void> =>
    (loading ??= load().then(
      (p) => { part.value = p; },
      () => { failed.value = true; }, // the server was replaced by another version, or is gone
    ));
  function Later(props: P) {
    void preload();
    if (failed.value) return <main class="pane empty"><div role="alert"><p>{app.partMissing}</p><p><button onClick={() => location.reload()}>{app.reload}</button></p></div></main>;
    const Part = part.value;
    return Part === null ? <main class="pane" /> : <Part {...props} />;
  }
  return { Later, preload };
}

/** above is a part that opens above the others, with its code. */
function above<P extends { onClose: () => void }>(load: () => Promise<ComponentType<P>>): ComponentType<P> {
  const part = signal<ComponentType<P> | null>(null);
  return function Above(props: P) {
    useEffect(() => {
      if (part.peek() === null) load().then((p) => { part.value = p; }, () => {
        props.onClose();
        toast(app.notLoaded);
      });
    }, []);
    const Part = part.value;
    return Part === null ? null : <Part {...props} />;
  };
}

const dialogPane = later(() => import("../dialog/dialogpane.tsx").then((m) => m.DialogPane));
const newDialog = later(() => import("../dialog/newdialog.tsx").then((m) => m.NewDialogForm));
const docs = later(() => import("../doc/docs.tsx").then((m) => m.Docs));
const deed = later(() => import("../deed.tsx").then((m) => m.Deed));
const board = later(() => import("../board/board.tsx").then((m) => m.Board));
const projects = later(() => import("../projects.tsx").then((m) => m.Projects));
const login = later(() => import("../login.tsx").then((m) => m.Login));

export const DialogPane = dialogPane.Later;
export const NewDialogForm = newDialog.Later;
export const Docs = docs.Later;
export const Deed = deed.Later;
export const Board = board.Later;
export const Projects = projects.Later;
export const Login = login.Later;
export const Closing = above(() => import("../dialog/closing.tsx").then((m) => m.Closing));
export const DeleteDialog = above(() => import("../dialog/deletedialog.tsx").then((m) => m.DeleteDialog));
export const KeyList = above(() => import("../keylist.tsx").then((m) => m.KeyList));
export const Walls = above(() => import("../walls.tsx").then((m) => m.Walls));
export const AnswerPanel = above(() => import("../board/answerpanel.tsx").then((m) => m.AnswerPanel));
export const Palette = above(() => import("../palette.tsx").then((m) => m.Palette));

/** preload loads what a route shows. */
export async function preload(r: Route): Promise<void> {
  if (r.at === "projects") await projects.preload();
  else if (r.at === "docs") await docs.preload();
  else if (r.at === "deed") await deed.preload();
  else if (r.at === "board") await board.preload();
  else if (r.dialog !== null) await (r.dialog === NEW ? newDialog : dialogPane).preload();
}

/** preloadAll loads the other parts, so that nothing is empty for a moment later. */
export function preloadAll(): void {
  for (const p of [dialogPane, docs, newDialog, projects, deed, board]) void p.preload();
}
