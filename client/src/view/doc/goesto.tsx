import type { Outgoing } from "../../state/outgoing.ts";
import { dialogs, docTitle } from "../../state/project.ts";
import { nameOf } from "../../text/names.ts";
import { passage as say } from "../../text/strings.ts";

// How many dialogs a message may go to beside a new one.
const MOST = 30;

/** GoesTo says which dialog a message about a doc goes to, and changes it. */
export function GoesTo({ out }: { out: Outgoing }) {
  const to = out.to.value;
  const offered = (dialogs.value ?? []).filter((d) => d.status !== "done" && d.dialogId !== to).slice(0, MOST);
  const chosen = (dialogs.value ?? []).filter((d) => d.dialogId === to); // also where it is an old one
  return (
    <label class="ask-to quiet">
      {say.goesTo} <select value={to} onChange={(e) => out.turnTo(e.currentTarget.value)}>
        <option value="">{say.newOne(docTitle(out.doc.name))}</option>
        {[...chosen, ...offered].map((d) => <option key={d.dialogId} value={d.dialogId}>{nameOf(d)}</option>)}
      </select>
    </label>
  );
}
