import { signal } from "@preact/signals";

/** What of a doc's history is shown: the list of its versions, who wrote the paragraph at the cursor, or nothing. */
export const historyShown = signal<"versions" | "who" | null>(null);
