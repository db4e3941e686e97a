import { signal } from "@preact/signals";
import type { AddedFile, CallChange, Change, DeedFile, DialogInfo, DialogView, Doc, DocHistory, Health, NewDialog, PreviewAddress, Problem, ProjectRules, Provider, SearchAnswer, Start, TargetFile, Titled, Undone, UndoRequest, UnlistedText } from "../types.ts";
import { statusWords } from "../text/refused.ts";
import { server as say } from "../text/strings.ts";
import { endSession, token } from "./session.ts";

/** ApiError is a refused or unanswered request. status is 0 where no answer came; message is for the human; kind is the last word of the problem's type. */
export class ApiError extends Error {
  constructor(readonly status: number, message: string, readonly title = "", readonly kind = "") {
    super(message);
  }
}

/** How many requests have no answer for SLOW ms. */
export const stalled = signal(0);
const SLOW = 5000;

/** request sends one request with the bearer token and throws ApiError for anything but success. */
export async function request(method: string, path: string, init: { body?: unknown; headers?: Record<string, string>; signal?: AbortSignal } = {}): Promise<Response> {
  const used = token.peek();
  const headers: Record<string, string> = { Authorization: `Bearer ${used}`, ...init.headers };
  const zip = init.body instanceof Blob; // where no header says otherwise
  if (init.body !== undefined) headers["Content-Type"] ??= zip ? "application/zip" : "application/json";
  let res: Response;
  let slow = false;
  const timer = setTimeout(() => {
    slow = true;
    stalled.value++;
  }, SLOW);
  try {
    res = await fetch(path, {
      method,
      headers,
      cache: "no-store",
      ...(init.body === undefined ? {} : { body: zip ? init.body as Blob : JSON.stringify(init.body) }),
      ...(init.signal ? { signal: init.signal } : {}),
    });
  } catch (e) {
    if (init.signal?.aborted) throw e;
    throw new ApiError(0, say.silent);
  } finally {
    clearTimeout(timer);
    if (slow) stalled.value--;
  }
  if (res.ok) return res;
  if (res.status === 401) endSession(say.code, used);
  const problem = await readProblem(res);
  throw new ApiError(res.status, problem?.detail || problem?.title || statusWords(res.status), problem?.title ?? "", problem?.type?.split(":").pop() ?? "");
}

async function readProblem(res: Response): Promise<Problem | null> {
  try {
    return (await res.json()) as Problem;
  } catch {
    return null; // not JSON: an answer of something between us and the server
  }
}

async function json<T>(method: string, path: string, body?: unknown): Promise<T> {
  return (await (await request(method, path, { body })).json()) as T;
}

const at = (project: string, ...rest: string[]) => "/project/" + [project, ...rest].map(encodeURIComponent).join("/");

export const api = {
  projects: () => json<Titled[]>("GET", "/projects?titles=1"),
  createProject: (title: string, deed: string) => json<Titled>("POST", "/projects", deed === "" ? { title } : { title, deed }),
  /** restoreProject makes a project of a zip that a snapshot was. */
  async restoreProject(name: string, zip: Blob): Promise<{ name: string; disarmed?: string[] }> {
    return (await (await request("POST", `/projects?name=${encodeURIComponent(name)}`, { body: zip })).json()) as { name: string; disarmed?: string[] };
  },
  /** docPage and dialogPage read a doc and a dialog as a page of HTML, which is read without this window. */
  docPage: (p: string, name: string, comments = true) => request("GET", at(p, "file", name, "page") + (comments ? "" : "?comments=0")),
  dialogPage: (p: string, id: string) => request("GET", at(p, "dialog", id, "page")),
  snapshot: (p: string, scope: string) => request("GET", at(p, "snapshot") + `?scope=${scope}`),
  deleteProject: (name: string) => request("DELETE", `/projects/${encodeURIComponent(name)}`),

  files: (p: string) => json<Titled[]>("GET", at(p, "files") + "?titles=1"),
  async readDoc(p: string, name: string): Promise<Doc> {
    const res = await request("GET", at(p, "file", name));
    const body = (await res.json()) as { name: string; content: string };
    return { name, content: body.content, etag: res.headers.get("ETag") ?? "" };
  },
  /** writeDoc saves a doc where it is still the version of that etag, or, with "", where there is none of that name. It returns the new ETag, or "" where the answer had none. */
  async writeDoc(p: string, name: string, content: string, etag: string): Promise<string> {
    const res = await request("POST", at(p, "file", name), { body: { content }, headers: etag === "" ? { "If-None-Match": "*" } : { "If-Match": etag } });
    return res.headers.get("ETag") ?? "";
  },
  /** createPage makes a doc of a title, under a name that is made of it. */
  createPage: (p: string, title: string) => json<Titled>("POST", at(p, "file"), { title }),
  /** createDoc writes a doc only if there is none of that name. */
  async createDoc(p: string, name: string, content: string): Promise<void> {
    try {
      await api.writeDoc(p, name, content, "");
    } catch (e) {
      throw (e as ApiError).status === 409 ? new ApiError(409, say.docThere) : e;
    }
  },
  history: (p: string, name: string) => json<DocHistory>("GET", at(p, "file", name, "history")),
  /** version reads the text that a doc had in one of the versions of its history. */
  version: async (p: string, name: string, sha256: string) => (await json<{ content: string }>("GET", at(p, "file", name, "history", sha256))).content,
  unlisted: (p: string) => json<UnlistedText[]>("GET", at(p, "unlisted")),
  /** takeIn makes a doc of a text that can't be one as it is. */
  takeIn: (p: string, name: string, as: string) => request("POST", at(p, "unlisted"), { body: { name, as } }),
  deleteFile: (p: string, name: string) => request("DELETE", at(p, "file", name)),

  rules: (p: string) => json<ProjectRules>("GET", at(p, "rules")),
  /** confirm makes the control block of doc-main.md hold, as it was shown under that ETag. */
  confirm: (p: string, etag: string) => request("POST", at(p, "confirm"), { body: { etag } }),

  dialogs: (p: string) => json<DialogInfo[]>("GET", at(p, "dialogs")),
  /** dialogHead reads a dialog's header, and its pending calls, without its sections. */
  dialogHead: (p: string, id: string) => json<DialogView>("GET", at(p, "dialog", id) + "?markdown=0&from=0&limit=1"),
  /** dialogSince reads a dialog with its sections from number `from` on. */
  dialogSince: (p: string, id: string, from: number) => json<DialogView>("GET", at(p, "dialog", id) + `?markdown=0&from=${from}`),
  /** dialogEnd reads a dialog with its last n sections. */
  dialogEnd: (p: string, id: string, n: number) => json<DialogView>("GET", at(p, "dialog", id) + `?markdown=0&from=-${n}`),
  /** dialogWindow reads n sections from number `from` on. */
  dialogWindow: (p: string, id: string, from: number, n: number) => json<DialogView>("GET", at(p, "dialog", id) + `?markdown=0&from=${from}&limit=${n}`),
  newDialog: (p: string, provider: string, model: string, title: string) =>
    json<NewDialog>("POST", at(p, "dialog", "new"), { provider, title, ...(model === "" ? {} : { model }) }),
  /** startDialog makes a dialog and sends its first message. The answer is a stream, whose first events name the dialog. */
  startDialog: (p: string, start: Start) => request("POST", at(p, "dialog"), { body: start }),
  /** changeDialog sends one PUT. The answer is a stream where something runs, JSON otherwise. */
  changeDialog: (p: string, dialogId: string, change: Change) => request("PUT", at(p, "dialog"), { body: { dialogId, ...change } }),
  /** target reads the file that a waiting call would write, as it is now; its content only where that is text of at most 5 MiB. */
  target: (p: string, id: string, call: string) => json<TargetFile>("GET", at(p, "dialog", id, "target", call)),
  /** effect reads a side of what a waiting tried call changed. */
  effect: (p: string, id: string, call: string, path: string, side: "before" | "after") => request("GET", at(p, "dialog", id, "effect", call) + `?${new URLSearchParams({ path, side })}`),
  /** intent is how much work a text would be as the next message, by its words; "" where they tell none. */
  intent: async (p: string, id: string, prompt: string, signal: AbortSignal) => ((await (await request("POST", at(p, "dialog", id, "intent"), { body: { prompt }, signal })).json()) as { intent: string }).intent,
  /** undo takes back what a call, an undo or a Summary did, a hunk of a call, or all calls of a turn. */
  undo: (p: string, dialogId: string, what: Omit<UndoRequest, "dialogId">) => json<Undone>("POST", at(p, "undo"), { dialogId, ...what } satisfies UndoRequest),
  /** changes reads what a call, or all calls behind a message, made of files. */
  changes: (p: string, id: string, of: string) => json<CallChange[]>("GET", at(p, "dialog", id, "changes", of)),
  /** fork makes a waiting dialog of a dialog's text up to the end of a section. */
  fork: (p: string, id: string, section: string) => json<DialogInfo>("POST", at(p, "dialog", id, "fork"), { at: section }),
  deed: (p: string) => json<DeedFile[]>("GET", at(p, "deed")),
  preview: (p: string) => json<PreviewAddress>("GET", at(p, "preview")),
  deedFile: (p: string, path: string) => request("GET", at(p, "deed") + "/" + path.split("/").map(encodeURIComponent).join("/")),
  /** addFile puts a file into the project's folder files/. */
  async addFile(p: string, name: string, file: Blob, signal: AbortSignal): Promise<AddedFile> {
    const res = await request("POST", at(p, "files") + `?${new URLSearchParams({ name })}`, { body: file, headers: { "Content-Type": "application/octet-stream" }, signal });
    return (await res.json()) as AddedFile;
  },
  /** addedFile reads a file of files/ by its path. */
  addedFile: (p: string, path: string) => request("GET", at(p, ...path.split("/"))),
  screenshot: (p: string, name: string) => request("GET", at(p, "screenshot", name)),

  search: async (p: string, q: string, signal: AbortSignal) => (await (await request("GET", at(p, "search") + `?${new URLSearchParams({ q, limit: "200" })}`, { signal })).json()) as SearchAnswer,

  models: () => json<Provider[]>("GET", "/models"),
  storeKey: (provider: string, key: string) => request("POST", "/keys", { body: { provider, key } }),
  health: () => json<Health>("GET", "/health"),
};
