import { marksIn, notesIn, type Note } from "./critic.ts";

/** sentKey names a comment by its passage and its words: with other words it is another. */
export function sentKey(text: string, { about, words }: Pick<Note, "about" | "words">): string { return JSON.stringify([about === null ? "" : text.slice(about.inner.from, about.inner.to), words]); }

/** sentKeys lists the comments of a text. */
export function sentKeys(text: string): string[] { return notesIn(text, marksIn(text)).filter((n) => n.words !== "").map((n) => sentKey(text, n)); }
