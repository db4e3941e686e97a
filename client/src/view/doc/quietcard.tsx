import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";

/** QuietCard is a quiet line above a doc. At a click it opens over the text; Escape, and a button to a line, close it. */
export function QuietCard({ line, label, children }: { line: ComponentChildren; label: string; children: ComponentChildren }) {
  const open = useSignal(false);
  const head = useRef<HTMLElement>(null);
  const close = (e: KeyboardEvent) => {
    if (e.key !== "Escape" || !open.value) return;
    open.value = false;
    head.current?.focus();
  };
  // The line that is gone to must not lie below the card.
  const gone = (e: MouseEvent) => { if ((e.target as Element).closest("button.where")) open.value = false; };
  return (
    <details class="rules" open={open.value} onToggle={(e) => (open.value = e.currentTarget.open)} onKeyDown={close}>
      <summary ref={head}>{line}</summary>
      <div class="rules-body" role="region" aria-label={label} tabIndex={0} onClick={gone}>{children}</div>
    </details>
  );
}
