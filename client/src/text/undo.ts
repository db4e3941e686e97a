import type { FileHash, Section } from "../types.ts";
import { payload } from "./items.ts";

/** Whether what a call, an undo or a turn did to files can be taken back, as the dialog's text tells. Whether a file still is as it was left then, the server says when it is asked. */
export interface Undoing {
  /** "can": by POST undo; "undone": it was taken back already; "no": none of it can be, for what stood there before is not certain */
  state: "can" | "undone" | "no";
  /** the files that would be put back, or that were, each once, those changed last first */
  paths: string[];
  /** the id of the Note by which it was undone last, or "" */
  by: string;
  /** how many other files were changed that would not be put back; absent where it would be none */
  others?: number;
}

interface Change {
  section: number;
  path: string;
  before: string;
  after: string;
  known: boolean;
  more: number; // how many files it stands for that no result names
  call: boolean;
  taken: Change | null; // the undo that took it back last
  note: string; // the id of the call, or of the Note of an undo
  part?: string; // of the undo of one hunk, what it took back: it stands for itself, since the call's others hold
}

/**
 * undoings folds a dialog's sections into what can be taken back of it, by the id to send: of
 * a Tool Request, of the Note of an undo or, for all calls of a turn, of a User section. An id
 * that is not in it changed no file. The sections are all of the dialog, from the first on; what
 * stands in the first `inherited` of them was done in the dialog that it was forked from.
 */
export function undoings(sections: Section[], inherited = 0): Map<string, Undoing> { return takes(sections, inherited).undoings; }

/** inheritedIn returns how many sections a fork at the section `at` has of the other dialog: up to the result of a call, or else to the first of that id. */
export function inheritedIn(sections: Section[], at: string): number {
  const whole = (s: Section) => s.id === at && !s.torn;
  const result = sections.findIndex((s) => whole(s) && s.role === "Tool Result");
  return (result >= 0 ? result : sections.findIndex(whole)) + 1;
}

/** Takes is what can be taken back of a dialog, and what is. */
export interface Takes {
  /** as `undoings` returns them */
  undoings: Map<string, Undoing>;
  /** the files of which all that calls changed is taken back */
  back: Set<string>;
  /** how many files the calls behind a message changed, without those that are taken back */
  changed: Map<string, number>;
}

/** takes folds a dialog's sections, all of them, into that. */
export function takes(sections: Section[], inherited = 0): Takes {
  const { all, of, turns } = changesIn(sections);
  const out = new Map<string, Undoing>();
  for (const [id, changes] of [...of, ...turns]) {
    const own = changes.filter((c) => c.section >= inherited);
    if (id !== "" && own.length > 0) out.set(id, undoing(own));
  }
  const stand = (changes: Change[]) => new Set(changes.filter((c) => !isUndone(c)).map((c) => c.path));
  const calls = all.filter((c) => c.call);
  const stands = stand(calls);
  const changed = new Map([...turns].map(([id, changes]) => {
    const paths = stand(changes);
    return [id, (paths.delete(DEED), paths.size) + changes.reduce((n, c) => n + c.more, 0)] as const;
  }));
  return { undoings: out, back: new Set(calls.map((c) => c.path).filter((path) => !stands.has(path))), changed };
}

// All changes, and those of each id.
function changesIn(sections: Section[]): { all: Change[]; of: Map<string, Change[]>; turns: Map<string, Change[]> } {
  const all: Change[] = [];
  const of = new Map<string, Change[]>();
  const take = (id: string, c: Change) => {
    all.push(c);
    of.set(id, [...(of.get(id) ?? []), c]);
  };
  const tools = new Map<string, string>();
  const answered = new Set<string>();
  let turn = "";
  const turns = new Map<string, Change[]>();
  const parts = new Map<string, Change[]>(); // undos of hunks, by the call
  // What an undo of an id takes back of a file, the last first. The undo of a hunk is among it if it leads on from what stands behind it.
  const live = (id: string, path: string) => {
    const calls = turns.get(id) ?? of.get(id) ?? [];
    const ids = new Set(calls.map((c) => c.note));
    const targets = [...calls, ...[...parts].flatMap(([call, p]) => (ids.has(call) ? p : []))].sort((a, b) => a.section - b.section);
    const out: Change[] = [];
    for (const c of targets) {
      if (c.path !== path || isUndone(c) || (c.part !== undefined && c.note !== id && out.at(-1)?.after !== c.before)) continue;
      out.push(c);
    }
    return out.reverse();
  };
  sections.forEach((s, section) => {
    if (s.torn) return;
    if (s.role === "User") turn = s.id;
    if (s.role === "Tool Request" && !tools.has(s.id)) tools.set(s.id, s.meta?.["Tool"] ?? "");
    if (s.role === "Tool Result" && !answered.has(s.id)) {
      answered.add(s.id);
      for (const f of changed(tools.get(s.id) ?? "", s)) {
        const c = { ...f, section, call: true, taken: null, note: s.id };
        take(s.id, c);
        turns.set(turn, [...(turns.get(turn) ?? []), c]);
      }
    }
    if (s.role === "Note" && s.meta?.["Kind"] === "undo" && !of.has(s.id)) {
      const parent = s.meta["Parent"] ?? "";
      const answer = read<{ undone?: { path: string; sha256: string; replaced?: string }[]; refused?: { path: string }[] }>(payload(s, "note/json"));
      const part = s.meta["Hunk"];
      for (const f of answer?.undone ?? []) {
        if (part !== undefined) {
          if (f.replaced === undefined || part.slice(0, part.lastIndexOf(" ")) !== f.path) continue;
          const undo: Change = { section, path: f.path, before: f.replaced, after: f.sha256, known: true, more: 0, call: false, taken: null, note: s.id, part };
          // As it was before the call: all of that is taken back.
          for (const c of of.get(parent) ?? []) if (c.call && c.path === f.path && c.known && c.before === f.sha256 && !isUndone(c)) c.taken = undo;
          parts.set(parent, [...(parts.get(parent) ?? []), undo]);
          take(s.id, undo);
          continue;
        }
        const found = live(parent, f.path);
        const leads = (c: Change | undefined) => c !== undefined && c.known && c.before === f.sha256;
        const rest = (answer?.refused ?? []).some((r) => r.path === f.path);
        const last = rest ? found.findIndex(leads) : found.length - 1;
        if (!leads(found[last])) continue;
        const undo: Change = { section, path: f.path, before: found[0]!.after, after: f.sha256, known: true, more: 0, call: false, taken: null, note: s.id };
        for (const c of found.slice(0, last + 1)) c.taken = undo;
        take(s.id, undo);
      }
    }
  });
  return { all, of, turns };
}

/** isUndone reports whether a change is taken back. An undo that was itself undone took nothing back. */
function isUndone(c: Change): boolean {
  let odd = false;
  for (let at = c.taken; at !== null; at = at.taken) odd = !odd;
  return odd;
}

/** undoing tells of each file once. It can be put back if what was done to it last is known. */
function undoing(changes: Change[]): Undoing {
  const backward = [...changes].reverse();
  const files = new Map<string, Change | null>();
  for (const c of backward) {
    const last = files.get(c.path);
    if (last === undefined || last === null) files.set(c.path, isUndone(c) ? null : c);
  }
  const paths = (is: (last: Change | null) => boolean) => [...files].filter(([, last]) => is(last)).map(([path]) => path);
  const can = paths((last) => last?.known === true);
  const no = paths((last) => last?.known === false);
  const others = no.filter((path) => path !== DEED).length + changes.reduce((n, c) => n + c.more, 0);
  if (can.length > 0) return { state: "can", paths: can, by: "", ...(others > 0 ? { others } : {}) };
  if (no.length > 0) return { state: "no", paths: no, by: "" };
  return { state: "undone", paths: [...files.keys()], by: backward[0]!.taken?.note ?? "" };
}

/** What stands for all files that a result does not name. */
const DEED = "deed/";

const isHash = (s: unknown): s is string => typeof s === "string" && /^[0-9a-f]{64}$/.test(s);

type Told = Pick<Change, "path" | "before" | "after" | "known" | "more">;

/** changed returns the files that a call changed, by its result. */
function changed(tool: string, result: Section): Told[] {
  if (result.meta?.["Status"] !== "approved") return [];
  const r = read<Record<string, unknown>>(payload(result, "tool/result/json"));
  if (r === null) return [];
  if (tool === "run_command" || tool.startsWith("mcp_")) return byCommand(r);
  const { path, sha256, replaced } = r;
  if (!["write_file", "edit_file", "plan_decision_log"].includes(tool) || r["success"] !== true || typeof path !== "string" || path === "" || !isHash(sha256) || sha256 === replaced) return [];
  return [{ path, before: isHash(replaced) ? replaced : "", after: sha256, known: isHash(replaced) || (tool !== "edit_file" && (replaced === undefined || replaced === "")), more: 0 }];
}

function byCommand(r: Record<string, unknown>): Told[] {
  const n = Number(r["changedMore"] ?? 0), more = n > 0;
  const out: Told[] = r["changed"] === "unknown" || more ? [{ path: DEED, before: "", after: "", known: false, more: more ? n : 0 }] : [];
  const all = Array.isArray(r["changed"]) ? (r["changed"] as FileHash[]) : [];
  // What was removed, and is not known or not listed, may have been moved.
  const moved = more || all.some((f) => f.deleted === true && f.replaced === undefined);
  for (const f of all) {
    const timeOnly = isHash(f.sha256) && f.replaced === f.sha256 && f.mode === f.replacedMode && !f.replacedLink;
    if (f.path === "" || timeOnly) continue;
    const known = (f.replaced === "" ? !moved : isHash(f.replaced)) && !f.link && !f.replacedLink && (f.deleted === true || isHash(f.sha256));
    out.push({ path: f.path, before: f.replaced ?? "", after: f.sha256 ?? "", known, more: 0 });
  }
  return out;
}

function read<T>(json: string): T | null {
  try {
    const v: unknown = JSON.parse(json);
    return typeof v === "object" && v !== null && !Array.isArray(v) ? (v as T) : null;
  } catch {
    return null; // it is not shown
  }
}
