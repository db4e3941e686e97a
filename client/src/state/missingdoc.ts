import { signal } from "@preact/signals";

/** A doc that a link leads to and that is not there: in the docs the human is asked whether to create it. */
export const missing = signal<{ project: string; file: string } | null>(null);
