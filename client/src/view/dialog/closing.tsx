import { asked, pendingOf, sameCalls } from "../../state/closing.ts";
import { toast } from "../../state/toast.ts";
import { closing } from "../../text/strings.ts";
import { DeniedCalls } from "../approval/deniedcalls.tsx";
import { Modal } from "../parts/modal.tsx";

/** Closing is the question that closeDialog asks. */
export function Closing({ onClose: close }: { onClose: () => void }) {
  const c = asked.value;
  if (c === null) return null;
  // What was denied must have been named here.
  const go = async () => {
    try {
      const now = await pendingOf(c);
      if (!sameCalls(now, c.calls)) {
        asked.value = { ...c, calls: now, changed: true };
        return;
      }
      close();
      await c.act();
    } catch (e) {
      close();
      toast((e as Error).message);
    }
  };
  const n = c.calls.length;
  return (
    <Modal key={`${n} ${c.changed}`} title={closing.finish(c.name)} onClose={close}>
      {c.changed && <p class="error">{closing.changed}</p>}
      {n > 0 && <p>{closing.denies(n)}</p>}
      {n > 0 && <DeniedCalls calls={c.calls} />}
      <div class="actions">
        <button autofocus onClick={close}>{closing.keep}</button>
        <button class="danger" onClick={() => void go()}>{closing.finishNow}</button>
      </div>
    </Modal>
  );
}
