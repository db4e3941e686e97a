import { signal } from "@preact/signals";

/** A message that disappears by itself. */
export const toasts = signal<{ id: number; text: string }[]>([]);
let next = 1;

export function toast(text: string, ms = 8000): void {
  const id = next++;
  toasts.value = [...toasts.value.filter((t) => t.text !== text).slice(-2), { id, text }];
  setTimeout(() => dismiss(id), ms);
}

export function dismiss(id: number): void {
  toasts.value = toasts.value.filter((t) => t.id !== id);
}

/** heard is what a screen reader announces: which dialog needs a human, what must be known of a doc; never tokens. */
export const heard = signal<{ id: number; text: string }[]>([]);

/** announce tells a screen reader something, each time as news: the same words again are another entry. */
export function announce(text: string): void {
  const id = next++;
  heard.value = [...heard.value, { id, text }];
  setTimeout(() => (heard.value = heard.value.filter((t) => t.id !== id)), HEARD);
}

// So long, in ms, it can be read where it stands.
const HEARD = 10_000;
