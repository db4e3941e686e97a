import type { ComponentChildren } from "preact";
import type { Selected } from "../../state/doc.ts";
import { passage as say } from "../../text/strings.ts";

// How far below the end of a passage it stands, and how much of the text's edges it keeps free, in px.
const BELOW = 6, EDGE = 8;

/** PassageMenu holds the buttons at a selection. It lies over the text, so that nothing moves; on a phone it is at the foot of the text, where the browser's own menu is not. A press on it leaves the selection. */
export function PassageMenu({ at, children }: { at: Selected; children: ComponentChildren }) {
  return (
    <div class="passage-menu" role="group" aria-label={say.menu} style={besides(at, 40, 220)} onMouseDown={(e) => e.preventDefault()}>
      {children}
    </div>
  );
}

/** besides returns where something of that size stands at the end of a passage: below it, or above where there is no room. */
export function besides(at: Selected, height: number, width: number): { top: string; left: string } {
  const below = at.bottom + BELOW;
  const top = below + height <= at.height - EDGE ? below : Math.max(EDGE, at.top - BELOW - height);
  return { top: `${top}px`, left: `${Math.max(EDGE, Math.min(at.left, at.width - width - EDGE))}px` };
}
