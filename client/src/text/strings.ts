import type { Lines, Writer } from "./versions.ts";

// What a person reads in the window, by the part of it that shows it.

export const app = {
  slow: "The server is taking long to answer. Nothing is lost; what you write stays here.",
};

const lines = (n: number) => (n === 1 ? "1 line" : `${n.toLocaleString("en")} lines`);
const WHO: Record<Writer, string> = { agent: "An agent", you: "You, in another tab,", other: "Another program" };

export const docs = {
  news(who: Writer, l: Lines): string {
    if (l.removed + l.changed === 0 && l.added > 0) return `${WHO[who]} added ${lines(l.added)}`;
    if (l.added + l.changed === 0 && l.removed > 0) return `${WHO[who]} removed ${lines(l.removed)}`;
    return `${WHO[who]} changed ${lines(Math.max(1, l.added + l.removed + l.changed))}`;
  },
  show: "Show",
  undo: "Undo",
  dismiss: "Dismiss",
  overlap: "You and another writer changed the same lines. Both texts are kept until you choose; what was changed elsewhere is merged.",
  showBoth: "Show both",
  keepMine: "Keep mine",
  takeTheirs: "Take theirs",
  keepBoth: "Keep both",
  redGreen: "Red stands in theirs alone, green in yours alone.",
  restored: (at: string) => `This is what you had not saved${at ? ` at ${at}` : ""}.`,
  goOn: "Go on with it",
  goBack: "Go back to the file",
  gone: "This doc was deleted on disk while you were writing. Your text is still here: Save writes it anew.",
  kept: "Your text is kept in this browser.",
  tryAgain: "Try again",
  whatNow: "What now",
  noRoom: "This browser has no room left to keep a draft: save soon.",
  plain: "A line here is very long, so this doc is shown as plain text.",
  empty: "Write here what you want to exist.",
  words: (n: number) => `${n.toLocaleString("en")} ${n === 1 ? "word" : "words"}`,
  textOf: (title: string) => `Text of ${title}`,
  notLoaded: (why: string) => `The editor could not be loaded: ${why}`,
};
