import { above, later } from "../parts/later.tsx";

export const DialogPane = later(() => import("./dialogpane.tsx").then((m) => m.DialogPane));
export const NewDialogForm = later(() => import("./newdialog.tsx").then((m) => m.NewDialogForm));
export const Closing = above(() => import("./closing.tsx").then((m) => m.Closing));
export const DeleteDialog = above(() => import("./deletedialog.tsx").then((m) => m.DeleteDialog));
