import type { ViewUpdate } from "@codemirror/view";

/**
 * LONG is how many characters a line may have. A doc with a longer one is shown as plain
 * text: markdown's parser reads a paragraph in one go, 40 s for 5 MB.
 */
export const LONG = 20_000;

/** longer reports whether a text has a line of more than LONG characters. */
export function longer(text: string): boolean {
  for (let at = 0; text.length - at > LONG;) {
    const end = text.indexOf("\n", at);
    if (end < 0 || end - at > LONG) return true;
    at = end + 1;
  }
  return false;
}

/** grewLong reports whether an update made such a line. */
export function grewLong(u: ViewUpdate): boolean {
  let found = false;
  u.changes.iterChangedRanges((_a, _b, from, to) => {
    for (let at = from; !found && at <= to;) {
      const line = u.state.doc.lineAt(at);
      found = line.length > LONG;
      at = line.to + 1;
    }
  });
  return found;
}
