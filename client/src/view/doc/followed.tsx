import { createMissing } from "../../state/follow.ts";
import { missing } from "../../state/missingdoc.ts";
import { docStem, mayBeDoc } from "../../text/names.ts";
import { docs as say } from "../../text/strings.ts";
import { Modal } from "../parts/modal.tsx";

/** Followed asks whether to create the doc that a link led to and that is not there. */
export function Followed() {
  const m = missing.value;
  if (m === null) return null;
  const close = () => (missing.value = null);
  return (
    <Modal title={say.missingTitle(docStem(m.file))} onClose={close}>
      <p>{mayBeDoc(m.file) ? say.missing(m.file) : say.badName(m.file)}</p>
      <div class="actions">
        {mayBeDoc(m.file) && <button class="primary" onClick={() => void createMissing()}>{say.create}</button>}
        <button autofocus onClick={close}>{mayBeDoc(m.file) ? say.notNow : say.close}</button>
      </div>
    </Modal>
  );
}
