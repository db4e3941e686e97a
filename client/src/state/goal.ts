import { openDialog } from "./opendialog.ts";
import { openDoc } from "./opendoc.ts";

// How long a place is looked for, in ms: a dialog may be read for so long. It is looked at
// again some times, for the log follows its end while it is drawn.
const LONG = 8000, AGAIN = 5, PAUSE = 120;
let stop: (() => void) | null = null;

/** seekLine shows a line of a doc, counted from 1, once its text is there. */
export function seekLine(project: string, file: string, line: number): void {
  let gone = false;
  seek(() => {
    const d = openDoc.value;
    if (d === null || d.project !== project || d.name !== file || !d.editor) return false;
    if (!gone) d.editor.goTo(line);
    gone = true;
    return true;
  });
}

/** seekSection shows a section of a dialog, once it was drawn. */
export function seekSection(project: string, dialog: string, section: string): void {
  seek(() => {
    const d = openDialog.value;
    if (d === null || d.project !== project || d.id !== dialog || !d.loaded.value || d.sections.value.length === 0) return false;
    const at = document.querySelector<HTMLElement>(`.log [data-section="${CSS.escape(section)}"]`);
    if (at === null) return false;
    const log = at.closest(".scroll")?.getBoundingClientRect();
    const r = at.getBoundingClientRect();
    if (log && r.top >= log.top - 1 && r.top < log.bottom - 40) return true;
    at.scrollIntoView({ block: "start" });
    at.classList.add("found");
    setTimeout(() => at.classList.remove("found"), 2500);
    return true;
  });
}

// What is sought is looked for until it is found and stays so, or the human goes elsewhere by hand.
function seek(found: () => boolean): void {
  stop?.();
  const end = performance.now() + LONG;
  let left = AGAIN;
  const look = () => {
    if (found()) left--;
    if (left === 0 || performance.now() > end) stop?.();
  };
  const timer = setInterval(look, PAUSE);
  const hand = () => stop?.();
  const events = ["wheel", "keydown", "pointerdown", "touchmove"];
  for (const e of events) addEventListener(e, hand, { passive: true });
  stop = () => {
    clearInterval(timer);
    for (const e of events) removeEventListener(e, hand);
    stop = null;
  };
}
