import { signal } from "@preact/signals";
import type { OpenDialog } from "./dialog.ts";
import { Late } from "./late.ts";

/** The dialog in view. */
export const openDialog = signal<OpenDialog | null>(null);

const code = new Late(() => import("./dialog.ts"));

/** viewDialog puts a dialog in view, or none. */
export function viewDialog(p: string | null, id: string | null): void {
  code.cancel();
  const now = openDialog.peek();
  if (now && now.project === p && now.id === id) return;
  now?.close();
  openDialog.value = null;
  if (p !== null && id !== null) code.use((m) => { openDialog.value = new m.OpenDialog(p, id); });
}
