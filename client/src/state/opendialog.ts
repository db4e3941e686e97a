import { signal } from "@preact/signals";
import type { OpenDialog } from "./dialog.ts";

/** The dialog in view. */
export const openDialog = signal<OpenDialog | null>(null);

// The code of a dialog comes with the first one that is viewed.
let code: Promise<typeof import("./dialog.ts")> | null = null;
let calls = 0;

/** viewDialog puts a dialog in view, or none. */
export function viewDialog(p: string | null, id: string | null): void {
  const mine = ++calls;
  const now = openDialog.peek();
  if (now && now.project === p && now.id === id) return;
  now?.close();
  openDialog.value = null;
  if (p === null || id === null) return;
  code ??= import("./dialog.ts");
  code.then((m) => { if (mine === calls) openDialog.value = new m.OpenDialog(p, id); }, () => { code = null; });
}
