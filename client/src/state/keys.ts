/** inField tells whether a key belongs to a text that is being written, or to an open question. */
export function inField(e: KeyboardEvent): boolean {
  const t = e.target as HTMLElement | null;
  if (e.isComposing || e.repeat) return true;
  return t !== null && (t.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(t.tagName) || t.closest("dialog") !== null);
}
