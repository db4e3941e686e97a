import { signal } from "@preact/signals";
import type { OpenDoc } from "./doc.ts";
import { Late } from "./late.ts";

/** The doc in view. */
export const openDoc = signal<OpenDoc | null>(null);

const code = new Late(() => import("./doc.ts"));

/** viewDoc puts a doc in view, or none, as viewDoc of state/doc.ts says. */
export function viewDoc(p: string | null, name: string | null): void {
  if (p !== null || code.asked) code.use((m) => m.viewDoc(p, name));
}
