import { signal, type ReadonlySignal } from "@preact/signals";
import type { Call, FileChange } from "../types.ts";
import { callKey } from "../text/callkey.ts";
import type { Side } from "../text/tried.ts";
import { api, ApiError } from "./api.ts";
import type { OpenDialog } from "./dialog.ts";

/** Sides reads what a tried command changed, each side of a change once. */
export interface Sides {
  /** grows when all that was asked for is read: the card is drawn once, and moves once */
  read: ReadonlySignal<number>;
  side: (c: FileChange, side: "before" | "after") => Side;
  /** reads again what could not be read */
  again: () => void;
}

const kept = new WeakMap<OpenDialog, Map<string, Sides>>();

/** sidesOf returns what reads the changes of a tried command, for as long as its dialog is open. */
export function sidesOf(d: OpenDialog, call: Call): Sides {
  const all = kept.get(d) ?? new Map<string, Sides>();
  kept.set(d, all);
  const key = callKey(call);
  const sides = all.get(key) ?? reader(d, call);
  all.set(key, sides);
  return sides;
}

// A browser opens six connections to a host; these leave some for what the human does.
const AT_ONCE = 3;

function reader(d: OpenDialog, call: Call): Sides {
  const read = signal(0);
  const sides = new Map<string, Side>();
  const due: (() => Promise<void>)[] = [];
  let running = 0;
  const next = () => {
    for (; running < AT_ONCE && due.length > 0; running++) void due.shift()!().finally(ended);
  };
  const ended = () => {
    running--;
    next();
    if (running === 0) read.value++;
  };
  return {
    read,
    side: (c, side) => {
      const key = `${side} ${c.path}`, known = sides.get(key);
      if (known !== undefined) return known;
      const reading: Side = { is: "reading" };
      sides.set(key, reading);
      due.push(async () => void sides.set(key, await readSide(d, call, c, side)));
      next();
      return reading;
    },
    again: () => {
      for (const [key, s] of sides) if (s.is === "failed") sides.delete(key);
      read.value++;
    },
  };
}

async function readSide(d: OpenDialog, call: Call, c: FileChange, side: "before" | "after"): Promise<Side> {
  try {
    const picture = await (await api.effect(d.project, d.id, call.id, c.path, side)).blob();
    if (picture.type.startsWith("image/")) return { is: "picture", picture };
    const text = textIn(await picture.arrayBuffer());
    return text === null ? { is: "data", bytes: picture.size } : { is: "text", text };
  } catch (e) {
    const { status } = e as ApiError;
    if (status === 413) return { is: "large" };
    if (status === 404 || status === 409) void d.refresh(); // it may have been decided elsewhere
    return { is: "failed" };
  }
}

function textIn(bytes: ArrayBuffer): string | null {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    return text.includes("\0") ? null : text;
  } catch {
    return null; // no UTF-8
  }
}
