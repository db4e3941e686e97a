import { Drafts, pick, type Draft, type Left } from "../text/draft.ts";
import { exclusively } from "./lock.ts";
import { shelf } from "./shelf.ts";
import { living, tab } from "./tab.ts";

// Drafts are kept in IndexedDB, by each tab for itself: the file's text once for each
// version of it, and what the human changed in it, which is small, each time. Where the browser has no database
// they are kept in localStorage, and there too when a page goes away, since it may not
// live until the database has written.

const STORE = "drafts";
const fallback = new Drafts(shelf);

let opened: Promise<IDBDatabase> | undefined;

function open(): Promise<IDBDatabase> {
  return (opened ??= new Promise((done, fail) => {
    const r = indexedDB.open("vibey", 1);
    r.onupgradeneeded = () => r.result.createObjectStore(STORE);
    r.onsuccess = () => done(r.result);
    r.onerror = () => fail(r.error);
  }));
}

// run carries out requests in one transaction, in the order of the calls of run.
async function run<T>(mode: IDBTransactionMode, act: (s: IDBObjectStore, give: (v: T) => void) => void): Promise<T | undefined> {
  const db = await open();
  return new Promise((done, fail) => {
    let value: T | undefined;
    const t = db.transaction(STORE, mode);
    t.oncomplete = () => done(value);
    t.onerror = t.onabort = () => fail(t.error);
    act(t.objectStore(STORE), (v) => { value = v; });
  });
}

type Mine = Omit<Draft, "base">;

// Below the key of the file: "mine" and a tab's name, or "base" and a version of the file.
const mineKey = (p: string, file: string, of: string) => [p, file, "mine", of];
const baseKey = (p: string, file: string, etag: string) => [p, file, "base", etag];
const all = (p: string, file: string, kind: "mine" | "base") => IDBKeyRange.bound([p, file, kind], [p, file, kind, []]);

/**
 * readDraft returns what was not saved of a file: what this tab has kept, or the newest
 * that a closed one left, which is this tab's then. `more` counts what is left besides.
 */
export async function readDraft(p: string, file: string): Promise<{ draft: Draft | null; more: number }> {
  let found: { draft: Draft | null; more: number } = { draft: null, more: 0 };
  const look = async () => {
    const open = await living(), mine = tab(), from = copied.get(`${p}/${file}`);
    const { draft, more } = pick([...(await readAll(p, file)), ...fallback.read(p, file)], mine, from ? new Set([...open, from.tab]) : open);
    found = { draft, more };
    // Before it is dropped there it is kept here.
    if (draft === null || draft.tab === mine || !(await keepDraft(p, file, draft))) return;
    if (open.has(mine)) await drop(p, file, draft.tab);
    else copied.set(`${p}/${file}`, draft);
  };
  await exclusively("vibey.drafts", look).catch(look); // a browser that refuses locks
  return found;
}

// Without the browser's locks no tab knows which others live, this one included. A draft
// is copied then, and dropped there with this tab's where none was kept there since.
const copied = new Map<string, Left>();

async function readAll(p: string, file: string): Promise<Left[]> {
  const left: Left[] = [];
  try {
    await run("readonly", (s) => {
      s.openCursor(all(p, file, "mine")).onsuccess = (e) => {
        const at = (e.target as IDBRequest<IDBCursorWithValue | null>).result;
        if (at === null) return;
        const m = at.value as Mine, of = (at.key as string[])[3] ?? "";
        s.get(baseKey(p, file, m.etag)).onsuccess = (b) => {
          const base: unknown = (b.target as IDBRequest).result;
          if (typeof base === "string") left.push({ ...m, base, tab: of });
        };
        at.continue();
      };
    });
  } catch {
    // No database holds none.
  }
  return left;
}

/** keepDraftNow keeps a draft before it returns, where there is room. */
export function keepDraftNow(p: string, file: string, d: Draft): void {
  void keepDraft(p, file, d);
  fallback.write(p, file, tab(), d);
}

/** keepDraft keeps a draft as this tab's and reports whether there was room for it. */
export async function keepDraft(p: string, file: string, { etag, base, mine, at }: Draft): Promise<boolean> {
  const of = tab();
  try {
    await run("readwrite", (s) => {
      const key = baseKey(p, file, etag);
      const there = s.getKey(key);
      there.onsuccess = () => { if (there.result === undefined) s.put(base, key); };
      s.put({ etag, mine, at } satisfies Mine, mineKey(p, file, of));
    });
    const last = fallback.read(p, file).find((d) => d.tab === of);
    if (last && last.at < at) fallback.drop(p, file, of);
    return true;
  } catch {
    return fallback.write(p, file, of, { etag, base, mine, at });
  }
}

/** dropDraft forgets this tab's draft of a file. */
export async function dropDraft(p: string, file: string): Promise<void> {
  const from = copied.get(`${p}/${file}`);
  copied.delete(`${p}/${file}`);
  await drop(p, file, tab());
  if (from === undefined) return;
  const kept = [...(await readAll(p, file)), ...fallback.read(p, file)];
  if (kept.every((d) => d.tab !== from.tab || d.at <= from.at)) await drop(p, file, from.tab);
}

/** dropDrafts forgets the drafts of a file that this tab has or a closed one left. */
export async function dropDrafts(p: string, file: string): Promise<void> {
  const open = await living();
  const kept = [...(await readAll(p, file)), ...fallback.read(p, file)];
  for (const { tab: of } of kept) if (of === tab() || !open.has(of)) await drop(p, file, of);
}

// The versions of the file that no draft was written on go with it.
async function drop(p: string, file: string, of: string): Promise<void> {
  fallback.drop(p, file, of);
  try {
    await run("readwrite", (s) => {
      s.delete(of === "" ? [p, file, "mine"] : mineKey(p, file, of));
      const used = s.getAll(all(p, file, "mine")), bases = s.getAllKeys(all(p, file, "base"));
      bases.onsuccess = () => {
        const etags = new Set((used.result as Mine[]).map((m) => m.etag));
        for (const key of bases.result as string[][]) if (!etags.has(key[3]!)) s.delete(key);
      };
    });
  } catch {
    // No database holds none.
  }
}
