import { note } from "./shelf.ts";

// Which dialog was last asked about a doc, and of which question the answer was closed there, as this browser keeps it.
const askedKey = (p: string, name: string) => `vibey.asked/${p}/${name}`, closedKey = (p: string, name: string) => `vibey.closed/${p}/${name}`;

/** lastAsked returns the dialog that was last asked about a doc; "" for none. */
export function lastAsked(p: string, name: string): string { return localStorage.getItem(askedKey(p, name)) ?? ""; }

/** keepAsked keeps that. */
export function keepAsked(p: string, name: string, dialog: string): void { note(askedKey(p, name), dialog); }

/** wasClosed reports whether the answer to a question, by its section, is the one that was closed last beside a doc. */
export function wasClosed(p: string, name: string, section: string): boolean { return localStorage.getItem(closedKey(p, name)) === section; }

/** keepClosed keeps that. */
export function keepClosed(p: string, name: string, section: string): void { note(closedKey(p, name), section); }
