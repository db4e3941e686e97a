import type { DialogInfo } from "../types.ts";

/** The dialogs by what they need of a human, newest first. */
export interface Groups {
  waiting: DialogInfo[];
  writing: DialogInfo[];
  finished: DialogInfo[];
}

/** groupDialogs sorts dialogs by need. Among the waiting, those with a question come first. */
export function groupDialogs(all: DialogInfo[]): Groups {
  const by = (status: string) => all.filter((d) => d.status === status).sort(newest);
  const waiting = by("waiting").sort((a, b) => rank(a) - rank(b) || newest(a, b));
  return { waiting, writing: by("active"), finished: by("done") };
}

/** needsYou reports whether a dialog waits for a decision or a Continue, and not only for the next message. */
export function needsYou(d: Pick<DialogInfo, "status" | "needs">): boolean {
  return d.status === "waiting" && (d.needs === "approval" || d.needs === "continue");
}

/** needWords returns one line on what a dialog wants, or does. */
export function needWords(d: DialogInfo): string {
  if (d.status === "active") return d.words ? `“${d.words}”` : "writing";
  if (d.status === "done") return d.words || "finished";
  if (d.needs === "approval") return d.wants || d.words || "asks for your permission";
  if (d.needs === "continue") return d.words?.startsWith("stopped") ? d.words : "stopped before it was through";
  return d.words || "your turn to write";
}

/** statusWord returns the word for a status. */
export function statusWord(d: Pick<DialogInfo, "status" | "needs">): string {
  if (d.status === "active") return "writing";
  if (d.status === "done") return "finished";
  return needsYou(d) ? "needs you" : "your turn";
}

/** changes returns what a screen reader should announce between two lists: which dialogs need a human now, and which finished. */
export function changes(before: DialogInfo[], after: DialogInfo[], name: (id: string) => string): string[] {
  const was = new Map(before.map((d) => [d.dialogId, d]));
  const out: string[] = [];
  for (const d of after) {
    const old = was.get(d.dialogId);
    if (!old) continue;
    if (needsYou(d) && !needsYou(old)) out.push(`${name(d.dialogId)} needs you`);
    else if (old.status === "active" && d.status !== "active") out.push(`${name(d.dialogId)} finished`);
  }
  return out;
}

function rank(d: DialogInfo): number { return needsYou(d) ? 0 : 1; }

// An id begins with the second in which the dialog was made: it orders dialogs of the same mtime.
function newest(a: DialogInfo, b: DialogInfo): number {
  return b.mtime.localeCompare(a.mtime) || b.dialogId.localeCompare(a.dialogId);
}
