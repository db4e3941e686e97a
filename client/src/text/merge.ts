import type { Section } from "../types.ts";

const SENDING = "sending";

/** sending returns a human's message as a section, shown before the server has stored it. */
export function sending(prompt: string, now: string): Section {
  return {
    role: "User", id: "", time: `${now} - `, resources: { in: 0, out: 0, total: 0, tools: 0, ms: 0 },
    meta: { [SENDING]: "yes" }, payloads: [{ type: "input/markdown", text: prompt }],
  };
}

/** isSending reports whether a section is such a message. */
export function isSending(s: Section): boolean { return s.meta?.[SENDING] === "yes"; }

/**
 * mergeSections adds the sections of a stream. One that came before is replaced, and a
 * message that was shown before it was stored is replaced by the stored one. A section
 * without an id, such as hand-written text, is always new.
 */
export function mergeSections(all: Section[], more: Section[]): Section[] {
  const out = all.slice();
  const at = new Map<string, number>();
  const index = () => out.forEach((s, i) => at.set(`${s.role}/${s.id}`, i));
  index();
  for (const s of more) {
    const key = `${s.role}/${s.id}`;
    const old = s.id === "" ? undefined : at.get(key);
    if (old !== undefined) {
      out[old] = s;
      continue;
    }
    const own = s.role === "User" ? out.findIndex(isSending) : -1;
    if (own >= 0) {
      out.splice(own, 1);
      at.clear();
      index();
    }
    at.set(key, out.length);
    out.push(s);
  }
  return out;
}
