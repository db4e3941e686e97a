import { note } from "./shelf.ts";

// Which comments of a doc were sent, as this browser keeps it: nothing of it stands in the file.
const keyOf = (p: string, name: string) => `vibey.sent/${p}/${name}`;

/** readSent returns the names of the comments of a doc that were sent. */
export function readSent(p: string, name: string): string[] {
  try {
    const all: unknown = JSON.parse(localStorage.getItem(keyOf(p, name)) ?? "[]");
    return Array.isArray(all) ? all.filter((k) => typeof k === "string") : [];
  } catch {
    return [];
  }
}

/** keepSent keeps those. */
export function keepSent(p: string, name: string, all: readonly string[]): void { note(keyOf(p, name), JSON.stringify(all)); }
