/** edited returns a text with the one occurrence of some words replaced, as edit_file does it; null where they stand in it never, or more than once. */
export function edited(text: string, old: string, now: string): string | null {
  const at = old === "" ? -1 : text.indexOf(old);
  if (at < 0 || text.indexOf(old, at + 1) >= 0) return null;
  return text.slice(0, at) + now + text.slice(at + old.length);
}
