import { useCallback, useEffect, useRef } from "preact/hooks";
import { useSignal } from "@preact/signals";
import type { DialogInfo } from "../../types.ts";
import { openDialog } from "../../state/opendialog.ts";
import { go, route } from "../../state/navigation.ts";
import { dialogs, dialogsFailed, groups } from "../../state/project.ts";
import { project } from "../../state/projects.ts";
import type { Family, GroupName } from "../../text/group.ts";
import { NEW, writeRoute } from "../../text/route.ts";
import { list as words } from "../../text/strings.ts";
import { number } from "../../text/time.ts";
import { Empty } from "./empty.tsx";
import { FamilyRow, within } from "./familyrow.tsx";
import { DeleteDialog, DialogPane, NewDialog } from "../dialog/chunks.ts";
import { useKeptFocus } from "./keptfocus.ts";
import { memo } from "../parts/memo.ts";
import { useKey } from "../parts/usekey.ts";
import { useTick } from "./tick.ts";

const GROUPS: GroupName[] = ["needs", "reply", "writing", "finished"];

/** Dialogs shows the list of dialogs, grouped by need, beside the dialog in view. */
export function Dialogs() {
  const p = project.value;
  const at = route.value.at === "dialogs" ? route.value.dialog : null;
  useKey("new", () => { if (p !== null) go({ at: "dialogs", project: p, dialog: NEW }); });
  const deleting = useSignal<DialogInfo | null>(null);
  const tick = useTick();
  const onDelete = useCallback((d: DialogInfo) => { deleting.value = d; }, []);
  const side = useRef<HTMLElement>(null);
  useKeptFocus(side);
  if (p === null) return null;
  return (
    <div class={`split${at === null ? "" : " chosen"}`}>
      <aside ref={side} class="side" aria-label={words.name}>
        <a class="button wide" href={writeRoute({ at: "dialogs", project: p, dialog: NEW })} aria-keyshortcuts="n">{words.new} <kbd aria-hidden="true">N</kbd></a>
        {dialogsFailed.value !== "" && <p class="quiet" role="status">{words.unread(dialogsFailed.value)}</p>}
        {GROUPS.map((name) => <Group key={`${p} ${name}`} name={name} list={groups.value[name]} project={p} at={at} tick={tick} onDelete={onDelete} />)}
      </aside>
      {at === NEW ? <NewDialog project={p} /> : at !== null ? <DialogPane dialog={openDialog.value} /> : <Nothing project={p} />}
      {deleting.value !== null && <DeleteDialog project={p} d={deleting.value} onClose={() => (deleting.value = null)} />}
    </div>
  );
}

interface GroupProps {
  name: GroupName;
  list: Family[];
  project: string;
  at: string | null;
  tick: number;
  onDelete: (d: DialogInfo) => void;
}

const Group = memo(function Group({ name, list, project: p, at, tick, onDelete }: GroupProps) {
  const many = useSignal(MANY);
  const end = useEnd(many.value > MANY && many.value < list.length, () => (many.value += MANY));
  if (list.length === 0) return null;
  const shown = list.slice(0, many.value);
  const id = "group-" + name;
  return (
    <section class={`group ${name}`} aria-labelledby={id}>
      <h2 id={id}>{words.groups[name]}</h2>
      <ul class="list dialogs">
        {shown.map((f) => <FamilyRow key={f.d.dialogId} family={f} project={p} at={within(f, at)} tick={tick} onDelete={onDelete} />)}
      </ul>
      {many.value === MANY && list.length > MANY && <button class="wide" onClick={() => (many.value += MANY)}>{words.all(number(list.length), name)}</button>}
      {many.value > MANY && <div ref={end} />}
    </section>
  );
});

// How many of a group are drawn before all are asked for, and at a time from then on, as
// the human comes to their end: a project may have ten thousand finished dialogs.
const MANY = 100;

// The end of what is drawn: near it, more is called, as long as there is more.
function useEnd(is: boolean, more: () => void) {
  const end = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!is || end.current === null) return;
    const seen = new IntersectionObserver((e) => { if (e.some((x) => x.isIntersecting)) more(); }, { root: end.current.closest(".side"), rootMargin: "1200px" });
    seen.observe(end.current);
    return () => seen.disconnect();
  });
  return end;
}

function Nothing({ project: p }: { project: string }) {
  if (dialogs.value === null) return <main class="pane" />;
  if (dialogs.value.length === 0) return <Empty project={p} />;
  return <main class="pane empty hint"><h1 class="unseen">{words.of(p)}</h1><p>{words.choose}</p></main>;
}
