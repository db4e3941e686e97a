import { signal } from "@preact/signals";
import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { top } from "../text/strings.ts";
import { toast } from "../state/toast.ts";
import { Icon } from "./icon.tsx";
import { useKey } from "./usekey.ts";

const open = signal(false);

/** FindButton opens the palette, as Ctrl K does from anywhere. */
export function FindButton() {
  return <button class="pill find" aria-keyshortcuts="Control+K" aria-haspopup="dialog" onClick={() => (open.value = true)}><Icon name="find" /> <span>{top.find}</span> <kbd aria-hidden="true">Ctrl K</kbd></button>;
}

/** Find shows the palette where it was asked for. Its code comes with its first use. */
export function Find() {
  const [Palette, setPalette] = useState<ComponentType<{ onClose: () => void }> | null>(null);
  useKey("find", () => { open.value = true; });
  const is = open.value;
  useEffect(() => {
    if (!is || Palette !== null) return;
    import("./palette.tsx").then((m) => setPalette(() => m.default), () => {
      open.value = false;
      toast(top.notLoaded);
    });
  }, [is]);
  return is && Palette !== null ? <Palette onClose={() => (open.value = false)} /> : null;
}
