import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { FilesOf } from "../../state/adding.ts";
import { toast } from "../../state/toast.ts";
import { join, split } from "../../text/added.ts";
import { composer as say } from "../../text/strings.ts";
import { ChooseFiles, FileChips, takesFiles } from "../parts/files.tsx";
import { isComposer, low } from "../parts/focus.ts";
import { Kbd, shortcut } from "../parts/kbd.tsx";

interface Props {
  /** the message, with its files */
  text: string;
  /** the files that are on their way to it */
  files: FilesOf;
  hint: string;
  /** true where it has the focus as it appears */
  first?: boolean;
  /** true where it may be sent */
  ready: boolean;
  onWrite: (text: string) => void;
  onSend: () => void;
  /** what stands above the box */
  above?: ComponentChildren;
  /** what is chosen below it */
  children: ComponentChildren;
}

/** MessageBox is a text and what sends it. It is never disabled, since keys that are typed on would act on the page then. */
export function MessageBox({ text, files, hint, first = false, ready, onWrite, onSend, above, children }: Props) {
  const box = useRef<HTMLTextAreaElement | null>(null);
  useLayoutEffect(() => { if (first) box.current?.focus(); }, []);
  const { files: all, words } = split(text);
  useLayoutEffect(() => grow(box.current), [words]);
  const holds = files.holds();
  const send = () => (holds === "" ? onSend() : toast(holds));
  return (
    <form class="composer" {...takesFiles(files)} onSubmit={(e) => { e.preventDefault(); send(); }}>
      <div class="column">
        {above}
        <FileChips files={files} all={all} text={text} onWrite={onWrite} back={() => box.current?.focus()} />
        <div class="write">
          <textarea
            ref={(el) => { isComposer((box.current = el)); }} rows={low() ? 1 : 2} aria-label={say.name} placeholder={hint} dir="auto" value={words}
            onInput={(e) => onWrite(join(all, e.currentTarget.value))}
            onKeyDown={(e) => {
              if (e.key === "Enter" && (e.ctrlKey || e.metaKey)) {
                e.preventDefault();
                if (!e.repeat) send();
              }
            }}
          />
          <ChooseFiles files={files} back={() => box.current?.focus()} />
        </div>
        <div class="under">
          {children}
          <Kbd keys="Ctrl ↵" />
          {/* A press on it leaves the focus in the box. */}
          <button class="primary" aria-disabled={!ready || holds !== ""} aria-keyshortcuts={shortcut("Ctrl ↵")} onMouseDown={(e) => e.preventDefault()}>{say.send}</button>
        </div>
      </div>
    </form>
  );
}

function grow(el: HTMLTextAreaElement | null): void {
  if (!el) return;
  el.style.height = "auto";
  el.style.height = `${Math.min(el.scrollHeight + 2, innerHeight * 0.4)}px`;
}
