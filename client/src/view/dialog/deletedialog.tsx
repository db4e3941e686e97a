import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { Call, DialogInfo } from "../../types.ts";
import { api, type ApiError } from "../../state/api.ts";
import { pendingOf, sameCalls } from "../../state/closing.ts";
import { go, route } from "../../state/navigation.ts";
import { byId, dialogs } from "../../state/project.ts";
import { callKey } from "../../text/callkey.ts";
import { nameOf } from "../../text/names.ts";
import { closing, remove } from "../../text/strings.ts";
import { DeniedCalls } from "../approval/deniedcalls.tsx";
import { useForm } from "../parts/act.ts";
import { Modal } from "../parts/modal.tsx";

/** DeleteDialog asks before a dialog is deleted, and says what goes and what stays. */
export function DeleteDialog({ project, d, onClose }: { project: string; d: DialogInfo; onClose: () => void }) {
  const { act, busy, error } = useForm();
  const now = byId.value.get(d.dialogId) ?? d;
  const children = (dialogs.value ?? []).filter((c) => c.from === d.dialogId).length;
  const active = now.status === "active";
  // The calls that are named; null before they were read.
  const named = useSignal<Call[] | null>(null);
  const read = () => pendingOf({ project, id: d.dialogId }).catch((e: ApiError): Call[] => {
    if (e.status === 0) throw e;
    return []; // a dialog that can't be read can be deleted
  });
  useEffect(() => { if (now.needs === "approval") read().then((calls) => (named.value = calls), () => undefined); }, [now.needs]);
  const asks = named.value ?? [];
  const deleteIt = () => act(async () => {
    const calls = await read();
    if (!sameCalls(calls, asks)) {
      named.value = calls;
      throw new Error(closing.changed);
    }
    await api.deleteFile(project, now.filename);
    onClose();
    const at = route.peek();
    if (at.at === "dialogs" && at.dialog === d.dialogId) go({ at: "dialogs", project, dialog: null });
  });
  return (
    <Modal key={asks.map(callKey).join()} title={remove.title(nameOf(now))} onClose={onClose}>
      {active ? <p>{remove.active}</p> : (
        <>
          <p>{remove.what}</p>
          {now.needs === "approval" && <p class="warning">{remove.asks}</p>}
          {asks.length > 0 && <DeniedCalls calls={asks} />}
          {children > 0 && <p>{remove.children(children)}</p>}
          <p>{remove.never}</p>
        </>
      )}
      {error.value !== "" && <p class="error" role="alert">{error.value}</p>}
      <div class="actions">
        <button autofocus onClick={onClose}>{remove.keep}</button>
        {!active && <button class="danger" disabled={busy.value} onClick={() => void deleteIt()}>{remove.go}</button>}
      </div>
    </Modal>
  );
}
