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

/** heard is what a screen reader announces: which dialog needs a human, and which finished; never tokens. */
export const heard = signal("");
