import { effect, signal } from "@preact/signals";
import { route } from "./navigation.ts";

/** The file of the deed that a link was followed to, or null. */
export const shownFile = signal<{ project: string; path: string } | null>(null);

/** showFile shows a file of the deed over the dialog. */
export function showFile(project: string, path: string): void { shownFile.value = { project, path }; }

// It is left with the page that it was shown over.
effect(() => {
  void route.value;
  shownFile.value = null;
});
