import { signal } from "@preact/signals";
import type { DeedFile } from "../types.ts";
import { stampOf } from "../text/deed.ts";
import { pauseAfter } from "../text/pause.ts";
import { api } from "./api.ts";
import { onChange } from "./project.ts";

interface Known {
  /** null before they were read */
  files: DeedFile[] | null;
  /** where they are shown; another one after each start of the server */
  preview: string;
  /** why they could not be read last; it is tried again */
  failed: string;
  /** true where this page may not frame them: it was loaded when they were shown at another origin */
  moved: boolean;
  /** counts the changes that were seen */
  version: number;
}

const NOTHING: Known = { files: null, preview: "", failed: "", moved: false, version: 0 };

/** What is known of the deed in view. */
export const deed = signal<Known>(NOTHING);

// The pause between two readings: agents append to dialogs many times a second.
const PAUSE = 1000;

// The server tells of no change below the deed, which may have many folders: what another program does there is
// looked for so often, in ms, while it is in view, and less often where that takes long.
const LOOK = 2500, SHARE = 20;

/**
 * followDeed reads the files of a project's deed, and again where something changed or the
 * human comes back, until the returned function is called.
 */
export function followDeed(project: string): () => void {
  let over = false, busy = false, again = false, failures = 0;
  let look: ReturnType<typeof setTimeout> | undefined;
  deed.value = NOTHING;
  const back = () => { if (!document.hidden) void read(); };
  const read = async () => {
    if (busy) {
      again = true;
      return;
    }
    busy = true;
    clearTimeout(look);
    const begin = performance.now();
    try {
      const [{ url: preview }, files] = await Promise.all([api.preview(project), api.deed(project)]);
      if (over) return;
      failures = 0;
      const now = deed.peek();
      const same = now.files !== null && now.preview === preview && stampOf(now.files) === stampOf(files);
      if (!same) deed.value = { files, preview, failed: "", moved: now.moved && now.preview === preview, version: now.version + 1 };
      else if (now.failed !== "") deed.value = { ...now, failed: "" };
    } catch (e) {
      if (over) return;
      deed.value = { ...deed.peek(), failed: (e as Error).message };
      setTimeout(() => { if (!over) void read(); }, pauseAfter(++failures));
    } finally {
      if (!over) look = setTimeout(back, Math.max(LOOK, SHARE * (performance.now() - begin)));
      setTimeout(() => {
        busy = false;
        if (again && !over) {
          again = false;
          void read();
        }
      }, PAUSE);
    }
  };
  const off = onChange(() => void read());
  // A page that goes elsewhere by itself is refused too, and that is no other origin of ours.
  const refused = (e: SecurityPolicyViolationEvent) => {
    const now = deed.peek();
    if (e.effectiveDirective === "frame-src" && now.preview !== "" && e.blockedURI.startsWith(new URL(now.preview).origin)) deed.value = { ...now, moved: true };
  };
  addEventListener("focus", back);
  document.addEventListener("visibilitychange", back);
  document.addEventListener("securitypolicyviolation", refused);
  void read();
  return () => {
    over = true;
    clearTimeout(look);
    off();
    removeEventListener("focus", back);
    document.removeEventListener("visibilitychange", back);
    document.removeEventListener("securitypolicyviolation", refused);
  };
}
