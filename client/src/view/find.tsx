import { closeFind, findShown, openFind } from "../state/keys.ts";
import { top } from "../text/strings.ts";
import { Icon } from "./parts/icon.tsx";
import { Kbd, shortcut } from "./parts/kbd.tsx";
import { Palette } from "./chunks.ts";
import { useKey } from "./parts/usekey.ts";

/** FindButton opens the palette, as Ctrl K does from anywhere. */
export function FindButton() {
  return <button class="pill find" aria-keyshortcuts={shortcut("Ctrl K")} aria-haspopup="dialog" onClick={openFind}><Icon name="find" /> <span>{top.find}</span> <Kbd keys="Ctrl K" /></button>;
}

/** Find shows the palette where it was asked for. */
export function Find() {
  useKey("find", openFind);
  return findShown.value ? <Palette onClose={closeFind} /> : null;
}
