import type { Call, Changed, DialogView, Frame, Governor, Needs, Section, Status } from "../types.ts";
import { AGENTS } from "./names.ts";
import { failureOf, failureWords, type Failure } from "./failure.ts";
import { mergeSections } from "./merge.ts";
import { continues, stops } from "./notes.ts";

/** The response that is being written: the html of blocks that are closed, and of the rest. */
export interface Open {
  blocks: string[];
  tail: string;
}

/** All that a window knows of one dialog. */
export interface Known {
  /** the sections that were read, without a gap up to the last one */
  sections: Section[];
  /** how many stand before them and were not read yet */
  earlier: number;
  pending: Call[];
  status: Status | null;
  needs: Needs;
  filename: string;
  title: string;
  /** what answers the next message; "" before `headed`, and where damage took it from the file */
  provider: string;
  model: string;
  /** the model that answered until a message named another */
  began: string;
  /** the header was read */
  headed: boolean;
  governor: Governor | null;
  open: Open | null;
  /** the agent that is to answer starts, which takes long */
  starting: boolean;
  /** why the last turn failed; null where it did not */
  failure: Failure | null;
  /** the sections on file were read, or can't be */
  loaded: boolean;
  gone: boolean;
  /** grows with each change: an answer that was asked for before one is stale */
  epoch: number;
  /** how often frames told of budget and phase */
  told: number;
}

export const UNKNOWN: Known = {
  sections: [], earlier: 0, pending: [], status: null, needs: "none", filename: "", title: "", provider: "", model: "", began: "", headed: false,
  governor: null, open: null, starting: false, failure: null, loaded: false, gone: false, epoch: 0, told: 0,
};

/** What happens to a dialog: frames and answers of the server, and acts of the human. */
export type Act =
  /** its last sections, and how it stands */
  | { is: "opened"; view: DialogView }
  /** sections before those that were read */
  | { is: "earlier"; from: number; sections: Section[] }
  /** how it stands, as it was asked for at an epoch */
  | { is: "head"; view: DialogView; epoch: number; told: number }
  | { is: "frames"; frames: Frame[] }
  /** the human's message, which is on its way */
  | { is: "sending"; section: Section }
  /** it was refused */
  | { is: "unsent"; section: Section; status: Status | null }
  /** calls were answered */
  | { is: "decided"; ids: Set<string> }
  | { is: "undecided"; pending: Call[] }
  /** a PUT was answered, by JSON or by a turn that began */
  | { is: "changed"; by: Changed | null }
  | { is: "models"; provider?: string; model?: string }
  | { is: "failed"; failure: Failure | null }
  | { is: "gone" }
  | { is: "forgotten" };

/** fold returns what is known after an act. It has no effect: what an act calls for is read from its frames. */
export function fold(k: Known, act: Act): Known {
  switch (act.is) {
    case "opened": {
      const v = act.view;
      return settle({ ...head(k, v), sections: mergeSections([], v.sections), earlier: v.from ?? 0, governor: v.governor ?? null, loaded: true, failure: null, open: null }, v.status, v.needs, v.pending ?? []);
    }
    case "earlier":
      if (act.from + act.sections.length !== k.earlier) return k;
      return { ...k, earlier: act.from, sections: [...act.sections, ...k.sections] };
    case "head": {
      const fresh = act.told === k.told;
      const next = { ...head(k, act.view), governor: govern(k.governor, act.view.governor ?? null, fresh) };
      if (act.epoch !== k.epoch) return { ...next, filename: k.filename };
      // What another tab has decided is not listed any more, also while it runs.
      const listed = new Set((act.view.pending ?? []).map((c) => c.id));
      const pending = act.view.status === "active" ? k.pending.filter((c) => listed.has(c.id)) : act.view.pending ?? [];
      return settle(next, act.view.status, act.view.needs, pending);
    }
    case "frames": {
      // Sections that arrive together are merged at once.
      let sections: Section[] = [];
      const flush = () => {
        if (sections.length > 0) k = grown(k, sections);
        sections = [];
      };
      for (const f of act.frames) {
        if (f.type === "section") {
          sections.push(f.section);
          continue;
        }
        flush();
        k = framed(k, f);
      }
      flush();
      return k;
    }
    case "sending":
      return { ...k, sections: [...k.sections, act.section], status: "active", failure: null };
    case "unsent":
      return { ...k, sections: k.sections.filter((s) => s !== act.section), status: act.status };
    case "decided":
      return { ...k, pending: k.pending.filter((c) => !act.ids.has(c.id)), failure: null };
    case "undecided": {
      // The answer may have been taken although nothing was heard of it: what has a result waits no more.
      const done = new Set(k.sections.filter((s) => s.role === "Tool Result").map((s) => s.id));
      const now = new Set(k.pending.map((c) => c.id));
      return { ...k, pending: [...act.pending.filter((c) => !done.has(c.id) && !now.has(c.id)), ...k.pending] };
    }
    case "changed":
      if (act.by === null) return { ...k, epoch: k.epoch + 1, status: "active", needs: "none", failure: null };
      return settle({ ...k, epoch: k.epoch + 1, filename: act.by.filename }, act.by.status, act.by.needs, act.by.pending ?? k.pending);
    case "models":
      return { ...k, provider: act.provider ?? k.provider, model: act.model ?? k.model };
    case "failed":
      return { ...k, failure: act.failure };
    case "gone":
      return { ...k, gone: true, loaded: true };
    case "forgotten":
      return { ...UNKNOWN, epoch: k.epoch + 1 };
  }
}

function framed(k: Known, f: Exclude<Frame, { type: "section" }>): Known {
  switch (f.type) {
    case "open": {
      const before = f.from === 0 ? [] : k.open?.blocks.slice(0, f.from) ?? [];
      return { ...k, epoch: k.epoch + 1, status: "active", needs: "none", failure: null, starting: false, open: { blocks: [...before, ...f.blocks], tail: f.tail } };
    }
    case "reset":
      return { ...k, sections: [], earlier: 0, open: null };
    case "tool_request":
      return settle({ ...k, epoch: k.epoch + 1, filename: f.filename || k.filename, open: null, failure: null }, "waiting", "approval",
        f.toolCalls.map(({ name, ...c }) => ({ ...c, tool: name })));
    case "done":
      return settle({ ...k, epoch: k.epoch + 1, filename: f.filename || k.filename, open: null }, f.status, f.needs, []);
    case "error":
      if (f.kind === "refused") return f.status === 404 ? { ...k, gone: true, loaded: true } : k;
      if (f.kind === "slow") return k; // the stream alone ended, and the server begins it again
      return { ...settle({ ...k, epoch: k.epoch + 1, open: null }, "waiting", "continue", []), failure: { ...failureWords(f.kind, f.message, k.provider === AGENTS), raw: f.message, ...(f.kind === "internal" ? { unsure: true } : {}) } };
    case "budget":
      return { ...k, told: k.told + 1, governor: k.governor && { ...k.governor, budget: { used: f.used, limit: f.limit } } };
    case "phase":
      return { ...k, told: k.told + 1, governor: k.governor && { ...k.governor, phase: f.phase, label: f.label } };
    case "note":
      return f.kind === "starting" || f.kind === "ready" ? { ...k, starting: f.kind === "starting" } : k; // else a control that was not understood
    default:
      return k; // a type of a newer server
  }
}

function grown(k: Known, more: Section[]): Known {
  const results = new Set(more.filter((s) => s.role === "Tool Result").map((s) => s.id));
  return {
    ...k, loaded: true, gone: false, starting: false,
    sections: mergeSections(k.sections, more),
    pending: results.size > 0 ? k.pending.filter((c) => !results.has(c.id)) : k.pending,
    // The response has become a section.
    open: more.some((s) => s.role === "Assistant") ? null : k.open,
    failure: k.failure?.unsure || more.some((s) => s.role === "User" || s.role === "Assistant") ? null : k.failure,
  };
}

// What the header tells.
function head(k: Known, v: DialogView): Known {
  return { ...k, headed: true, filename: v.filename, title: v.title ?? k.title, provider: v.provider ?? k.provider, model: v.model ?? k.model, began: v.began ?? k.began };
}

// The dialog stands so. A turn that failed has left a Note that says why.
function settle(k: Known, status: Status, needs: Needs, pending: Call[]): Known {
  const open = status === "active" ? k.open : null;
  const failure = k.failure?.unsure && needs !== "continue" ? null : k.failure;
  return { ...k, status, needs, pending, open, starting: k.starting && status === "active", failure: failure ?? (needs === "continue" ? failureOf(k.sections, k.provider === AGENTS) : null) };
}

// A frame that came while the head was read is newer than its budget and phase.
function govern(now: Governor | null, read: Governor | null, fresh: boolean): Governor | null {
  if (read === null || now === null || fresh) return read;
  return { ...read, budget: now.budget, ...(now.phase ? { phase: now.phase, label: now.label ?? "" } : {}) };
}

/** headIsDue reports whether frames tell of something that only the head says in full: a turn that begins or ends, and what begins anew what the governor counts. */
export function headIsDue(frames: Frame[]): boolean {
  return frames.some((f) => f.type === "done" || f.type === "tool_request" || (f.type === "error" && f.kind !== "refused") || (f.type === "section" && begins(f.section)));
}

const TELLING = new Set(["title", "undo", "effect", "summary-undone"]);

function begins(s: Section): boolean {
  return s.role === "User" || s.role === "Authorization" || s.role === "Summary" || stops(s) || continues(s) || (s.role === "Note" && TELLING.has(s.meta?.["Kind"] ?? ""));
}
