// A Mac has the Command key where others have Ctrl.
const MAC = /^(Mac|iP)/.test(navigator.platform);

/** keysHere writes keys as they stand on this keyboard. */
export function keysHere(words: string): string { return MAC ? words.replaceAll("Ctrl", "⌘") : words; }

/** shortcut writes them for aria-keyshortcuts. */
export function shortcut(words: string): string { return words.replace(/ /g, "+").replace("Ctrl", MAC ? "Meta" : "Control").replace("↵", "Enter"); }

/** Kbd shows keys; a screen reader hears them by the shortcut of what they stand in. */
export function Kbd({ keys }: { keys: string }) { return <kbd aria-hidden="true">{keysHere(keys)}</kbd>; }
