import { Drafts, type Draft } from "../text/draft.ts";

// Drafts are kept in IndexedDB: the file's text once for each version of it, and what
// the human changed in it, which is small, each time. Where the browser has no database
// they are kept in localStorage, and there too when a page goes away, since it may not
// live until the database has written.

const STORE = "drafts";
const fallback = new Drafts(localStorage);

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

const mineKey = (p: string, file: string) => [p, file, "mine"];
const baseKey = (p: string, file: string, etag: string) => [p, file, "base", etag];

/** readDraft returns what was not saved of a file, or null. */
export async function readDraft(p: string, file: string): Promise<Draft | null> {
  try {
    const found = await run<Draft>("readonly", (s, give) => {
      const mine = s.get(mineKey(p, file));
      mine.onsuccess = () => {
        const m = mine.result as Omit<Draft, "base"> | undefined;
        if (!m) return;
        const base = s.get(baseKey(p, file, m.etag));
        base.onsuccess = () => { if (typeof base.result === "string") give({ ...m, base: base.result }); };
      };
    });
    const last = fallback.read(p, file);
    return found && last ? (last.at > found.at ? last : found) : (found ?? last);
  } catch {
    return fallback.read(p, file);
  }
}

/** keepDraftNow keeps a draft before it returns, where there is room. */
export function keepDraftNow(p: string, file: string, d: Draft): void {
  void keepDraft(p, file, d);
  fallback.write(p, file, d);
}

/** keepDraft keeps a draft and reports whether there was room for it. */
export async function keepDraft(p: string, file: string, d: Draft): Promise<boolean> {
  try {
    await run("readwrite", (s) => {
      const { base, ...mine } = d;
      const key = baseKey(p, file, d.etag);
      const there = s.getKey(key);
      there.onsuccess = () => { if (there.result === undefined) s.put(base, key); };
      s.put(mine, mineKey(p, file));
    });
    if ((fallback.read(p, file)?.at ?? d.at) < d.at) fallback.drop(p, file);
    return true;
  } catch {
    return fallback.write(p, file, d);
  }
}

/** dropDraft forgets the draft of a file. */
export async function dropDraft(p: string, file: string): Promise<void> {
  fallback.drop(p, file);
  try {
    await run("readwrite", (s) => { s.delete(IDBKeyRange.bound([p, file], [p, file, []])); });
  } catch {
    // No database holds none.
  }
}
