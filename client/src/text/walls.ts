import table from "./walls.json" with { type: "json" };
import type { Section } from "../types.ts";
import { readControl } from "./control.ts";

interface Words {
  walls: string;
  closed: string;
  open: string;
}

const LEVELS: Record<string, Words> = table.levels;

/** wallsWords says what contains a command at a sandbox level, also where the level is not known yet. */
export function wallsWords(level: string, network: boolean): string {
  const w = LEVELS[Object.hasOwn(LEVELS, level) ? level : "unknown"]!;
  return [w.walls, network ? w.open : w.closed].filter((s) => s !== "").join(" ");
}

/** walled reports whether a level is known to contain a command. */
export function walled(level: string): boolean { return level !== "none" && level !== "unknown" && Object.hasOwn(LEVELS, level); }

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
