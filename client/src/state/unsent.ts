import { Unsent } from "../text/unsent.ts";
import { shelf } from "./shelf.ts";

const TAB = "vibey.tab";

// The tab's name outlives a reload; a duplicated tab has the same one.
function name(): string {
  const fresh = crypto.getRandomValues(new Uint32Array(2)).join("-");
  sessionStorage.setItem(TAB, fresh);
  return fresh;
}

/** unsent keeps the texts of message boxes in localStorage. */
export const unsent = new Unsent(shelf, sessionStorage.getItem(TAB) ?? name(), name);
