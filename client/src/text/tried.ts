import type { Call, FileChange, Tried } from "../types.ts";
import { counts } from "./diff.ts";
import { diffPart, rowsOf, type Part } from "./part.ts";
import { tried as say } from "./strings.ts";
import { bytes } from "./time.ts";

/** Side is what stood at a path, or stands there, as the window has read it. */
export type Side =
  | { is: "none" }
  | { is: "reading" }
  | { is: "failed" }
  /** more than the server sends */
  | { is: "large" }
  | { is: "text"; text: string }
  | { is: "data"; bytes: number }
  | { is: "picture"; picture: Blob };

/** Shown is one entry of what a card shows of a tried command. */
export type Shown =
  | { is: "words" | "reading" | "failed"; key: string; words: string }
  | { is: "part"; key: string; part: Part }
  | { is: "pictures"; key: string; path: string; words: string; before: Blob | null; after: Blob | null }
  /** what is allowed without being seen only by a click of its own; it opens to names, or to a part */
  | { is: "unseen"; key: string; words: string; names: string[]; part?: Part };

// From how many files on, new or removed, a folder has one line; how many entries a card
// has; how many lines of a change are read by people; and how many lines one folder has,
// since each wants a tick of its own.
const MANY = 12, MOST = 60, LONG = 400, FEW = 4;

// Folders that programs fill.
const FILLED = /(^|\/)(node_modules|\.?venv|vendor|target|dist|build|__pycache__)\/$/;
const GIT = /^.*?\/\.git\//;

/** triedWords says in a sentence what a command did, of what can still be kept: a file that was changed meanwhile has a line of its own. */
export function triedWords({ changes: all, exitCode }: Tried, target?: Call["target"]): string {
  const stays = staysIn(target);
  const changes = all.filter((c) => !stays.has(c.path));
  if (changes.length === 0 && stays.size > 0) return say.it(say.nothing, exitCode);
  const files = changes.filter((c) => c.type !== "folder");
  const moved = movesIn(files).size;
  const n = (kind: FileChange["kind"]) => files.filter((c) => c.kind === kind).length;
  return say.it(files.length === 0 ? say.folders(changes.length) : say.did(n("changed"), moved, n("added") - moved, n("deleted") - moved), exitCode);
}

// staysIn lists the files that stay as they are, since somebody changed them after the command had.
function staysIn(target: Call["target"]): Set<string> { return new Set((target?.conflicts ?? []).map((c) => c.path)); }

// How many files a result names: of what is not named, nothing can be taken back.
const NAMED = 200;

/** lasting says that Undo will not take back all of what a command did, or is "". */
export function lasting({ effect, target }: Pick<Call, "effect" | "target">): string {
  const stays = staysIn(target);
  const files = (effect?.changes ?? []).filter((c) => c.type !== "folder" && !GIT.test(c.path) && !stays.has(c.path));
  return files.length > NAMED ? say.lasting(NAMED) : "";
}

// movesIn pairs a new file with the one that was removed and held the same.
function movesIn(changes: FileChange[]): Map<FileChange, FileChange> {
  const gone = new Map<string, FileChange[]>(), moves = new Map<FileChange, FileChange>();
  for (const c of [...changes].reverse()) {
    if (c.kind !== "deleted" || c.type !== "file" || c.before === undefined) continue;
    const same = gone.get(c.before);
    if (same) same.push(c);
    else gone.set(c.before, [c]);
  }
  for (const c of changes) {
    const from = c.kind === "added" && c.type === "file" ? gone.get(c.after ?? "")?.pop() : undefined;
    if (from) moves.set(c, from);
  }
  return moves;
}

/** shownOf lists what a card shows of a tried command. side tells what was read of a change, and begins to read it. */
export function shownOf(call: Pick<Call, "effect" | "target">, side: (c: FileChange, side: "before" | "after") => Side): Shown[] {
  const stays = staysIn(call.target);
  const all = (call.effect?.changes ?? []).filter((c) => !stays.has(c.path));
  const folders = foldersOf(all), parents = new Set(all.map((c) => c.path.slice(0, c.path.lastIndexOf("/"))));
  const single: FileChange[] = [], within = new Map<string, FileChange[]>(folders.map((f) => [f, []]));
  for (const c of all) {
    const f = folders.find((f) => c.path.startsWith(f));
    if (f !== undefined && (c.kind !== "changed" || c.type === "folder" || FILLED.test(f) || GIT.test(f))) within.get(f)!.push(c);
    else if (c.type !== "folder" || c.kind === "changed" || !parents.has(c.path)) single.push(c);
  }
  const moves = movesIn(single), from = new Set(moves.values());
  const stand = single.filter((c) => !from.has(c)), rest = stand.splice(MOST).flatMap((c) => [c, ...(moves.has(c) ? [moves.get(c)!] : [])]);
  return [
    ...[...stays].map((path): Shown => ({ is: "words", key: `stays/${path}`, words: say.stays(inLine(path)) })),
    ...stand.map((c) => (moves.has(c) ? shownMove(moves.get(c)!, c) : shownOne(c, side))),
    ...folders.filter((f) => within.get(f)!.some((c) => c.type !== "folder")).map((f) => unseen(f, within.get(f)!, (n, size, verbs) => say.many(n, verbs, inLine(f.slice(0, -1)), size))),
    ...(rest.length > 0 ? [unseen("", rest, say.rest)] : []),
  ];
}

/** partsIn lists the parts that are shown as they are. */
export function partsIn(shown: Shown[]): Part[] { return shown.flatMap((s) => (s.is === "part" ? [s.part] : [])); }

function unseen(key: string, changes: FileChange[], words: (n: number, size: string, verbs: string[]) => string): Shown {
  const files = changes.filter((c) => c.type !== "folder");
  const size = files.reduce((sum, c) => sum + (c.bytes ?? 0), 0);
  const verbs = (["added", "changed", "deleted"] as const).filter((k) => files.some((c) => c.kind === k)).map((k) => say.kinds[k]);
  return { is: "unseen", key: `unseen/${key}`, words: words(files.length, bytes(size), verbs), names: files.map((c) => inLine(c.path)) };
}

// foldersOf lists the folders, each with a slash at its end, that have one line for all
// that is new or removed in them: git's, and those with many files, as deep as what else
// stands above them is little.
function foldersOf(all: FileChange[]): string[] {
  const git = new Set(all.flatMap((c) => GIT.exec(c.path)?.[0] ?? []));
  return [...git, ...manyIn(all.filter((c) => c.kind !== "changed" && c.type !== "folder" && !GIT.test(c.path)), "deed/")];
}

function manyIn(all: FileChange[], below: string): string[] {
  const within = new Map<string, FileChange[]>();
  for (const c of all) {
    const end = c.path.indexOf("/", below.length);
    if (end < 0) continue;
    const folder = c.path.slice(0, end + 1), files = within.get(folder);
    if (files) files.push(c);
    else within.set(folder, [c]);
  }
  const many = [...within].filter(([, files]) => files.length > MANY);
  const left = all.length - many.reduce((n, [, files]) => n + files.length, 0);
  const deeper = many.flatMap(([folder, files]) => manyIn(files, folder));
  if (below !== "deed/" && (many.length === 0 || left > MANY || deeper.length > FEW || FILLED.test(below))) return [below];
  return deeper;
}

// A move needs no look: what the file holds is what it held.
function shownMove(from: FileChange, to: FileChange): Shown {
  return { is: "words", key: `file/${to.path}`, words: say.file(inLine(from.path), [say.moved(inLine(to.path)), modeWords(to)]) };
}

function shownOne(c: FileChange, side: (c: FileChange, side: "before" | "after") => Side): Shown {
  const key = `file/${c.path}`, path = inLine(c.path);
  if (c.type === "folder") return { is: "words", key, words: say.file(path, [say.folder[c.kind]]) };
  if (c.before !== undefined && c.before === c.after) return { is: "words", key, words: say.file(path, [modeWords(c)]) };
  const before = c.before === undefined ? NONE : side(c, "before"), after = c.after === undefined ? NONE : side(c, "after");
  const emptied = c.kind === "changed" && after.is === "text" && after.text === "" ? say.emptied : "";
  const label = (...more: string[]) => say.file(path, [c.type === "link" ? say.link : say.kinds[c.kind], emptied, modeWords(c), ...more]);
  const either = (is: Side["is"]) => before.is === is || after.is === is;
  if (either("failed")) return { is: "failed", key, words: say.failed(path) };
  if (either("reading")) return { is: "reading", key, words: say.reading(path) };
  if (either("large")) return { is: "unseen", key, words: label(say.large(bytes(c.bytes ?? 0))), names: [] };
  if (either("picture") && [before, after].every((s) => s.is === "picture" || s.is === "none")) {
    const of = (s: Side) => (s.is === "picture" ? s.picture : null);
    return { is: "pictures", key, path, words: say.file(path, [before.is === after.is ? say.pictures(true) : say.kinds[c.kind], modeWords(c)]), before: of(before), after: of(after) };
  }
  const [was, is] = [textOf(before), textOf(after)];
  if (was === null || is === null) return { is: "words", key, words: label(say.data(sizeOf(before), sizeOf(after))) };
  if (was === is) return { is: "words", key, words: label(say.empty) };
  const part = diffPart(key, label(), was, is, { path: c.path, whole: true });
  if (rowsOf(part, false).length <= LONG) return { is: "part", key, part };
  return { is: "unseen", key, words: label(c.kind === "changed" ? say.long(counts(part.lines)) : say.large(bytes(c.bytes ?? 0))), names: [], part: { ...part, label: "" } };
}

const NONE: Side = { is: "none" };

const textOf = (s: Side) => (s.is === "text" ? s.text : s.is === "none" ? "" : null);

function sizeOf(s: Side): string {
  return s.is === "data" ? bytes(s.bytes) : s.is === "picture" ? bytes(s.picture.size) : s.is === "text" ? bytes(new TextEncoder().encode(s.text).length) : "";
}

// A path as it stands in a line, which a line break in it would end.
const inLine = (path: string) => path.replace(/\n/g, "\\n").replace(/\t/g, "\\t");

// What a mode means for people. Where the bytes stayed, it is what changed.
function modeWords(c: FileChange): string {
  if (c.mode === undefined || c.kind === "deleted" || c.type !== "file") return "";
  const mode = Number.parseInt(c.mode, 8), runs = (mode & 0o111) !== 0;
  const words = c.before !== undefined && c.before === c.after ? (runs ? say.runs : say.runsNot) : runs ? say.program : "";
  return [words, (mode & 0o002) !== 0 ? say.anyone : ""].filter((w) => w !== "").join(", ");
}
