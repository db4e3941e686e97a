import { above, later } from "../parts/later.tsx";

export const DialogPane = later(() => import("./dialogpane.tsx").then((m) => m.DialogPane));
export const NewDialog = later(() => import("./newdialog.tsx").then((m) => m.NewDialog));
export const Closing = above(() => import("./closing.tsx").then((m) => m.Closing));
export const DeleteDialog = above(() => import("./deletedialog.tsx").then((m) => m.DeleteDialog));
