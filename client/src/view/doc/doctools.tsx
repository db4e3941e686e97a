import { useSignal, type Signal } from "@preact/signals";
import { api } from "../../state/api.ts";
import type { OpenDoc } from "../../state/doc.ts";
import { download } from "../../state/download.ts";
import { focusing, noted, outlined, reading } from "../../state/page.ts";
import { toast } from "../../state/toast.ts";
import { comments, docs as say } from "../../text/strings.ts";
import { Icon, type IconName } from "../parts/icon.tsx";
import { keysHere, shortcut } from "../parts/kbd.tsx";
import { Modal } from "../parts/modal.tsx";

/** DocTools are the ways to look at a doc: its outline, the reading view, the focus mode, and the keys. */
export function DocTools({ doc }: { doc: OpenDoc }) {
  const keys = useSignal(false);
  return (
    <div class="tools" role="group" aria-label={say.view}>
      <Tool on={outlined} icon="outline" words={say.outline} keys="Ctrl Shift O" />
      <Tool on={reading} icon="read" words={say.read} keys="Ctrl E" />
      <Tool on={focusing} icon="focus" words={say.focus} keys="Ctrl Shift E" />
      {reading.value && doc.comments.value > 0 && <button class="icon-button" aria-label={comments.shown} aria-pressed={noted.value} title={comments.shown} onClick={() => (noted.value = !noted.value)}><Icon name="pen" /></button>}
      <button class="icon-button" aria-label={say.page} title={say.pageAbout} onClick={() => {
        if (doc.dirty.peek()) toast(say.pageSaved);
        void download(api.docPage(doc.project, doc.name, noted.peek()), `${doc.name}.html`);
      }}><Icon name="save" /></button>
      <button class="icon-button" aria-label={say.keys} title={say.keys} onClick={() => (keys.value = true)}><Icon name="keys" /></button>
      {keys.value && <Keys onClose={() => (keys.value = false)} />}
    </div>
  );
}

function Tool({ on, icon, words, keys }: { on: Signal<boolean>; icon: IconName; words: string; keys: string }) {
  return (
    <button class="icon-button" aria-label={words} aria-pressed={on.value} title={`${words} · ${keysHere(keys)}`} aria-keyshortcuts={shortcut(keys)} onClick={() => (on.value = !on.value)}>
      <Icon name={icon} />
    </button>
  );
}

function Keys({ onClose }: { onClose: () => void }) {
  return (
    <Modal title={say.keysTitle} onClose={onClose}>
      <dl class="keys">{say.keyList.map(([k, what]) => <div key={k}><dt>{keysHere(k)}</dt><dd>{what}</dd></div>)}</dl>
      <div class="actions"><button autofocus onClick={onClose}>{say.close}</button></div>
    </Modal>
  );
}
