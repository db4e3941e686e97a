import { useEffect, useRef } from "preact/hooks";
import type { OpenDialog } from "../../state/dialog.ts";
import { announce } from "../../state/toast.ts";
import type { Call } from "../../types.ts";
import { callWords } from "../../text/calls.ts";
import { readInput } from "../../text/input.ts";
import { outcomeOf } from "../../text/outcome.ts";
import { told } from "../../text/strings.ts";

/** useTold tells a screen reader what came of each call that waited, once its result is there. */
export function useTold(d: OpenDialog): void {
  const waited = useRef(new Map<string, Call>());
  const pending = d.pending.value, sections = d.sections.value;
  useEffect(() => {
    for (const c of pending) waited.current.set(c.id, c);
    const words: string[] = [];
    for (let i = sections.length - 1; i >= 0 && waited.current.size > 0; i--) {
      const s = sections[i]!, call = s.role === "Tool Result" ? waited.current.get(s.id) : undefined;
      if (call === undefined) continue;
      waited.current.delete(s.id);
      const { verb, object } = callWords(call.tool, readInput(call.inputText).fields);
      const { state } = outcomeOf(call.tool, call.inputText, s);
      words.unshift(told.call(verb[state], object));
    }
    if (words.length > 0) announce(words.join(" "));
  }, [pending, sections]);
}
