import { useEffect, useRef, useState } from "preact/hooks";
import { createMissing, shown } from "../../state/follow.ts";
import { missing } from "../../state/missingdoc.ts";
import { drawPicture } from "../../state/pictures.ts";
import { docStem, mayBeDoc } from "../../text/names.ts";
import { docs as say } from "../../text/strings.ts";
import { Modal } from "../parts/modal.tsx";

/** Followed shows where a link led that leads to no doc: a picture, or the question whether to create what is missing. */
export function Followed() {
  const m = missing.value, pic = shown.value;
  if (m !== null) {
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
  return pic === null ? null : <Shown key={pic.path} project={pic.project} path={pic.path} />;
}

function Shown({ project, path }: { project: string; path: string }) {
  const [failed, setFailed] = useState(false);
  const img = useRef<HTMLImageElement>(null);
  useEffect(() => { drawPicture(img.current!, project, path).catch(() => setFailed(true)); }, []);
  const close = () => (shown.value = null);
  return (
    <Modal title={path} onClose={close}>
      {failed ? <p>{say.noPicture(path)}</p> : <div class="whole" tabIndex={0} role="region" aria-label={path}><img ref={img} alt={path} onError={() => setFailed(true)} /></div>}
      <div class="actions"><button autofocus onClick={close}>{say.close}</button></div>
    </Modal>
  );
}
