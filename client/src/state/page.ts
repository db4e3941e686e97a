import { signal } from "@preact/signals";

// How docs are shown: for all of them alike, until the window is closed.
export const reading = signal(false);
export const focusing = signal(false);
export const outlined = signal(false);
/** whether comments stand at the end of what is read, printed and saved */
export const noted = signal(true);
