import { useEffect, useState } from "preact/hooks";
import { api, ApiError } from "../../state/api.ts";
import type { Picture } from "../../text/outcome.ts";
import { picture as say } from "../../text/strings.ts";
import { Modal } from "../parts/modal.tsx";
import { Reveal } from "../parts/reveal.tsx";

// The size of a picture's window. Its room is kept until it is there, so that it moves nothing when it comes.
const SIZE = { width: 1280, height: 900 };

/** Screenshot shows the picture of a page, below what the agent asks about it. A click shows it in its own size. */
export function Screenshot({ project, picture }: { project: string; picture: Picture }) {
  const { url, trouble, fail, again } = usePicture(project, picture.name);
  const [large, setLarge] = useState(false);
  const alt = say.of(picture.page);
  return (
    <>
      <figure class="screenshot">
        {picture.question !== "" && <p class="asks"><Reveal text={picture.question} /></p>}
        {trouble !== null && <p class="quiet">{trouble.words} {trouble.again && <button onClick={again}>{say.again}</button>}</p>}
        {trouble === null && url === "" && <p class={`quiet${picture.anySize ? "" : " coming"}`}>{say.loading}</p>}
        {trouble === null && url !== "" && <button class="larger" title={say.larger} onClick={() => setLarge(true)}><img src={url} alt={alt} {...(picture.anySize ? {} : SIZE)} onError={fail} /></button>}
        <figcaption><Reveal text={picture.page} /></figcaption>
      </figure>
      {large && url !== "" && (
        <Modal title={say.title} onClose={() => setLarge(false)}>
          <div class="whole" tabIndex={0} role="region" aria-label={say.whole}><img src={url} alt={alt} /></div>
          <div class="actions"><button autofocus onClick={() => setLarge(false)}>{say.close}</button></div>
        </Modal>
      )}
    </>
  );
}

interface Trouble { words: string; again: boolean }

const UNREADABLE: Trouble = { words: say.unreadable, again: false };

/** usePicture reads a picture with the token, which an img element can't send. url is "" until it is there. */
function usePicture(project: string, name: string) {
  const [url, setUrl] = useState("");
  const [trouble, setTrouble] = useState<Trouble | null>(null);
  const [tries, setTries] = useState(0);
  useEffect(() => {
    let made = "", left = false;
    setUrl("");
    setTrouble(null);
    api.screenshot(project, name).then((r) => r.blob()).then(
      (b) => { if (!left) setUrl(made = URL.createObjectURL(b)); },
      (e: Error) => { if (!left) setTrouble(e instanceof ApiError && e.status === 404 ? { words: say.gone, again: false } : { words: e.message, again: true }); },
    );
    return () => {
      left = true;
      URL.revokeObjectURL(made);
    };
  }, [project, name, tries]);
  return { url, trouble, fail: () => setTrouble(UNREADABLE), again: () => setTries(tries + 1) };
}
