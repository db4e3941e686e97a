import type { OpenDialog } from "../../state/dialog.ts";
import { reviewing, unsentIn } from "../../state/review.ts";
import { changedIn } from "../../state/undo.ts";
import { review as say } from "../../text/strings.ts";

/** TurnEnd says at the end of a turn how many files it changed, and leads to them. `last` is the turn at the dialog's end, which may go on. */
export function TurnEnd({ dialog: d, turn, last }: { dialog: OpenDialog; turn: string; last: boolean }) {
  const n = changedIn(d, turn);
  if (n === 0 || (last && (d.status.value === "active" || d.pending.value.length > 0))) return null;
  const waits = reviewing.value === null ? unsentIn(d, turn) : 0; // read anew when a review is closed
  return (
    <p class="turn-end"><span>{say.changed(n)}</span> · <button type="button" onClick={() => { reviewing.value = { dialog: d, turn }; }}>{say.open}</button>{waits > 0 && <span class="quiet"> · {say.unsent(waits)}</span>}</p>
  );
}
