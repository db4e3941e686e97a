import { useSignal, type Signal } from "@preact/signals";
import type { RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";

/** useMenu returns whether a menu is open, and the box outside of which a press closes it, as Escape does. */
export function useMenu(): { open: Signal<boolean>; box: RefObject<HTMLDivElement | null> } {
  const open = useSignal(false);
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!open.value) return;
    const away = (e: Event) => {
      if (e instanceof KeyboardEvent ? e.key === "Escape" : !box.current?.contains(e.target as Node)) open.value = false;
    };
    addEventListener("pointerdown", away);
    addEventListener("keydown", away);
    return () => { removeEventListener("pointerdown", away); removeEventListener("keydown", away); };
  }, [open.value]);
  return { open, box };
}
