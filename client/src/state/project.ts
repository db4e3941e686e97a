import { batch, computed, signal } from "@preact/signals";
import type { DialogInfo, Health, ProjectChange, Provider } from "../types.ts";
import { changes, groupDialogs, needsYou } from "../text/group.ts";
import { dialogName, isDialog } from "../text/names.ts";
import { callWords, readInput } from "../text/calls.ts";
import { api, ApiError } from "./api.ts";
import { lostSince, tryNow, watch } from "../live/live.ts";
import { heard } from "./toast.ts";

/** The names of all projects; null before they were read. */
export const projects = signal<string[] | null>(null);
/** The project in view, and what it holds; null before it was read. */
export const project = signal<string | null>(null);
export const files = signal<string[] | null>(null);
export const dialogs = signal<DialogInfo[] | null>(null);
/** True where the project in view does not exist. */
export const projectGone = signal(false);
export const models = signal<Provider[] | null>(null);
export const health = signal<Health | null>(null);

export const docs = computed(() => files.value?.filter((f) => !isDialog(f)) ?? null);
export const groups = computed(() => groupDialogs(dialogs.value ?? []));
export const needCount = computed(() => (dialogs.value ?? []).filter(needsYou).length);
export const writingCount = computed(() => groups.value.writing.length);
export const sandbox = computed(() => health.value?.sandbox ?? "");

export { lostSince, tryNow };

type Listener = (c: ProjectChange) => void;
const listeners = new Set<Listener>();

/** onChange calls f for each change in the project in view, and for "reset", after which anything may have changed. */
export function onChange(f: Listener): () => void {
  listeners.add(f);
  return () => void listeners.delete(f);
}

export async function loadProjects(): Promise<void> { projects.value = await api.projects(); }
export async function loadModels(): Promise<void> { models.value = await api.models(); }
export async function loadHealth(): Promise<void> { health.value = await api.health(); }

let leave: (() => void) | null = null;

/** openProject puts a project in view and follows it; null closes. */
export function openProject(name: string | null): void {
  if (project.value === name) return;
  leave?.();
  leave = null;
  batch(() => {
    project.value = name;
    files.value = null;
    dialogs.value = null;
    projectGone.value = false;
  });
  if (name === null) return;
  leave = watch(`project/${name}`, "", (told) => {
    for (const { frame } of told) {
      if (frame.type === "change") tell(frame as unknown as ProjectChange);
      else if (frame.type === "error" && frame["status"] === 404) gone();
    }
  });
  tell({ type: "change", kind: "reset" });
}

function gone(): void {
  batch(() => {
    projectGone.value = true;
    files.value = dialogs.value = null; // no stream will fill them
  });
}

function tell(c: ProjectChange): void {
  if (c.kind !== "dialogs") loadFiles();
  // A dialog is a file too; the list of docs leaves dialogs out.
  loadDialogs();
  for (const f of listeners) f(c);
}

export const loadFiles = gather(async (p) => {
  const list = await api.files(p);
  if (project.value === p) files.value = list;
});

export const loadDialogs = gather(async (p) => {
  const list = await api.dialogs(p);
  if (project.value !== p) return;
  const before = dialogs.value ?? [];
  for (const d of list) d.wants ??= wants.get(d.dialogId + d.mtime);
  dialogs.value = list;
  const news = changes(before, list, dialogName);
  if (news.length > 0) heard.value = news.join(". ");
  await learnWants(p, list);
});

// What a dialog asks for stands in the dialog alone, so it is read for the list too,
// but only of the few that wait for a permission.
const wants = new Map<string, string>();
async function learnWants(p: string, list: DialogInfo[]): Promise<void> {
  const unknown = list.filter((d) => d.status === "waiting" && d.needs === "approval" && !d.wants).slice(0, 12);
  if (unknown.length === 0) return;
  for (const d of unknown) {
    const calls = (await api.dialogHead(p, d.dialogId)).pending ?? [];
    const first = calls[0];
    if (!first) continue;
    const words = callWords(first.tool, readInput(first.inputText).fields).wants;
    wants.set(d.dialogId + d.mtime, calls.length > 1 ? `${words}, and ${calls.length - 1} more` : words);
  }
  if (project.value === p) dialogs.value = (dialogs.value ?? []).map((d) => ({ ...d, wants: d.wants ?? wants.get(d.dialogId + d.mtime) }));
}

/**
 * gather makes a reload that runs once at a time, at once but 60 ms after the last, and
 * again if called meanwhile; after a slow reload it pauses for as long.
 */
function gather(load: (p: string) => Promise<void>): () => void {
  let state: "idle" | "due" | "running" | "again" = "idle";
  let took = 0, ended = -Infinity;
  const run = async () => {
    state = "running";
    const begin = performance.now();
    try {
      if (project.value !== null) await load(project.value);
    } catch (e) {
      // Any other error shows as a lost connection or a login; the reload follows that.
      if ((e as ApiError).status === 404) gone();
    }
    ended = performance.now();
    took = ended - begin;
    if ((state as string) === "again") schedule();
    else state = "idle";
  };
  const schedule = () => {
    state = "due";
    const since = performance.now() - ended;
    setTimeout(() => void run(), Math.max(0, Math.max(60, Math.min(took, 3000)) - since));
  };
  return () => {
    if (state === "idle") schedule();
    else if (state === "running") state = "again";
  };
}
