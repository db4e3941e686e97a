import { signal } from "@preact/signals";
import type { OpenDoc } from "./doc.ts";

/** The doc in view. */
export const openDoc = signal<OpenDoc | null>(null);
