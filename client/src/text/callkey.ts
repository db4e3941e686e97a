import type { Call } from "../types.ts";

/** callKey returns a key of a call with all that an approval is bound to: another input, another file, another place of it or another effect has another key. */
export function callKey(c: Call): string { return `${c.id}/${c.sha256}/${c.target?.sha256 ?? ""}/${c.target?.path ?? ""}${c.effect?.sha256 ?? ""}`; }
