import type { DialogInfo } from "../../types.ts";
import type { OpenDialog } from "../../state/dialog.ts";
import { api } from "../../state/api.ts";
import { seekSection } from "../../state/goal.ts";
import { staysHere } from "../../state/navigation.ts";
import { byId, groups } from "../../state/project.ts";
import { familyOf, lineage } from "../../text/group.ts";
import { nameOf } from "../../text/names.ts";
import { writeRoute } from "../../text/route.ts";
import { fork as say, head, list } from "../../text/strings.ts";
import { Icon } from "../parts/icon.tsx";
import { Retitle } from "../parts/retitle.tsx";
import { StatusMark } from "../parts/status.tsx";

/** titleOf returns the name of the dialog in view. */
export function titleOf(d: OpenDialog): string {
  return nameOf({ dialogId: d.id, title: byId.value.get(d.id)?.title || d.title.value });
}

/** DialogTitle is the name of the dialog in view, which can be given another one. */
export function DialogTitle({ d }: { d: OpenDialog }) {
  return <Retitle title={titleOf(d)} about={titleOf(d)} label={head.name} save={(title) => api.changeDialog(d.project, d.id, { title })} />;
}

/** Kin shows the dialogs that led to the one in view, and those that it started. */
export function Kin({ d }: { d: OpenDialog }) {
  const from = lineage(byId.value, d.id);
  const children = familyOf(groups.value, d.id)?.children ?? [];
  const fork = byId.value.get(d.id)?.fork;
  if (from.length + children.length === 0 && !fork) return null;
  const needy = familyOf(groups.value, d.id)?.needy ?? [];
  const link = (k: DialogInfo) => <a href={writeRoute({ at: "dialogs", project: d.project, dialog: k.dialogId })}><StatusMark d={k} /> <span dir="auto">{nameOf(k)}</span></a>;
  return (
    <nav class="kin" aria-label={head.together}>
      {fork && <p><span class="quiet">{say.from}</span> <Origin d={d} id={fork.dialogId} at={fork.at} /></p>}
      {from.length > 0 && <p><span class="quiet">{head.from}</span> {from.map((k, i) => <>{i > 0 && <Icon name="right" />}{link(k)}</>)}</p>}
      {children.length > 0 && <p><span class="quiet">{head.started}</span> {children.slice(0, SOME).map((f) => link(f.d))}{children.length > SOME && <span class="quiet">{head.more(children.length - SOME)}</span>}</p>}
      {needy.map((k) => <p class="needs" key={k.dialogId}><a href={writeRoute({ at: "dialogs", project: d.project, dialog: k.dialogId })}><span dir="auto">{nameOf(k)}</span> <b>{list.needs}</b></a></p>)}
    </nav>
  );
}

// The dialog from which this one was forked; the link leads to the place.
function Origin({ d, id, at }: { d: OpenDialog; id: string; at: string }) {
  const k = byId.value.get(id);
  if (k === undefined) return <span>{say.gone}</span>;
  return <a href={writeRoute({ at: "dialogs", project: d.project, dialog: id })} onClick={(e) => { if (staysHere(e)) seekSection(d.project, id, at, ""); }}><StatusMark d={k} /> <span dir="auto">{nameOf(k)}</span></a>;
}

// How many of those that a dialog started its head names; the list has them all.
const SOME = 8;
