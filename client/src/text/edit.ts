/** edited returns a text with the one occurrence of some words replaced, as edit_file does it; null where they stand in it never, or more than once. */
export function edited(text: string, old: string, now: string): string | null {
  const at = old === "" ? -1 : text.indexOf(old);
  if (at < 0 || text.indexOf(old, at + 1) >= 0) return null;
  return text.slice(0, at) + now + text.slice(at + old.length);
}

// How many places are looked at where the new words stand often.
const MOST = 100;

/** unedited returns what a text may have been before `edited` made it. */
export function unedited(text: string, old: string, now: string): string[] {
  const out: string[] = [];
  if (now === "") return out;
  for (let at = text.indexOf(now); at >= 0 && out.length < MOST; at = text.indexOf(now, at + 1)) {
    const before = text.slice(0, at) + old + text.slice(at + now.length);
    if (edited(before, old, now) === text) out.push(before);
  }
  return out;
}
