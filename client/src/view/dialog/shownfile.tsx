import { useEffect, useState } from "preact/hooks";
import { bytesOf } from "../../state/pictures.ts";
import { shownFile } from "../../state/shownfile.ts";
import { addedName } from "../../text/added.ts";
import { log } from "../../text/strings.ts";
import { Exact } from "../parts/exact.tsx";
import { Modal } from "../parts/modal.tsx";

/** ShownFile shows the file that a link was followed to: a picture, or its text. */
export function ShownFile() {
  const f = shownFile.value;
  return f === null ? null : <File key={`${f.project}/${f.path}`} {...f} />;
}

const PICTURE = /^image\/(png|jpeg|gif|webp|avif|bmp)/;
const MOST = 1_000_000; // bytes of a text

function File({ project, path }: { project: string; path: string }) {
  const [is, setIs] = useState<{ picture: string } | { text: string } | { trouble: string } | null>(null);
  useEffect(() => {
    let made = "", left = false;
    const read = async () => {
      const blob = await bytesOf(project, path);
      if (left) return;
      if (PICTURE.test(blob.type)) setIs({ picture: (made = URL.createObjectURL(blob)) });
      else if (blob.size > MOST) setIs({ trouble: log.tooLarge });
      else setIs({ text: await blob.text() });
    };
    read().catch((e: Error) => setIs({ trouble: e.message }));
    return () => {
      left = true;
      URL.revokeObjectURL(made);
    };
  }, []);
  const close = () => { shownFile.value = null; };
  const title = path.startsWith("files/") ? addedName(path) : path;
  return (
    <Modal title={title} onClose={close}>
      {is !== null && "picture" in is && <div class="whole" tabIndex={0} role="region" aria-label={title}><img src={is.picture} alt={title} /></div>}
      {is !== null && "text" in is && <Exact text={is.text} lines={40} />}
      {is !== null && "trouble" in is && <p>{is.trouble}</p>}
      <div class="actions"><button autofocus onClick={close}>{log.close}</button></div>
    </Modal>
  );
}
