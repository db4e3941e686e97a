import { signal } from "@preact/signals";
import { refine } from "../text/diff.ts";

const refined = signal(false);
let asked = false;

/** useDiffer loads what makes diffs fine, once, and reports whether it is there. Who calls it is drawn again when it comes. */
export function useDiffer(): boolean {
  if (!asked) {
    asked = true;
    import("../text/finediff.ts").then(({ presentableDiff }) => {
      refine(presentableDiff);
      refined.value = true;
    }, () => (asked = false));
  }
  return refined.value;
}
