import type { Shelf } from "../text/queue.ts";

/** shelf is this browser's localStorage. */
export const shelf: Shelf = {
  getItem: (k) => localStorage.getItem(k),
  setItem: (k, v) => localStorage.setItem(k, v),
  removeItem: (k) => localStorage.removeItem(k),
  keys: () => Object.keys(localStorage),
};
