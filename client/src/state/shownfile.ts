import { effect, signal } from "@preact/signals";
import { route } from "./navigation.ts";

/** The file that a link was followed to, by its path in the project, or null. */
export const shownFile = signal<{ project: string; path: string } | null>(null);

/** showFile shows a file of `deed/`, or a picture of `files/`, over what is open. */
export function showFile(project: string, path: string): void { shownFile.value = { project, path }; }

// It is left with the page that it was shown over.
effect(() => {
  void route.value;
  shownFile.value = null;
});
