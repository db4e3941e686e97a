import { effect, signal } from "@preact/signals";
import { MAIN } from "../text/names.ts";
import { api, ApiError } from "./api.ts";
import { OpenDoc, type Place } from "./doc.ts";
import { dropDrafts } from "./drafts.ts";
import { guardLeaving, redirect } from "./navigation.ts";
import { openDoc } from "./opendoc.ts";
import { docs, loadFiles, projectGone } from "./project.ts";
import { project } from "./projects.ts";
import { toast } from "./toast.ts";

// The doc that was open last in a project.
const lastDoc = new Map<string, string>();
// The project whose docs were opened by an address without a doc.
const arrived = signal<string | null>(null);
// Whether the doc in view went away by itself.
let letGo = false;

/** viewDoc puts a doc in view, or none. Without a name it is the doc of the project that was open last, or main, unless a doc has just gone away. */
export function viewDoc(p: string | null, name: string | null): void {
  arrived.value = name === null && !letGo ? p : null;
  letGo = false;
  const now = openDoc.peek();
  if (now && now.project === p && now.name === name) return;
  close(now);
  if (p !== null && name !== null) lastDoc.set(p, name);
  openDoc.value = p !== null && name !== null ? opened(p, name) : null;
}

function opened(p: string, name: string): OpenDoc { return new OpenDoc(p, name, () => leaveDoc(p)); }

// Without a redirect the way back would lead to the doc again, and from there on.
function leaveDoc(p: string): void {
  letGo = true;
  redirect({ at: "docs", project: p, file: null });
}

/** showNextDraft shows the next text of the doc in view that a closed tab left and did not save. */
export function showNextDraft(): void {
  const now = openDoc.peek();
  if (now === null) return;
  close(now);
  openDoc.value = opened(now.project, now.name);
}

function close(doc: OpenDoc | null): void {
  keepPlace(doc);
  doc?.close();
}

const keyOf = (p: string, name: string) => `vibey.place/${p}/${name}`;

// Remembers where the human is in a doc whose text is still drawn, for this tab and what is loaded in it next.
function keepPlace(doc: OpenDoc | null): void {
  if (!doc?.editor) return;
  try {
    sessionStorage.setItem(keyOf(doc.project, doc.name), JSON.stringify(doc.editor.place()));
  } catch { /* there is no room: it is at the beginning then */ }
}
effect(() => { if (projectGone.value) keepPlace(openDoc.peek()); }); // before its text is taken out of the window

/** placeIn returns where the human was in a doc; null where they were not in it, or what is kept is no place. */
export function placeIn(p: string, name: string): Place | null {
  try {
    const { cursor, line, top } = JSON.parse(sessionStorage.getItem(keyOf(p, name)) ?? "{}") as Record<string, unknown>;
    return isAt(cursor) && isAt(line) && typeof top === "number" ? { cursor, line, top } : null;
  } catch {
    return null;
  }
}
const isAt = (n: unknown): n is number => Number.isSafeInteger(n) && (n as number) >= 0;

// A narrow window shows the list first.
const wide = matchMedia("(min-width: 45.01rem)");
effect(() => {
  const p = arrived.value, list = docs.value;
  if (p === null || p !== project.value || list === null || !wide.matches) return;
  const file = [lastDoc.get(p), MAIN].find((f) => f !== undefined && list.includes(f));
  arrived.value = null;
  if (file !== undefined) redirect({ at: "docs", project: p, file });
});

/** deleteDoc removes a doc from disk; what was unsaved in it goes with it. */
export async function deleteDoc(p: string, name: string): Promise<void> {
  try {
    await api.deleteFile(p, name);
  } catch (e) {
    if ((e as ApiError).status !== 404) return toast((e as Error).message);
  }
  void dropDrafts(p, name);
  const doc = openDoc.peek();
  if (doc && doc.project === p && doc.name === name) {
    doc.abandon();
    leaveDoc(p);
  }
  loadFiles();
}

guardLeaving(() => openDoc.peek()?.dirty.peek() ?? false);
const flush = () => {
  openDoc.peek()?.keepDraft(true);
  keepPlace(openDoc.peek());
};
addEventListener("pagehide", flush);
addEventListener("beforeunload", flush);
addEventListener("visibilitychange", () => { if (document.visibilityState === "hidden") flush(); });
