import { useSignal, type Signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { api } from "../../state/api.ts";
import type { OpenDoc } from "../../state/doc.ts";
import { download } from "../../state/download.ts";
import { focusing, noted, outlined, reading } from "../../state/page.ts";
import { docTitle } from "../../state/project.ts";
import { toast } from "../../state/toast.ts";
import { comments, docs as say, history } from "../../text/strings.ts";
import { Icon, type IconName } from "../parts/icon.tsx";
import { keysHere, shortcut } from "../parts/kbd.tsx";
import { MenuButton, MenuItem } from "../parts/menubutton.tsx";
import { Modal } from "../parts/modal.tsx";

interface Tool {
  icon: IconName;
  words: string;
  /** its tooltip */
  title: string;
  keys?: string;
  /** whether it is on; undefined where it is no switch */
  on?: boolean;
  act: () => void;
}

/** DocTools are the ways to look at a doc (its outline, the reading view, the focus mode, and the keys), and the menu of what more can be done with it, in which they stand where the head has no room. */
export function DocTools({ doc, children }: { doc: OpenDoc; children: ComponentChildren }) {
  const keys = useSignal(false);
  const page = () => {
    if (doc.dirty.peek()) toast(say.pageSaved);
    void download(api.docPage(doc.project, doc.name, noted.peek()), `${doc.name}.html`);
  };
  const commented = noted.value && doc.comments.value > 0;
  const tools = [
    toggle(outlined, "outline", say.outline, "Ctrl Shift O"), toggle(reading, "read", say.read, "Ctrl E"), toggle(focusing, "focus", say.focus, "Ctrl Shift E"),
    ...(reading.value && doc.comments.value > 0 ? [toggle(noted, "pen", comments.shown)] : []),
    { icon: "save", words: commented ? say.pageCommented : say.page, title: commented ? `${say.pageCommented}. ${say.pageAbout}` : say.pageAbout, act: page }, { icon: "keys", words: say.keys, title: say.keys, act: () => (keys.value = true) },
  ] satisfies Tool[];
  return (
    <>
      <div class="tools" role="group" aria-label={say.view}>
        {tools.map((t: Tool) => <button key={t.icon} class="icon-button" aria-label={t.words} aria-pressed={t.on} title={t.title} aria-keyshortcuts={t.keys && shortcut(t.keys)} onClick={t.act}><Icon name={t.icon} /></button>)}
      </div>
      <MenuButton label={history.menu(docTitle(doc.name))} class="of-doc">
        {children}
        {tools.map((t: Tool) => <MenuItem key={t.icon} class="if-narrow" role={t.on === undefined ? "menuitem" : "menuitemcheckbox"} aria-checked={t.on} onClick={t.act}>{t.words}</MenuItem>)}
      </MenuButton>
      {keys.value && <Keys onClose={() => (keys.value = false)} />}
    </>
  );
}

function toggle(on: Signal<boolean>, icon: IconName, words: string, keys?: string): Tool {
  return { icon, words, title: keys === undefined ? words : `${words} · ${keysHere(keys)}`, keys, on: on.value, act: () => (on.value = !on.value) };
}

function Keys({ onClose }: { onClose: () => void }) {
  return (
    <Modal title={say.keysTitle} onClose={onClose}>
      <dl class="keys">{say.keyList.map(([k, what]) => <div key={k}><dt>{keysHere(k)}</dt><dd>{what}</dd></div>)}</dl>
      <div class="actions"><button autofocus onClick={onClose}>{say.close}</button></div>
    </Modal>
  );
}
