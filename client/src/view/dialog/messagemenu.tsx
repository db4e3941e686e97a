import type { OpenDialog } from "../../state/dialog.ts";
import { api } from "../../state/api.ts";
import { go } from "../../state/navigation.ts";
import { announce } from "../../state/toast.ts";
import { fork as say } from "../../text/strings.ts";
import { useAct } from "../parts/act.ts";
import { MenuButton, MenuItem } from "../parts/menubutton.tsx";

/** MessageMenu holds what is rarely done with a message, behind its dots. One that a hand wrote without an id has none. */
export function MessageMenu({ dialog: d, id }: { dialog: OpenDialog; id: string }) {
  const { act, busy } = useAct();
  if (id === "") return null;
  const fork = async () => {
    const made = await api.fork(d.project, d.id, id);
    go({ at: "dialogs", project: d.project, dialog: made.dialogId });
    announce(say.made);
  };
  return (
    <MenuButton label={say.menu} class="of-message">
      <MenuItem disabled={busy.value} about={say.about} onClick={() => void act(fork)}>{say.here}</MenuItem>
    </MenuButton>
  );
}
