import { letters, setLetters } from "../state/keys.ts";
import { keyList, keyWords } from "../text/keymap.ts";
import { keys } from "../text/strings.ts";
import { keysHere } from "./parts/kbd.tsx";
import { Modal } from "./parts/modal.tsx";

/** KeyList shows all keys of the window. */
export function KeyList({ onClose: close }: { onClose: () => void }) {
  return (
    <Modal title={keys.title} onClose={close}>
      {keyList().map(({ scope, keys: all }) => (
        <section class="keys" key={scope}>
          <h3>{scope}</h3>
          <dl>{all.map((k) => <div key={k.words}><dt><kbd>{keysHere(keyWords(k))}</kbd></dt><dd>{k.words}</dd></div>)}</dl>
        </section>
      ))}
      <p><label class="always"><input type="checkbox" checked={letters.value} onChange={(e) => setLetters(e.currentTarget.checked)} /> <span>{keys.letters}</span></label> <span class="quiet">{keysHere(keys.about)}</span></p>
      <div class="actions"><button autofocus onClick={close}>{keys.close}</button></div>
    </Modal>
  );
}
