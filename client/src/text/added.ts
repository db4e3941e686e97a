import type { Section } from "../types.ts";
import { added as say } from "./strings.ts";

/** MOST is how many bytes a file may have that is added. */
export const MOST = 20_000_000;

/** A file in the project's folder files/, as a message or a doc links it: its words, and its path without escapes. */
export interface Added { words: string; path: string }

/** addedPath returns a path in files/ that a file there may have, or null for any other text. */
export function addedPath(path: string): string | null { return /^files\/[0-9a-f]{16}-[^/\\\p{Cc}]+$/u.test(path) ? path : null; }

/** addedName is what a file in files/ is called. */
export function addedName(path: string): string { return path.replace(/^files\/[0-9a-f]{16}-/, ""); }

/** showsPixels reports whether a media type is of a picture that the window shows: an svg or a pdf is a page of its own. */
export function showsPixels(type: string): boolean { return /^image\/(png|jpeg|gif|webp)\b/.test(type); }

/** pictureOf is the markdown that shows a file as a picture. */
export function pictureOf({ words, path }: Added): string { return "!" + linkTo({ words, path }); }

/** linkTo is the markdown of a link to a file. What would end its address or be a mark in it is escaped. */
export function linkTo({ words, path }: Added): string {
  return `[${words.replace(/[\\[\]`_~*&<]/g, "\\$&")}](${path.replace(/[%\s()<>"#?&*`~[\]!\\]/g, encodeURIComponent).replace(/[()*!~]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)})`;
}

/** markdownOf is what stands for a file in a doc: a picture, or a link to what is none. */
export function markdownOf(file: Added, type: string): string { return showsPixels(type) ? pictureOf(file) : linkTo(file); }

const ONE = String.raw`!\[((?:\\.|[^\\\[\]\n])*)\]\((files\/[^\s()<>]+)\)`;
const LEADING = new RegExp(`^((?:${ONE}\n)*${ONE})(?:\n\n([^]*))?$`);

/** split takes the files from before the words of a message, as `join` puts them there. */
export function split(text: string): { files: Added[]; words: string } {
  const at = LEADING.exec(text), files: Added[] = [];
  for (const line of at?.[1]!.split("\n") ?? []) {
    const [, words, address] = new RegExp(`^${ONE}$`).exec(line)!;
    const path = addedPath(unescape(address!));
    if (path === null) return { files: [], words: text };
    files.push({ words: words!.replace(/\\(.)/g, "$1"), path });
  }
  return { files, words: at === null ? text : at.at(-1) ?? "" };
}

/** join is the text of a message with files. They stand before its words, in which code may begin that is never ended. */
export function join(files: Added[], words: string): string {
  if (files.length === 0) return words;
  return files.map(pictureOf).join("\n") + (words === "" ? "" : `\n\n${words}`);
}

/** withFile is the text of a message with one more file, which stands there once. */
export function withFile(text: string, file: Added): string {
  const { files, words } = split(text);
  return join([...files.filter((f) => f.path !== file.path), file], words);
}

/** withoutFile is the text of a message without one of its files. */
export function withoutFile(text: string, path: string): string {
  const { files, words } = split(text);
  return join(files.filter((f) => f.path !== path), words);
}

function unescape(address: string): string {
  try { return decodeURIComponent(address); } catch { return address; }
}

/** refusedWords says why a file was not added, of which the server or the browser says so. */
export function refusedWords(name: string, status: number, detail: string): string {
  switch (status) {
    case 400: return say.badName(name);
    case 413: return say.tooLarge(name);
    case 415: return say.wrongType(name);
    default: return say.notAdded(name, detail);
  }
}

/** A picture of a message that a model was not shown, and why in a word of the file's format. */
export interface Unseen { name: string; state: string }

/** unseenIn reads what a section says of its pictures, without those that were shown. */
export function unseenIn(s: Section): Unseen[] {
  return (s.meta?.["Pictures"] ?? "").split(";").flatMap((part) => {
    const [path = "", hash = "", state = "", more] = part.trim().split(/\s+/);
    const at = addedPath(unescape(path));
    return at === null || more !== undefined || !hash.startsWith("sha256:") || state === "" || state === "sent" ? [] : [{ name: addedName(at), state }];
  });
}

/** unseenWords says in words that a model was not shown a picture. */
export function unseenWords({ name, state }: Unseen): string { return say.unseen(name, say.why[state] ?? say.whyNot); }

/** noMoreWords says in words that a model that was shown a picture is not shown it any more. */
export function noMoreWords({ name, state }: Unseen): string { return say.noMore(name, say.why[state] ?? say.whyNot); }
