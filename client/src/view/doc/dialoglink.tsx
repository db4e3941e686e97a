import { dialogs, dialogTitle } from "../../state/project.ts";
import { project } from "../../state/projects.ts";
import { writeRoute } from "../../text/route.ts";
import { history as say } from "../../text/strings.ts";

/** DialogLink leads to the dialog in which a doc was changed, if it is still there. */
export function DialogLink({ id, onGo }: { id: string; onGo: () => void }) {
  if (!(dialogs.value ?? []).some((d) => d.dialogId === id)) return <span class="quiet">{say.gone(id)}</span>;
  return <a href={writeRoute({ at: "dialogs", project: project.value!, dialog: id })} onClick={onGo}>{say.inDialog(dialogTitle(id))}</a>;
}
