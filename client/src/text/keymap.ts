import { keys } from "./strings.ts";

/** Where a key acts. */
export type Scope = "everywhere" | "dialog" | "question" | "doc";

/** Key is one key that acts: with Ctrl (or the Mac's Command), or a single letter. */
export interface Key {
  key: string;
  ctrl: boolean;
  scope: Scope;
  words: string;
}

/** KEYMAP is every key that acts in the window. The list that people see is made from it. */
export const KEYMAP = {
  list: { key: "?", ctrl: false, scope: "everywhere", words: keys.list },
  new: { key: "n", ctrl: false, scope: "everywhere", words: keys.new },
  board: { key: "g", ctrl: false, scope: "everywhere", words: keys.board },
  find: { key: "k", ctrl: true, scope: "everywhere", words: keys.find },
  next: { key: "u", ctrl: false, scope: "everywhere", words: keys.next },
  send: { key: "Enter", ctrl: true, scope: "dialog", words: keys.send },
  below: { key: "j", ctrl: false, scope: "dialog", words: keys.below },
  above: { key: "k", ctrl: false, scope: "dialog", words: keys.above },
  stop: { key: ".", ctrl: true, scope: "dialog", words: keys.stop },
  question: { key: "j", ctrl: true, scope: "dialog", words: keys.question },
  allow: { key: "a", ctrl: false, scope: "question", words: keys.allow },
  deny: { key: "d", ctrl: false, scope: "question", words: keys.deny },
  ask: { key: "i", ctrl: true, scope: "doc", words: keys.ask },
  save: { key: "s", ctrl: true, scope: "doc", words: keys.save },
} satisfies Record<string, Key>;

export type KeyName = keyof typeof KEYMAP;

/** A key that goes down, as the browser tells it. */
export type Pressed = Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "altKey" | "shiftKey">;

/** isKey reports whether a key that goes down is that of a name. A question mark may need Shift. */
export function isKey(name: KeyName, e: Pressed): boolean {
  const k: Key = KEYMAP[name];
  if (e.altKey || k.ctrl !== (e.ctrlKey || e.metaKey) || (e.shiftKey && k.key !== "?")) return false;
  return e.key.toLowerCase() === k.key.toLowerCase();
}

/** keyWords writes a key as it stands on a keyboard: "Ctrl ↵", "N". */
export function keyWords(k: Key): string { return `${k.ctrl ? "Ctrl " : ""}${k.key === "Enter" ? "↵" : k.key.toUpperCase()}`; }

/** keyList groups the keymap by where its keys act. */
export function keyList(): { scope: string; keys: Key[] }[] {
  const all: Key[] = Object.values(KEYMAP);
  return (["everywhere", "dialog", "question", "doc"] as const).map((scope) => ({ scope: keys.scopes[scope], keys: all.filter((k) => k.scope === scope) }));
}
