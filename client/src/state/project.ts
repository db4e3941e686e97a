import { batch, computed, signal, type Signal } from "@preact/signals";
import type { DialogInfo, Health, ProjectChange, Provider, Titled } from "../types.ts";
import { groupDialogs, needsYou, NO_GROUPS, type Groups } from "../text/group.ts";
import { besideTitle, cleanPath, dialogName, docStem, isDialog, isProject, nameOf } from "../text/names.ts";
import { pauseAfter } from "../text/pause.ts";
import { afterwards } from "./afterwards.ts";
import { api, ApiError } from "./api.ts";
import type { Route } from "../text/route.ts";
import { DialogList } from "./dialoglist.ts";
import { tellNews } from "./news.ts";
import { openDialog } from "./opendialog.ts";
import { everywhere, project } from "./projects.ts";
import { renewed, token } from "./session.ts";
import { watch } from "./live.ts";

/** What the project in view holds; null before it was read. */
export const files = signal<Titled[] | null>(null);
const shown = signal<DialogList | null>(null);
export const dialogs = computed<DialogInfo[] | null>(() => shown.value?.dialogs.value ?? null);
/** Why the list of dialogs, or that of files, could not be read last; "" where it could. */
export const dialogsFailed = computed(() => shown.value?.failed.value ?? "");
export const filesFailed = signal("");
/** True where the project in view does not exist. */
export const projectGone = signal(false);
export const models = signal<Provider[] | null>(null);
export const health = signal<Health | null>(null);

export const docs = computed(() => files.value?.map((f) => f.name).filter((f) => !isDialog(f)) ?? null);
const docTitles = computed(() => new Map((files.value ?? []).map((f) => [f.name, f.title])));

/** docTitle returns what people call a doc of the project in view: its title, else its file's name. */
export function docTitle(file: string): string {
  const title = docTitles.value.get(file) ?? file;
  return title === file ? docStem(file) : title;
}

/** dialogTitle returns what people call a dialog of the project in view: its title, else its name. */
export function dialogTitle(id: string): string { return nameOf(byId.value.get(id) ?? { dialogId: id }); }

/** calledIn returns what people call the doc or the dialog that a call is about, where that is not its name; else "". */
export function calledIn(fields: Record<string, unknown> | null): string {
  const { path, dialogId } = fields ?? {};
  const file = typeof path === "string" ? cleanPath(path) : "", id = typeof dialogId === "string" ? dialogId : "";
  const [called, name] = file !== "" ? [docTitle(file), docStem(file)] : [byId.value.get(id)?.title ?? "", dialogName(id)];
  return besideTitle(called, name) === "" ? "" : called;
}

let grouped: Groups = NO_GROUPS;
export const groups = computed(() => (grouped = groupDialogs(dialogs.value ?? [], grouped)));
export const byId = computed(() => new Map((dialogs.value ?? []).map((d) => [d.dialogId, d])));
/** The dialogs of the project in view that wait for a decision or a Continue. */
export const needy = computed(() => (dialogs.value ?? []).filter(needsYou));
export const writingCount = computed(() => (dialogs.value ?? []).filter((d) => d.status === "active").length);

/** The other projects in which something waits. */
export const needyElsewhere = computed(() => (everywhere.value ?? []).filter((p) => p.waiting > 0 && p.name !== project.value));
/** How many dialogs wait in all projects. Of the one in view its list is newer. */
export const needCount = computed(() => {
  const here = dialogs.value === null ? everywhere.value?.find((p) => p.name === project.value)?.waiting ?? 0 : needy.value.length;
  return needyElsewhere.value.reduce((n, p) => n + p.waiting, here);
});

/** nextNeedy returns the way to a dialog that waits: the one after the dialog in view in its project, else one of another project. */
export async function nextNeedy(): Promise<Route | null> {
  const at = openDialog.peek()?.id;
  const list = needy.peek();
  const next = list[list.findIndex((d) => d.dialogId === at) + 1] ?? list.find((d) => d.dialogId !== at);
  if (next !== undefined && project.peek() !== null) return { at: "dialogs", project: project.peek()!, dialog: next.dialogId };
  const other = needyElsewhere.peek()[0];
  if (other === undefined) return null;
  const there = (await api.dialogs(other.name)).find(needsYou);
  return { at: "dialogs", project: other.name, dialog: there?.dialogId ?? null };
}
export const sandbox = computed(() => health.value?.sandbox ?? "");
/** Whether the disks keep through a power cut what was acknowledged. */
export const durable = computed(() => health.value?.durable !== false);
/** Whether it is shown what stands around commands, and why nothing stronger does. */
export const wallsShown = signal(false);

type Listener = (c: ProjectChange) => void;
const listeners = new Set<Listener>();

/** onChange calls f for each change in the project in view, and for "reset", after which anything may have changed. */
export function onChange(f: Listener): () => void {
  listeners.add(f);
  return () => void listeners.delete(f);
}

export async function loadModels(): Promise<void> { models.value = await api.models(); }
export async function loadHealth(): Promise<void> { health.value = await api.health(); }

let leave: (() => void) | null = null;
let list: DialogList | null = null;

/** openProject puts a project in view and follows it; null closes. */
export function openProject(name: string | null): void {
  if (project.value === name) return;
  leave?.();
  leave = null;
  list = name === null ? null : new DialogList(name, tellNews, gone);
  batch(() => {
    project.value = name;
    files.value = null;
    filesFailed.value = "";
    shown.value = list;
    projectGone.value = false;
  });
  if (name === null) return;
  // There is no project of a name that can't be.
  if (!isProject(name)) return gone();
  const unwatch = watch(`project/${name}`, "", (all) => {
    for (const { frame } of all) {
      if (frame.type === "change") emit(frame as unknown as ProjectChange);
      else if (frame.type === "error" && frame["status"] === 404) gone();
    }
  });
  const mine = list!;
  leave = () => { unwatch(); mine.close(); };
  const reset: ProjectChange = { type: "change", kind: "reset" };
  loadFiles();
  afterwards(() => { if (mine === list) mine.take(reset); });
  for (const f of listeners) f(reset);
}

function gone(): void {
  batch(() => {
    projectGone.value = true;
    files.value = null; // no stream will fill them
    shown.value = null;
  });
}

function emit(c: ProjectChange): void {
  list?.take(c);
  if (c.kind !== "dialogs") loadFiles();
  for (const f of listeners) f(c);
}

export const loadFiles = gather(async (p) => {
  const list = await api.files(p);
  if (project.value === p) files.value = list;
}, filesFailed);

/**
 * gather makes a reload that runs once at a time, at once but 60 ms after the last, and
 * again if called meanwhile; after a slow reload it pauses for as long. One that failed
 * sets `failed`, and is made again after growing pauses.
 */
function gather(load: (p: string) => Promise<void>, failed: Signal<string>): () => void {
  let retry: ReturnType<typeof setTimeout> | undefined;
  let state: "idle" | "due" | "running" | "again" = "idle";
  let took = 0, ended = -Infinity, failures = 0;
  const run = async () => {
    state = "running";
    const begin = performance.now(), of = project.value, used = token.peek();
    clearTimeout(retry);
    try {
      if (of !== null) await load(of);
      failures = 0;
      failed.value = "";
    } catch (e) {
      const { status, message } = e as ApiError;
      if (status === 404) gone();
      else if (status === 401) { // a login follows, and the reload that, but where another tab has signed in meanwhile
        if (renewed(used)) state = "again";
      } else if (of === project.value) {
        failed.value = message;
        retry = setTimeout(reload, pauseAfter(++failures));
      }
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
  const reload = () => {
    if (state === "idle") schedule();
    else if (state === "running") state = "again";
  };
  return reload;
}
