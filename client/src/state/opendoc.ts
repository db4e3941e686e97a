import { signal } from "@preact/signals";
import type { OpenDoc } from "./doc.ts";

/** The doc in view. */
export const openDoc = signal<OpenDoc | null>(null);

// The code of a doc comes with the first one that is viewed.
let code: Promise<typeof import("./doc.ts")> | null = null;
let calls = 0;

/** viewDoc puts a doc in view, or none, as viewDoc of state/doc.ts says. */
export function viewDoc(p: string | null, name: string | null): void {
  if (p === null && code === null) return;
  const mine = ++calls;
  code ??= import("./doc.ts");
  code.then((m) => { if (mine === calls) m.viewDoc(p, name); }, () => { code = null; });
}
