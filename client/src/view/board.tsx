import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { useSignal } from "@preact/signals";
import type { DialogInfo } from "../types.ts";
import { OpenDialog } from "../state/dialog.ts";
import { followList, type DialogList } from "../state/dialoglist.ts";
import { dialogs, everywhere } from "../state/project.ts";
import { boardOf, costWords, type Tile } from "../text/board.ts";
import { callKey } from "../text/calls.ts";
import { needWords, type GroupName } from "../text/group.ts";
import { dialogName, nameOf } from "../text/names.ts";
import { writeRoute } from "../text/route.ts";
import { board as words, list as listWords } from "../text/strings.ts";
import { clock, day, number, since } from "../text/time.ts";
import { ApprovalCard } from "./approval.tsx";
import { memo } from "./memo.ts";
import { Reveal } from "./reveal.tsx";
import { StatusMark } from "./status.tsx";
import { useTick } from "./tick.ts";

// Waiting first, then who works.
const ORDER: GroupName[] = ["needs", "writing", "reply", "finished"];

/** Board shows every dialog of a project, or of all, as a tile. */
export function Board({ project }: { project: string | null }) {
  const lists = useLists(project);
  const tick = useTick();
  const asked = useSignal("");
  const tiles = useMemo(() => boardOf(lists), [lists]);
  const names = useMemo(() => new Map(lists.flatMap((l) => l.dialogs.map((d) => [d.dialogId, nameOf(d)]))), [lists]);
  const n = (name: GroupName) => tiles[name].length;
  return (
    <main class="board scroll">
      <header class="board-head">
        <h1>{project ?? words.all}</h1>
        <p class="quiet">{words.count(n("needs"), n("writing"), n("finished") + n("reply"))}</p>
        <span class="spread" />
        {project !== null && <a href={writeRoute({ at: "board", project: null })}>{words.toAll}</a>}
      </header>
      {lists.length > 0 && ORDER.every((name) => n(name) === 0) && <p class="quiet">{words.none}</p>}
      {ORDER.map((name) => <TileGroup key={name} name={name} tiles={tiles[name]} names={names} alone={project !== null} tick={tick} asked={asked.value} onAsk={(key) => (asked.value = key)} />)}
    </main>
  );
}

interface Group {
  name: GroupName;
  /** how dialogs are called, by their ids */
  names: Map<string, string>;
  tiles: Tile[];
  alone: boolean;
  tick: number;
  /** the one tile whose question is answered on the board */
  asked: string;
  onAsk: (key: string) => void;
}

function TileGroup({ name, tiles, names, alone, tick, asked, onAsk }: Group) {
  const many = useSignal(MANY);
  if (tiles.length === 0) return null;
  return (
    <section class={`tiles-group ${name}`} aria-labelledby={`tiles-${name}`}>
      <h2 id={`tiles-${name}`}>{listWords.groups[name]}</h2>
      <ul class="tiles">
        {tiles.slice(0, many.value).map(({ project, d }) => {
          const key = `${project}/${d.dialogId}`;
          return <TileView key={key} id={key} project={project} d={d} parent={d.from ? names.get(d.from) ?? dialogName(d.from) : ""} alone={alone} tick={tick} asked={asked === key} onAsk={onAsk} />;
        })}
      </ul>
      {tiles.length > many.value && <button onClick={() => (many.value += 4 * MANY)}>{words.more(number(tiles.length - many.value))}</button>}
    </section>
  );
}

// How many tiles of a group are drawn before more are asked for.
const MANY = 30;

interface View {
  id: string;
  project: string;
  d: DialogInfo;
  /** the name of the dialog that started it */
  parent: string;
  alone: boolean;
  tick: number;
  asked: boolean;
  onAsk: (key: string) => void;
}

const TileView = memo(function TileView({ id, project, d, parent, alone, asked, onAsk }: View) {
  const name = nameOf(d);
  const to = writeRoute({ at: "dialogs", project, dialog: d.dialogId });
  const asks = d.status === "waiting" && d.needs === "approval";
  const began = d.since ?? d.mtime;
  const tokens = (d.tokens?.in ?? 0) + (d.tokens?.out ?? 0);
  return (
    <li class={`tile ${d.status}${asked && asks ? " asked" : ""}`}>
      <h3><StatusMark d={d} /> <a href={to} dir="auto">{name}</a></h3>
      {asked && asks ? <Answer project={project} id={d.dialogId} onNone={() => onAsk("")} /> : <p class="words" dir="auto"><Reveal text={needWords(d)} /></p>}
      {asks && !asked && (
        <p class="tile-acts">
          <button aria-label={words.answerTo(name)} onClick={() => onAsk(id)}>{words.answer}</button>
          <a class="button" href={to} aria-label={words.lookAt(name)}>{words.look}</a>
        </p>
      )}
      <p class="facts">
        {began !== "" && <time dateTime={began} title={clock(began)}>{d.status === "done" ? day(d.mtime) : since(began)}</time>}
        {tokens > 0 && <span>{words.tokens(number(tokens))}</span>}
        {d.cost && <span title={words.asOf(d.cost.asOf)}>{costWords(d.cost.usd)}</span>}
        {d.from && <span>{words.from} <a href={writeRoute({ at: "dialogs", project, dialog: d.from })} dir="auto">{parent}</a></span>}
        {!alone && <span><a href={writeRoute({ at: "board", project })}>{project}</a></span>}
      </p>
    </li>
  );
});

// The question of a dialog, by the same card as in the dialog, where it is one that can be
// shown whole here; of any other it says where it is answered.
function Answer({ project, id, onNone }: { project: string; id: string; onNone: () => void }) {
  const [dialog, setDialog] = useState<OpenDialog | null>(null);
  useEffect(() => {
    const opened = new OpenDialog(project, id);
    setDialog(opened);
    return () => opened.close();
  }, [project, id]);
  const known = dialog?.known.value;
  const calls = known?.pending ?? [];
  if (dialog === null || !known!.loaded || known!.earlier > 0) return <p class="words quiet">{words.reading}</p>;
  if (calls.length === 0) return <p class="words quiet">{words.answered} <button onClick={onNone}>{words.close}</button></p>;
  if (calls.length > 1 || calls[0]!.inputText.length > SHORT) {
    return <p class="words">{calls.length > 1 ? words.several(calls.length) : words.long} <a class="button" href={writeRoute({ at: "dialogs", project, dialog: id })}>{words.look}</a></p>;
  }
  return <ApprovalCard key={calls.map(callKey).join()} dialog={dialog} calls={calls} show={() => document.querySelector(".tile.asked")?.scrollIntoView({ block: "nearest" })} />;
}

// A call whose input has more characters is answered in its dialog.
const SHORT = 1200;

// The lists of a project, or of all. Of the one in view the window has it.
function useLists(project: string | null): { project: string; dialogs: DialogInfo[] }[] {
  const names = project === null ? (everywhere.value ?? []).map((p) => p.name).slice(0, PROJECTS).join("/") : "";
  const [followed, setFollowed] = useState<DialogList[]>([]);
  useEffect(() => {
    const all = names === "" ? [] : names.split("/").map(followList);
    setFollowed(all.map((f) => f.list));
    return () => all.forEach((f) => f.leave());
  }, [names]);
  const here = dialogs.value;
  const there = followed.map((l) => l.dialogs.value);
  const last = useRef<{ from: unknown[]; lists: { project: string; dialogs: DialogInfo[] }[] } | null>(null);
  const from = [project, here, ...there];
  if (last.current === null || from.length !== last.current.from.length || from.some((v, i) => v !== last.current!.from[i])) {
    last.current = { from, lists: project !== null ? (here === null ? [] : [{ project, dialogs: here }]) : followed.flatMap((l, i) => (there[i] ? [{ project: l.project, dialogs: there[i]! }] : [])) };
  }
  return last.current.lists;
}

// A live stream follows so many things; the board leaves room for other tabs.
const PROJECTS = 60;
