import { claim, heldNames } from "./lock.ts";

// This tab's name, under which it keeps what is not sent and not saved. It outlives a
// reload; a duplicated tab has the same one, and takes another.

const TAB = "vibey.tab";
const ALIVE = "vibey.alive/";

function fresh(): string {
  const name = crypto.getRandomValues(new Uint32Array(2)).join("-");
  sessionStorage.setItem(TAB, name);
  return name;
}

let name = sessionStorage.getItem(TAB) ?? fresh();

/** tab returns this tab's name, which is another after `another`. */
export function tab(): string { return name; }

/** another gives this tab another name, where another tab turns out to have the same, and returns it. */
export function another(): string {
  name = fresh();
  void claim(ALIVE + name);
  return name;
}

// A page says that it goes: the name is then the next page's of this tab. A duplicated
// tab finds no such word, since the page that it was made from stays.
const LEFT = "vibey.left";
const mine = sessionStorage.getItem(LEFT) === name;
sessionStorage.removeItem(LEFT);
addEventListener("pagehide", () => sessionStorage.setItem(LEFT, name));
addEventListener("pageshow", () => sessionStorage.removeItem(LEFT)); // back from the browser's cache

// A tab holds a lock under its name, by which the others know that it lives. A page that
// goes may hold it a good while longer on a busy machine, and one that fell over a moment.
const FELL = 500;
const GOES = 30_000;

/** named resolves to this tab's name once no other tab has it. */
export const named: Promise<string> = (async () => {
  const got = claim(ALIVE + name, mine ? GOES : FELL);
  if (!mine) return (await got) ? name : another();
  void got.then((all) => all ?? another(), () => undefined); // two pages went by that name, and one of them stays
  return name;
})();

/** living returns the names of the tabs that are open; none where the browser has no locks. */
export async function living(): Promise<Set<string>> {
  const names = await named.then(heldNames).catch((): string[] => []); // a browser that refuses locks
  return new Set(names.filter((n) => n.startsWith(ALIVE)).map((n) => n.slice(ALIVE.length)));
}
