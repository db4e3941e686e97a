import { signal } from "@preact/signals";

/** Answering is a dialog whose questions are answered above the list or the board. */
export interface Answering {
  project: string;
  id: string;
  /** how people call it */
  name: string;
}

/** The dialog that is answered above the list or the board; null for none. */
export const answering = signal<Answering | null>(null);
