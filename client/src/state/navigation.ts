import { signal } from "@preact/signals";
import { readRoute, writeRoute, type Route } from "../text/route.ts";

/** The route in view. */
export const route = signal<Route>(readRoute(location.hash));

/** Leaving is a navigation that waits for the human's answer, because a text is not saved. */
export const leaving = signal<{ to: string } | null>(null);

let unsaved: () => boolean = () => false;

/** guardLeaving sets the check that decides whether a navigation must ask first. */
export function guardLeaving(isUnsaved: () => boolean): void { unsaved = isUnsaved; }

/** go navigates to a route, or asks first where something is unsaved. */
export function go(to: Route): void { goTo(writeRoute(to)); }

/** redirect goes to the route that the one in view stands for; the way back skips the latter. */
export function redirect(to: Route): void {
  if (location.hash !== here) return; // the address was changed a moment ago, and that is still to be read
  here = writeRoute(to);
  history.replaceState(null, "", here);
  route.value = to;
}

function goTo(hash: string): void {
  if (hash === location.hash) return;
  if (unsaved()) leaving.value = { to: hash };
  else location.hash = hash;
}

/** leave carries out the navigation that waited, after Save or Discard. */
export function leave(): void {
  const to = leaving.value?.to;
  leaving.value = null;
  if (to !== undefined) location.hash = to;
}

/** stay drops the navigation that waited. */
export function stay(): void { leaving.value = null; }

let here = location.hash;

/** staysHere reports whether a click on a link leads this page on, not another tab. */
export function staysHere(e: MouseEvent): boolean { return e.button === 0 && !e.metaKey && !e.ctrlKey && !e.shiftKey && !e.altKey; }

/** startNavigation listens to the address, to links, and to the closing of the tab. */
export function startNavigation(): void {
  here = location.hash;
  route.value = readRoute(here);
  addEventListener("hashchange", () => {
    if (location.hash === here) return;
    // The printed address was pasted into an open window: log in with its code.
    if (location.hash.startsWith("#code=")) return location.reload();
    if (unsaved()) {
      // The back button has changed the address already: restore it, then ask.
      const to = location.hash;
      history.pushState(null, "", here || "#/projects");
      leaving.value = { to };
      return;
    }
    here = location.hash;
    route.value = readRoute(here);
  });
  addEventListener("click", (e) => {
    if (e.defaultPrevented || !staysHere(e)) return;
    const a = (e.target as Element | null)?.closest?.("a[href^='#']");
    if (!a || !unsaved()) return;
    e.preventDefault();
    goTo(a.getAttribute("href")!);
  });
  addEventListener("beforeunload", (e) => {
    if (unsaved()) e.preventDefault();
  });
}
