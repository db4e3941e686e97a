import { useEffect } from "preact/hooks";
import { useSignal } from "@preact/signals";
import type { DialogInfo } from "../types.ts";
import { openDialog } from "../state/dialog.ts";
import { go, route } from "../state/navigation.ts";
import { dialogs, groups, project } from "../state/project.ts";
import { useKey } from "../state/keys.ts";
import { needWords } from "../text/group.ts";
import { dialogName } from "../text/names.ts";
import { NEW, writeRoute } from "../text/route.ts";
import { clock, number, since } from "../text/time.ts";
import { Empty } from "./empty.tsx";
import { DialogPane, NewDialogForm } from "./later.tsx";
import { Reveal } from "./reveal.tsx";
import { StatusMark } from "./status.tsx";

/** Dialogs shows the list of dialogs, grouped by need, beside the dialog in view. */
export function Dialogs() {
  const p = project.value;
  const at = route.value.at === "dialogs" ? route.value.dialog : null;
  useKey("new", () => { if (p !== null) go({ at: "dialogs", project: p, dialog: NEW }); });
  if (p === null) return null;
  const g = groups.value;
  return (
    <div class={`split${at === null ? "" : " chosen"}`}>
      <aside class="side" aria-label="Dialogs">
        <a class="button wide" href={writeRoute({ at: "dialogs", project: p, dialog: NEW })} aria-keyshortcuts="n">New dialog <kbd aria-hidden="true">N</kbd></a>
        <Group name="Waiting for you" list={g.waiting} at={at} />
        <Group name="Writing now" list={g.writing} at={at} />
        <Group name="Finished" list={g.finished} at={at} />
      </aside>
      {at === NEW ? <NewDialogForm project={p} /> : openDialog.value ? <DialogPane key={openDialog.value.id} dialog={openDialog.value} /> : <Nothing project={p} />}
    </div>
  );
}

function Group({ name, list, at }: { name: string; list: DialogInfo[]; at: string | null }) {
  useMinute();
  const all = useSignal(false);
  if (list.length === 0) return null;
  const shown = all.value ? list : list.slice(0, MANY);
  const id = "group-" + name.replace(/ /g, "-");
  return (
    <section class="group" aria-labelledby={id}>
      <h2 id={id}>{name}</h2>
      <ul class="list dialogs">
        {shown.map((d) => <DialogRow key={d.dialogId} d={d} here={d.dialogId === at} />)}
      </ul>
      {shown.length < list.length && <button class="wide" onClick={() => (all.value = true)}>Show {number(list.length - shown.length)} more</button>}
    </section>
  );
}

// How many of a group are drawn before "more" is pressed: a project may have ten thousand finished dialogs.
const MANY = 150;

function DialogRow({ d, here }: { d: DialogInfo; here: boolean }) {
  const p = project.value!;
  const words = needWords(d);
  return (
    <li class={here ? "here" : ""}>
      <a href={writeRoute({ at: "dialogs", project: p, dialog: d.dialogId })} {...(here ? { "aria-current": "page" as const } : {})}>
        <StatusMark d={d} />
        <span class="name">{dialogName(d.dialogId)}</span>
        <time class="when" dateTime={d.mtime} title={clock(d.mtime)}>{d.status === "done" ? clock(d.mtime) : since(d.mtime)}</time>
        <span class="line"><Reveal text={words.length > 110 ? words.slice(0, 109) + "…" : words} /></span>
      </a>
    </li>
  );
}

// Redrawn as time passes.
function useMinute(): void {
  const tick = useSignal(0);
  tick.value;
  useEffect(() => {
    const t = setInterval(() => tick.value++, 30_000);
    return () => clearInterval(t);
  }, []);
}

function Nothing({ project: p }: { project: string }) {
  if (dialogs.value === null) return <main class="pane" />;
  if (dialogs.value.length === 0) return <Empty project={p} />;
  return <main class="pane empty hint"><p>Choose a dialog on the left, or start a new one.</p></main>;
}
