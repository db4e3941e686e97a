import type { Section } from "../types.ts";
import { readControl } from "./control.ts";

/**
 * networkAllowed reports whether a dialog's commands may use the network. It has no key
 * to tell a genuine permission from a copied one, and takes each as genuine: it may
 * warn of a network that is closed, but never miss one that is open.
 */
export function networkAllowed(sections: Section[]): boolean {
  let allowed = false;
  for (const s of sections) {
    if (s.role !== "Authorization") continue;
    const verbs = (s.payloads ?? []).flatMap((p) => readControl(p.text)).flatMap((l) => (l.kind === "tool" && l.tool === "network" ? [l.verb] : []));
    if (verbs.length > 0) allowed = !verbs.includes("deny") && verbs.at(-1) === "allow";
  }
  return allowed;
}
