import { signal } from "@preact/signals";
import type { DeedFile } from "../types.ts";
import { stampOf } from "../text/deed.ts";
import { api } from "./api.ts";
import { onChange } from "./project.ts";

/** What is known of the deed in view; files is null before it was read. */
export const deed = signal<{ files: DeedFile[] | null; preview: string; failed: string; /** counts the changes that were seen */ version: number }>({ files: null, preview: "", failed: "", version: 0 });

// The pause between two readings: agents append to dialogs many times a second.
const PAUSE = 1000;

/** followDeed reads the files of a project's deed, and again where something changed, until the returned function is called. */
export function followDeed(project: string): () => void {
  let over = false, busy = false, again = false;
  deed.value = { files: null, preview: "", failed: "", version: 0 };
  const read = async () => {
    if (busy) {
      again = true;
      return;
    }
    busy = true;
    try {
      const preview = deed.peek().preview || (await api.preview(project)).url;
      const files = await api.deed(project);
      if (over) return;
      const now = deed.peek();
      const same = now.files !== null && stampOf(now.files) === stampOf(files);
      if (!same) deed.value = { files, preview, failed: "", version: now.version + 1 };
    } catch (e) {
      if (!over) deed.value = { ...deed.peek(), failed: (e as Error).message };
    } finally {
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
  const back = () => { if (!document.hidden) void read(); };
  addEventListener("focus", back);
  void read();
  return () => {
    over = true;
    off();
    removeEventListener("focus", back);
  };
}
