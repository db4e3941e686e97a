import { useEffect, useRef } from "preact/hooks";
import { onKey } from "../../state/keys.ts";
import type { KeyName } from "../../text/keymap.ts";

/** useKey lets a key of the keymap act while its component is there. */
export function useKey(name: KeyName, act: () => void): void {
  const now = useRef(act);
  now.current = act;
  useEffect(() => onKey(name, () => now.current()), [name]);
}
