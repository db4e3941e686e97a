import { signal } from "@preact/signals";

/** A line that tells of something and goes away by itself. */
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

/** heard is what a screen reader is told: who needs a human, and who finished. Never tokens. */
export const heard = signal("");
