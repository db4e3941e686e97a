import { signal } from "@preact/signals";
import { readRoute, writeRoute, type Route } from "../text/route.ts";

/** Where the window stands. */
export const route = signal<Route>(readRoute(location.hash));

/** Leaving is a way out that waits for the writer's word, since a text would be left unsaved. */
export const leaving = signal<{ to: string } | null>(null);

let unsaved: () => boolean = () => false;

/** guardLeaving sets the question that is asked before each way out. */
export function guardLeaving(isUnsaved: () => boolean): void { unsaved = isUnsaved; }

/** go moves the window, or asks first where something is unsaved. */
export function go(to: Route): void { goTo(writeRoute(to)); }

function goTo(hash: string): void {
  if (hash === location.hash) return;
  if (unsaved()) leaving.value = { to: hash };
  else location.hash = hash;
}

/** leave goes on to where the writer wanted, after Save or Discard. */
export function leave(): void {
  const to = leaving.value?.to;
  leaving.value = null;
  if (to !== undefined) location.hash = to;
}

/** stay drops the way out. */
export function stay(): void { leaving.value = null; }

let here = location.hash;

/** startNavigation listens to the address, links and the browser's own ways out. */
export function startNavigation(): void {
  here = location.hash;
  addEventListener("hashchange", () => {
    if (location.hash === here) return;
    // The printed address, pasted into an open window: begin anew with its code.
    if (location.hash.startsWith("#code=")) return location.reload();
    if (unsaved()) {
      // The browser's back button went already: take it back, then ask.
      const to = location.hash;
      history.pushState(null, "", here || "#/projects");
      leaving.value = { to };
      return;
    }
    here = location.hash;
    route.value = readRoute(here);
  });
  addEventListener("click", (e) => {
    if (e.defaultPrevented || e.button !== 0 || e.metaKey || e.ctrlKey || e.shiftKey || e.altKey) return;
    const a = (e.target as Element | null)?.closest?.("a[href^='#']");
    if (!a || !unsaved()) return;
    e.preventDefault();
    goTo(a.getAttribute("href")!);
  });
  addEventListener("beforeunload", (e) => {
    if (unsaved()) e.preventDefault();
  });
}
