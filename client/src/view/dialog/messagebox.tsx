import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { composer as say } from "../../text/strings.ts";
import { isComposer, low } from "../parts/focus.ts";
import { Kbd, shortcut } from "../parts/kbd.tsx";

interface Props {
  text: string;
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
export function MessageBox({ text, hint, first = false, ready, onWrite, onSend, above, children }: Props) {
  const box = useRef<HTMLTextAreaElement | null>(null);
  useLayoutEffect(() => { if (first) box.current?.focus(); }, []);
  useLayoutEffect(() => grow(box.current), [text]);
  return (
    <form class="composer" onSubmit={(e) => { e.preventDefault(); onSend(); }}>
      <div class="column">
        {above}
        <textarea
          ref={(el) => { isComposer((box.current = el)); }} rows={low() ? 1 : 2} aria-label={say.name} placeholder={hint} dir="auto" value={text}
          onInput={(e) => onWrite(e.currentTarget.value)}
          onKeyDown={(e) => {
            if (e.key === "Enter" && (e.ctrlKey || e.metaKey)) {
              e.preventDefault();
              if (!e.repeat) onSend();
            }
          }}
        />
        <div class="under">
          {children}
          <Kbd keys="Ctrl ↵" />
          {/* A press on it leaves the focus in the box. */}
          <button class="primary" aria-disabled={!ready} aria-keyshortcuts={shortcut("Ctrl ↵")} onMouseDown={(e) => e.preventDefault()}>{say.send}</button>
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
