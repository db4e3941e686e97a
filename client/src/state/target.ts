import { signal, type ReadonlySignal } from "@preact/signals";
import type { Call } from "../types.ts";
import { callKey } from "../text/callkey.ts";
import { READING, type Before } from "../text/file.ts";
import { pauseAfter } from "../text/pause.ts";
import { api } from "./api.ts";
import type { OpenDialog } from "./dialog.ts";

type Kept = { before: ReadonlySignal<Before>; again: () => void };

const kept = new WeakMap<OpenDialog, Map<string, Kept>>();

// How often a file is read that is not the one of the call.
const TRIES = 4;

/**
 * targetOf reads what the file holds that a waiting call would change. It is the file
 * of the hash that an approval is bound to: where another stands there by now, the dialog
 * is read again, which tells that one's hash.
 */
export function targetOf(d: OpenDialog, call: Call): Kept {
  const all = kept.get(d) ?? new Map<string, Kept>();
  kept.set(d, all);
  const key = callKey(call);
  let k = all.get(key);
  if (k === undefined) {
    k = read(d, call);
    all.set(key, k);
  }
  return k;
}

function read(d: OpenDialog, call: Call): Kept {
  const before = signal<Before>({ is: "none" });
  const waits = () => d.pending.peek().some((c) => callKey(c) === callKey(call));
  const again = async (n = 1): Promise<void> => {
    before.value = READING;
    try {
      const now = await api.target(d.project, d.id, call.id);
      if (now.exists === call.target?.exists && now.sha256 === call.target.sha256) {
        before.value = now.content === undefined ? { is: "unshown" } : { is: "text", text: now.content };
        return;
      }
    } catch {
      before.value = { is: "failed" };
      return;
    }
    // The dialog may not be readable just now, or the file is the call's again by then.
    await d.refresh();
    if (!waits()) return;
    if (n === TRIES) before.value = { is: "failed" };
    else setTimeout(() => void again(n + 1), pauseAfter(n));
  };
  if ((call.tool === "write_file" || call.tool === "edit_file") && call.target?.exists) void again();
  return { before, again: () => void again() };
}
