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

let waiting: string[] = [];
let told: ReturnType<typeof setTimeout> | undefined;

/**
 * announce tells a screen reader something, each time as news: the same words again are another entry. What
 * comes close behind is one more entry: of several that come at once Orca says the last alone.
 */
export function announce(text: string): void {
  waiting.push(text);
  if (told === undefined) tell();
}

function tell(): void {
  told = undefined;
  if (waiting.length === 0) return;
  const id = next++, text = waiting.length === 1 ? waiting[0]! : waiting.map((t) => t.replace(/[^.!?…]$/, "$&.")).join(" ");
  waiting = [];
  heard.value = [...heard.value, { id, text }];
  setTimeout(() => (heard.value = heard.value.filter((t) => t.id !== id)), HEARD);
  told = setTimeout(tell, APART);
}

/** showAlone shows a dialog over the page. What was told is cleared first: it would be told once more as the page comes back (Chromium). */
export function showAlone(box: HTMLDialogElement): void {
  heard.value = [];
  box.showModal();
}

// So long, in ms, a screen reader that is busy takes for one entry.
const APART = 1000;

// So long, in ms, it can be read where it stands.
const HEARD = 10_000;
