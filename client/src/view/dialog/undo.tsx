import { useState } from "preact/hooks";
import type { RefusedFile, Section, Undone } from "../../types.ts";
import { openDialog } from "../../state/opendialog.ts";
import { undo, undoingOf } from "../../state/undo.ts";
import { readInput } from "../../text/input.ts";
import { inDeed } from "../../text/deed.ts";
import { payload } from "../../text/items.ts";
import { writeRoute } from "../../text/route.ts";
import { made, undoing as words } from "../../text/strings.ts";
import { useAct } from "../parts/act.ts";
import { Icon } from "../parts/icon.tsx";
import { Reveal } from "../parts/reveal.tsx";

interface Props {
  /** a Tool Request's, an undo's or, with turn, a User section's */
  id: string;
  turn?: boolean;
  label?: string;
}

/** UndoButton takes back what a call, an undo or a turn changed. It is not there where nothing can be taken back. */
export function UndoButton({ id, turn = false, label = turn ? words.turn : words.undo }: Props) {
  const { act, busy } = useAct();
  const [refused, setRefused] = useState<RefusedFile[]>([]);
  const d = openDialog.value;
  const can = d === null || id === "" ? undefined : undoingOf(d, id);
  if (d === null || can === undefined || can.state === "no") return null;
  if (can.state === "undone") return <span class="undo quiet">{words.undone}</span>;
  const works = d.status.value === "active";
  const puts = words.puts(can.paths, can.others);
  return (
    <>
      <button type="button" class="undo" disabled={busy.value || works} title={works ? words.stopFirst : puts} aria-label={`${label}: ${puts}`} onClick={() => void act(async () => setRefused(await undo(d, id, turn)))}>{label}</button>
      <Refused all={refused} />
    </>
  );
}

/** ChangeActs stands with a call that changed a file: where it is seen, and the way back. */
export function ChangeActs({ id, project, input }: { id: string; project: string; input: string }) {
  const path = readInput(input).fields?.["path"];
  const at = typeof path === "string" ? inDeed(path) : null;
  const changed = openDialog.value !== null && undoingOf(openDialog.value, id) !== undefined;
  return (
    <span class="change-acts">
      {changed && at !== null && <a class="see" href={writeRoute({ at: "deed", project, path: at })}>{made.see}</a>}
      <UndoButton id={id} />
    </span>
  );
}

function Refused({ all }: { all: RefusedFile[] }) { return <Left all={all.map((f) => words.left(f.path, f.why))} role="alert" />; }

/** Left lists, in words, the files that were left as they are. */
export function Left({ all, role }: { all: string[]; role?: "alert" }) {
  if (all.length === 0) return null;
  return <ul class="refused" role={role}>{all.map((w) => <li key={w}><Icon name="warn" /> <Reveal text={w} /></li>)}</ul>;
}

/** UndoLine shows the Note of an undo: which files it put back, which it left, and a button that undoes it. */
export function UndoLine({ section: s }: { section: Section }) {
  const parent = s.meta?.["Parent"] ?? "";
  const again = openDialog.value?.sections.value.some((o) => o.role === "Note" && o.id === parent && o.meta?.["Kind"] === "undo") ?? false;
  const { undone, refused } = read(payload(s, "note/json"));
  const part = partOf(s);
  const paths = undone.flatMap((f) => (f.path === undefined ? [] : [f.path]));
  return (
    <aside class="note undone" aria-label={words.undo}>
      <Icon name="back" /> <span><Reveal text={paths.length === 0 ? words.nothing : part !== null ? words.tookLines(part.path, part.from, part.to) : again ? words.broughtBack(paths) : words.tookBack(paths)} /></span> <UndoButton id={s.id} label={again ? words.undo : words.redo} />
      <Refused all={refused} />
    </aside>
  );
}

// The hunk that an undo is about, null for one that took back all.
function partOf(s: Section): { path: string; from: number; to: number } | null {
  const m = /^(.*) (\d+)-(\d+)$/.exec(s.meta?.["Hunk"] ?? "");
  return m === null ? null : { path: m[1]!, from: Number(m[2]), to: Number(m[3]) };
}

function read(json: string): Undone {
  try {
    const v = JSON.parse(json) as Partial<Undone> | null;
    return { undone: Array.isArray(v?.undone) ? v.undone : [], refused: Array.isArray(v?.refused) ? v.refused : [] };
  } catch {
    return { undone: [], refused: [] }; // it is not shown
  }
}
