import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";

/** useTick returns a number that changes every half minute, for what is drawn as time passes. */
export function useTick(): number {
  const tick = useSignal(0);
  useEffect(() => {
    const t = setInterval(() => tick.value++, 30_000);
    return () => clearInterval(t);
  }, []);
  return tick.value;
}
