import { useSignal } from "@preact/signals";
import type { DialogInfo } from "../types.ts";
import { api } from "../state/api.ts";
import { go, route } from "../state/navigation.ts";
import { byId, dialogs } from "../state/project.ts";
import { nameOf } from "../text/names.ts";
import { remove } from "../text/strings.ts";
import { Modal } from "./modal.tsx";

/** DeleteDialog asks before a dialog is deleted, and says what goes and what stays. */
export function DeleteDialog({ project, d, onClose }: { project: string; d: DialogInfo; onClose: () => void }) {
  const error = useSignal("");
  const busy = useSignal(false);
  const now = byId.value.get(d.dialogId) ?? d;
  const children = (dialogs.value ?? []).filter((c) => c.from === d.dialogId).length;
  const active = now.status === "active";
  const act = async () => {
    busy.value = true;
    error.value = "";
    try {
      await api.deleteFile(project, now.filename);
      onClose();
      const at = route.peek();
      if (at.at === "dialogs" && at.dialog === d.dialogId) go({ at: "dialogs", project, dialog: null });
    } catch (e) {
      error.value = (e as Error).message;
      busy.value = false;
    }
  };
  return (
    <Modal title={remove.title(nameOf(now))} onClose={onClose}>
      {active ? <p>{remove.active}</p> : (
        <>
          <p>{remove.what}</p>
          {now.needs === "approval" && <p class="warning">{remove.asks}</p>}
          {children > 0 && <p>{remove.children(children)}</p>}
          <p>{remove.never}</p>
        </>
      )}
      {error.value !== "" && <p class="error" role="alert">{error.value}</p>}
      <div class="actions">
        <button autofocus onClick={onClose}>{remove.keep}</button>
        {!active && <button class="danger" disabled={busy.value} onClick={act}>{remove.go}</button>}
      </div>
    </Modal>
  );
}
