import { Unsent } from "../text/unsent.ts";
import { shelf } from "./shelf.ts";

const TAB = "vibey.tab";

// A reload keeps the tab's name; a tab that was copied brings it along too.
function name(): string {
  const fresh = crypto.getRandomValues(new Uint32Array(2)).join("-");
  sessionStorage.setItem(TAB, fresh);
  return fresh;
}

/** unsent keeps what is being written to a dialog here, for as long as this browser keeps anything. */
export const unsent = new Unsent(shelf, sessionStorage.getItem(TAB) ?? name(), name);
