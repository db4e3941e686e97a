import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import type { DialogInfo } from "../types.ts";
import type { OpenDialog } from "../state/dialog.ts";
import { api } from "../state/api.ts";
import { byId, groups } from "../state/project.ts";
import { familyOf, lineage } from "../text/group.ts";
import { nameOf, TITLE_MAX } from "../text/names.ts";
import { writeRoute } from "../text/route.ts";
import { head, list } from "../text/strings.ts";
import { focused } from "./focus.ts";
import { Icon } from "./icon.tsx";
import { StatusMark } from "./status.tsx";

/** titleOf returns the name of the dialog in view. */
export function titleOf(d: OpenDialog): string {
  return nameOf({ dialogId: d.id, title: byId.value.get(d.id)?.title || d.title.value });
}

/** DialogTitle is the name of the dialog in view. It is given another one in its place: Enter saves, Escape leaves it. */
export function DialogTitle({ d }: { d: OpenDialog }) {
  const writing = useSignal<string | null>(null);
  const error = useSignal("");
  const pen = useRef<HTMLButtonElement>(null);
  const name = titleOf(d);
  const leave = () => {
    writing.value = null;
    error.value = "";
    queueMicrotask(() => setTimeout(() => pen.current?.focus()));
  };
  const save = async (e: Event) => {
    e.preventDefault();
    const title = (writing.value ?? "").trim();
    const n = [...title].length;
    if (title === name) return leave();
    if (title === "") return void (error.value = head.empty);
    if (n > TITLE_MAX) return void (error.value = head.tooLong(n, TITLE_MAX));
    try {
      await api.changeDialog(d.project, d.id, { title });
      leave();
    } catch (err) {
      error.value = (err as Error).message;
    }
  };
  if (writing.value === null) {
    return (
      <span class="title">
        <h1 dir="auto" title={list.file(d.filename.value)}>{name}</h1>
        <button ref={pen} class="icon-button" aria-label={head.rename} title={head.rename} onClick={() => (writing.value = name)}><Icon name="pen" /></button>
      </span>
    );
  }
  return (
    <form class="title renaming" onSubmit={save} onKeyDown={(e) => { if (e.key === "Escape") { e.stopPropagation(); leave(); } }}>
      <h1 class="unseen">{name}</h1>
      <input
        ref={focused} aria-label={head.name} dir="auto" autocomplete="off" value={writing.value} aria-invalid={error.value !== ""}
        onFocus={(e) => e.currentTarget.select()} onInput={(e) => (writing.value = e.currentTarget.value)}
      />
      <button>{head.save}</button>
      {error.value !== "" && <p class="error" role="alert">{error.value}</p>}
    </form>
  );
}

/** Kin shows who started the dialog in view, and those that it started. */
export function Kin({ d }: { d: OpenDialog }) {
  const from = lineage(byId.value, d.id);
  const children = familyOf(groups.value, d.id)?.children ?? [];
  if (from.length + children.length === 0) return null;
  const needy = familyOf(groups.value, d.id)?.needy ?? [];
  const link = (k: DialogInfo) => <a href={writeRoute({ at: "dialogs", project: d.project, dialog: k.dialogId })}><StatusMark d={k} /> <span dir="auto">{nameOf(k)}</span></a>;
  return (
    <nav class="kin" aria-label={head.together}>
      {from.length > 0 && <p><span class="quiet">{head.from}</span> {from.map((k, i) => <>{i > 0 && <Icon name="right" />}{link(k)}</>)}</p>}
      {children.length > 0 && <p><span class="quiet">{head.started}</span> {children.slice(0, SOME).map((f) => link(f.d))}{children.length > SOME && <span class="quiet">{head.more(children.length - SOME)}</span>}</p>}
      {needy.map((k) => <p class="needs" key={k.dialogId}><a href={writeRoute({ at: "dialogs", project: d.project, dialog: k.dialogId })}><span dir="auto">{nameOf(k)}</span> <b>{list.needs}</b></a></p>)}
    </nav>
  );
}

// How many of those that a dialog started its head names; the list has them all.
const SOME = 8;
