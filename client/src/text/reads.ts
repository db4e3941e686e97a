import type { Item } from "./items.ts";
import { outcomeOf } from "./outcome.ts";
import { payload } from "./items.ts";
import { log } from "./strings.ts";

/** Reads is a run of finished calls that only looked, which is shown as one line. */
export interface Reads {
  kind: "reads";
  key: string;
  items: Item[];
  files: number;
  lists: number;
  searches: number;
}

const LOOKS: Record<string, "files" | "lists" | "searches"> = { read_file: "files", list_files: "lists", search_files: "searches" };
const FEW = 2; // so many stand for themselves

/** foldReads folds each run of more than two such calls; answers without words between them go along. */
export function foldReads(items: Item[]): (Item | Reads)[] {
  const out: (Item | Reads)[] = [];
  let run: Item[] = [];
  const end = () => {
    // What follows the last of the calls begins something else.
    const last = run.findLastIndex((i) => i.kind === "tool");
    const within = run.slice(0, last + 1);
    const count = { files: 0, lists: 0, searches: 0 };
    for (const i of within) if (i.kind === "tool") count[looksAt(i)!]++;
    if (within.filter((i) => i.kind === "tool").length > FEW) out.push({ kind: "reads", key: `reads/${within[0]!.key}`, items: within, ...count });
    else out.push(...within);
    out.push(...run.slice(last + 1));
    run = [];
  };
  for (const i of items) {
    if (looksAt(i) !== null || (isSilent(i) && run.length > 0)) run.push(i);
    else {
      end();
      out.push(i);
    }
  }
  end();
  return out;
}

function looksAt(i: Item): "files" | "lists" | "searches" | null {
  if (i.kind !== "tool" || i.result === null || i.unknown !== "") return null;
  const tool = i.request.meta?.["Tool"] ?? "";
  if (!Object.hasOwn(LOOKS, tool)) return null;
  return outcomeOf(tool, payload(i.request, "tool/input/json"), i.result).state === "done" ? LOOKS[tool]! : null;
}

function isSilent(i: Item): boolean { return i.kind === "agent" && i.text.trim() === "" && i.unbacked === null && (i.section.meta?.["Stop"] ?? "calls") === "calls"; }

/** readsWords says what was looked at: "Read 7 files, searched twice". */
export function readsWords(r: Reads): string { return log.reads(r.files, r.lists, r.searches); }
