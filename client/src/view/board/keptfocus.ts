import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { nothingFocused } from "../parts/focus.ts";

/** useKeptFocus gives the focus back to the link of a row of a list that was drawn anew in another place. */
export function useKeptFocus(box: RefObject<HTMLElement | null>): void {
  const last = useRef<string | null>(null);
  useEffect(() => {
    const focused = (e: FocusEvent) => {
      const at = e.target as Element;
      const href = at.closest("li")?.querySelector("a")?.getAttribute("href");
      last.current = box.current?.contains(at) && href ? href : null;
    };
    const pointed = () => { last.current = null; };
    addEventListener("focusin", focused);
    addEventListener("pointerdown", pointed);
    return () => {
      removeEventListener("focusin", focused);
      removeEventListener("pointerdown", pointed);
    };
  }, []);
  useLayoutEffect(() => {
    if (last.current !== null && nothingFocused()) box.current?.querySelector<HTMLElement>(`a[href="${CSS.escape(last.current)}"]`)?.focus();
  });
}
