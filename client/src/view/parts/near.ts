import type { RefObject } from "preact";
import { useEffect, useState } from "preact/hooks";

/** useNear reports whether an element has come near the view. It is not looked for where that is of no use. */
export function useNear(box: RefObject<HTMLElement | null>, use: boolean): boolean {
  const [near, setNear] = useState(false);
  useEffect(() => {
    if (!use || near) return;
    const seen = new IntersectionObserver((all) => { if (all.some((e) => e.isIntersecting)) setNear(true); }, { root: box.current!.closest(".scroll"), rootMargin: "1000px" });
    seen.observe(box.current!);
    return () => seen.disconnect();
  }, [use, near]);
  return near;
}
