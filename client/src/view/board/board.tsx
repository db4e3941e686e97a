import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { useSignal } from "@preact/signals";
import type { DialogInfo } from "../../types.ts";
import { answering } from "../../state/answering.ts";
import { followList, type DialogList } from "../../state/dialoglist.ts";
import { dialogs, dialogsFailed } from "../../state/project.ts";
import { everywhere, projectTitle } from "../../state/projects.ts";
import { boardOf, costWords, type Tile } from "../../text/board.ts";
import { needWords, type GroupName } from "../../text/group.ts";
import { dialogName, nameOf } from "../../text/names.ts";
import { writeRoute } from "../../text/route.ts";
import { answers, board as words, list as listWords, took } from "../../text/strings.ts";
import { clock, day, number, since } from "../../text/time.ts";
import { useKeptFocus } from "./keptfocus.ts";
import { memo } from "../parts/memo.ts";
import { Reveal } from "../parts/reveal.tsx";
import { StatusMark } from "../parts/status.tsx";
import { Spark } from "./spark.tsx";
import { useTick } from "./tick.ts";

// Dialogs that wait come first, then active ones.
const ORDER: GroupName[] = ["needs", "writing", "reply", "finished"];

/** Board shows every dialog of a project, or of all, as a tile. */
export function Board({ project }: { project: string | null }) {
  const { lists, unread } = useLists(project);
  const tick = useTick();
  const tiles = useMemo(() => boardOf(lists), [lists]);
  const names = useMemo(() => new Map(lists.flatMap((l) => l.dialogs.map((d) => [d.dialogId, nameOf(d)]))), [lists]);
  const box = useRef<HTMLElement>(null);
  useKeptFocus(box);
  const n = (name: GroupName) => tiles[name].length;
  return (
    <main ref={box} class="board scroll">
      <header class="board-head">
        <h1 dir="auto">{project === null ? words.all : projectTitle(project)}</h1>
        <p class="quiet">{words.count(n("needs"), n("writing"), n("finished") + n("reply"))}</p>
        <span class="spread" />
        {project !== null && <a href={writeRoute({ at: "board", project: null })}>{words.toAll}</a>}
      </header>
      {unread.map((u) => <p key={u.project} class="quiet" role="status">{words.unread(projectTitle(u.project), u.why)}</p>)}
      {lists.length > 0 && unread.length === 0 && ORDER.every((name) => n(name) === 0) && <p class="quiet">{words.none}</p>}
      {ORDER.map((name) => <TileGroup key={name} name={name} tiles={tiles[name]} names={names} alone={project !== null} tick={tick} />)}
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
}

function TileGroup({ name, tiles, names, alone, tick }: Group) {
  const many = useSignal(MANY);
  if (tiles.length === 0) return null;
  return (
    <section class={`tiles-group ${name}`} aria-labelledby={`tiles-${name}`}>
      <h2 id={`tiles-${name}`}>{listWords.groups[name]}</h2>
      <ul class="tiles">
        {tiles.slice(0, many.value).map(({ project, d }) => <TileView key={`${project}/${d.dialogId}`} project={project} d={d} parent={d.from ? names.get(d.from) ?? dialogName(d.from) : ""} alone={alone} tick={tick} />)}
      </ul>
      {tiles.length > many.value && <button onClick={() => (many.value += 4 * MANY)}>{words.more(number(tiles.length - many.value))}</button>}
    </section>
  );
}

// How many tiles of a group are drawn before more are asked for.
const MANY = 30;

interface View {
  project: string;
  d: DialogInfo;
  /** the name of the dialog that started it */
  parent: string;
  alone: boolean;
  tick: number;
}

const TileView = memo(function TileView({ project, d, parent, alone }: View) {
  const name = nameOf(d);
  const to = writeRoute({ at: "dialogs", project, dialog: d.dialogId });
  const asks = d.status === "waiting" && d.needs === "approval";
  const began = d.since ?? d.mtime;
  const t = { in: d.tokens?.in ?? 0, out: d.tokens?.out ?? 0 };
  return (
    <li class={`tile ${d.status}`}>
      <h3><StatusMark d={d} /> <a href={to} dir="auto">{name}</a></h3>
      <p class="words" dir="auto"><Reveal text={needWords(d)} /></p>
      {asks && (
        <p class="tile-acts">
          <button aria-label={answers.hereTo(name)} aria-haspopup="dialog" onClick={() => (answering.value = { project, id: d.dialogId, name })}>{answers.here}</button>
          <a class="button" href={to} aria-label={words.lookAt(name)}>{words.look}</a>
        </p>
      )}
      <p class="facts">
        {began !== "" && <time dateTime={began} title={clock(began)}>{d.status === "done" ? day(d.mtime) : since(began)}</time>}
        <Spark wrote={d.wrote ?? []} />
        {t.in + t.out > 0 && <span title={took.unit}>{took.words(t.in, t.out)}</span>}
        {d.cost && <span title={words.asOf(d.cost.asOf)}>{costWords(d.cost.usd)}</span>}
        {d.from && <span>{words.from} <a href={writeRoute({ at: "dialogs", project, dialog: d.from })} dir="auto">{parent}</a></span>}
        {!alone && <span><a href={writeRoute({ at: "board", project })} dir="auto">{projectTitle(project)}</a></span>}
      </p>
    </li>
  );
});

interface Lists {
  lists: { project: string; dialogs: DialogInfo[] }[];
  /** the projects whose list could not be read last, and why */
  unread: { project: string; why: string }[];
}

// The lists of a project, or of all. Of the one in view the window has it.
function useLists(project: string | null): Lists {
  const names = project === null ? (everywhere.value ?? []).map((p) => p.name).slice(0, PROJECTS).join("/") : "";
  const [followed, setFollowed] = useState<DialogList[]>([]);
  useEffect(() => {
    const all = names === "" ? [] : names.split("/").map(followList);
    setFollowed(all.map((f) => f.list));
    return () => all.forEach((f) => f.leave());
  }, [names]);
  const here = dialogs.value;
  const there = followed.map((l) => l.dialogs.value);
  const last = useRef<{ from: unknown[]; lists: Lists["lists"] } | null>(null);
  const from = [project, here, ...there];
  if (last.current === null || from.length !== last.current.from.length || from.some((v, i) => v !== last.current!.from[i])) {
    last.current = { from, lists: project !== null ? (here === null ? [] : [{ project, dialogs: here }]) : followed.flatMap((l, i) => (there[i] ? [{ project: l.project, dialogs: there[i]! }] : [])) };
  }
  const failed = project !== null ? [{ project, why: dialogsFailed.value }] : followed.map((l) => ({ project: l.project, why: l.failed.value }));
  return { lists: last.current.lists, unread: failed.filter((f) => f.why !== "") };
}

// A live stream follows so many things; the board leaves room for other tabs.
const PROJECTS = 60;
