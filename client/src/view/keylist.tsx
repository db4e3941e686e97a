import { signal } from "@preact/signals";
import { letters, setLetters } from "../state/keys.ts";
import { keyList, keyWords } from "../text/keymap.ts";
import { keys } from "../text/strings.ts";
import { Modal } from "./modal.tsx";
import { useKey } from "./usekey.ts";

const open = signal(false);

/** showKeys shows the list of keys. */
export function showKeys(): void { open.value = true; }

/** KeyList has the keys that act anywhere, and shows the list of all of them. */
export function KeyList() {
  useKey("list", showKeys);
  if (!open.value) return null;
  const close = () => (open.value = false);
  return (
    <Modal title={keys.title} onClose={close}>
      {keyList().map(({ scope, keys: all }) => (
        <section class="keys" key={scope}>
          <h3>{scope}</h3>
          <dl>{all.map((k) => <div key={k.words}><dt><kbd>{keyWords(k)}</kbd></dt><dd>{k.words}</dd></div>)}</dl>
        </section>
      ))}
      <p><label class="always"><input type="checkbox" checked={letters.value} onChange={(e) => setLetters(e.currentTarget.checked)} /> <span>{keys.letters}</span></label> <span class="quiet">{keys.about}</span></p>
      <div class="actions"><button autofocus onClick={close}>{keys.close}</button></div>
    </Modal>
  );
}
