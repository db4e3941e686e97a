import { useEffect, useRef } from "preact/hooks";
import { onKey } from "../../state/keys.ts";
import type { KeyName } from "../../text/keymap.ts";

/** useKey lets a key of the keymap act while its component is there; with `rest`, where no other part of the page has it. */
export function useKey(name: KeyName, act: () => void, rest = false): void {
  const now = useRef(act);
  now.current = act;
  useEffect(() => onKey(name, () => now.current(), rest), [name]);
}
