import type { Outgoing } from "../../state/outgoing.ts";
import { dialogs, docTitle } from "../../state/project.ts";
import { nameOf } from "../../text/names.ts";
import { passage as say } from "../../text/strings.ts";
import { clock } from "../../text/time.ts";

// How many dialogs a message may go to beside a new one.
const MOST = 30;

/** GoesTo says which dialog a message about a doc goes to, and changes it. */
export function GoesTo({ out }: { out: Outgoing }) {
  const to = out.to.value;
  const offered = (dialogs.value ?? []).filter((d) => d.status !== "done" && d.dialogId !== to).slice(0, MOST);
  const chosen = (dialogs.value ?? []).filter((d) => d.dialogId === to); // also where it is an old one
  const all = [...chosen, ...offered], times = new Map<string, number>();
  for (const d of all) times.set(nameOf(d), (times.get(nameOf(d)) ?? 0) + 1);
  return (
    <label class="ask-to quiet">
      {say.goesTo} <select value={to} onChange={(e) => out.turnTo(e.currentTarget.value)}>
        <option value="">{say.newOne(docTitle(out.doc.name))}</option>
        {all.map((d) => <option key={d.dialogId} value={d.dialogId}>{times.get(nameOf(d)) === 1 ? nameOf(d) : say.oneOf(nameOf(d), clock(d.mtime))}</option>)}
      </select>
    </label>
  );
}
