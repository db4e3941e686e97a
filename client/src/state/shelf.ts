import type { Shelf } from "../text/queue.ts";

/** shelf is this browser's localStorage. */
export const shelf: Shelf = {
  getItem: (k) => localStorage.getItem(k),
  setItem: (k, v) => localStorage.setItem(k, v),
  removeItem: (k) => localStorage.removeItem(k),
  keys: () => Object.keys(localStorage),
};

/** note keeps what is no loss where this browser has no more room for it. */
export function note(key: string, value: string): void {
  try {
    shelf.setItem(key, value);
  } catch {
    // then it is asked or chosen anew
  }
}
