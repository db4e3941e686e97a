import { useId, useRef, useState } from "preact/hooks";
import type { OpenDialog } from "../../state/dialog.ts";
import type { OpenDoc } from "../../state/doc.ts";
import { alone, focusByHand } from "../../state/keys.ts";
import { toast } from "../../state/toast.ts";
import { callKey } from "../../text/callkey.ts";
import { lastId } from "../../text/items.ts";
import { asking, passage as say } from "../../text/strings.ts";
import { useAct } from "../parts/act.ts";
import { useKey } from "../parts/usekey.ts";
import { useSettled } from "../parts/still.ts";
import type { Placed } from "../../state/beside.ts";
import { cardOf } from "./suggestion.tsx";

/** SuggestionBar counts the suggestions of a doc and leads from one to the next. All are allowed at once only where each was in view. */
export function SuggestionBar({ doc, all, whole }: { doc: OpenDoc; all: Placed[]; whole: ReadonlySet<string> }) {
  const [at, setAt] = useState("");
  const { act, busy } = useAct();
  const acts = useRef<HTMLDivElement>(null);
  const why = useId();
  const { settled, onClickCapture } = useSettled(acts, all.map((o) => o.key).join());
  const now = Math.max(0, all.findIndex((o) => o.key === at));
  const show = (o: Placed) => {
    setAt(o.key);
    if (o.inText) doc.editor?.showSuggested(o.key);
    else cardOf(o.key)?.scrollIntoView({ block: "nearest" });
  };
  const step = (by: number) => () => show(all[(now + by + all.length) % all.length]!);
  // The card may be drawn only once its place is in view.
  useKey("question", () => {
    const one = all[now]!;
    show(one);
    requestAnimationFrame(() => requestAnimationFrame(() => {
      const card = one.inText ? [...document.querySelectorAll<HTMLElement>(".cm-content .approval")].find((e) => e.dataset["call"] === callKey(one.call)) ?? null : cardOf(one.key);
      if (card === null) return;
      focusByHand(card);
      card.focus({ preventScroll: true });
    }));
  });
  const left = all.filter((o) => !whole.has(o.key));
  const allowAll = (e: MouseEvent) => {
    if (left.length > 0) return toast(say.firstSee);
    if (e.detail === 0 && !alone()) return toast(asking.typedOn);
    void act(() => allow(all));
  };
  return (
    <div class="suggestion-bar" role="group" aria-label={say.suggestions} ref={acts} aria-disabled={!settled} onClickCapture={onClickCapture}>
      <span role="status">{say.at(now + 1, all.length)}</span>
      <button onClick={step(-1)}>{say.previous}</button>
      <button onClick={step(1)}>{say.next}</button>
      {all.length > 1 && <button class="allow" disabled={left.length > 0 || busy.value} aria-describedby={left.length > 0 ? why : undefined} onClick={allowAll}>{say.allowAll(all.length)}</button>}
      {all.length > 1 && <span class={`quiet${left.length > 0 ? "" : " away"}`} id={why}>{say.firstSee}</span>}
    </div>
  );
}

// One dialog after the other: what the first one changes, the next one's approval is bound to.
async function allow(all: Placed[]): Promise<void> {
  const dialogs = new Map<OpenDialog, Placed[]>();
  for (const o of all) dialogs.set(o.dialog, [...(dialogs.get(o.dialog) ?? []), o]);
  let first = true;
  for (const [dialog, ones] of dialogs) {
    if (!first) await dialog.refresh();
    first = false;
    const calls = ones.map((o) => dialog.pending.peek().find((c) => c.id === o.call.id && c.sha256 === o.call.sha256) ?? o.call);
    await dialog.decide(calls.map((call) => ({ call, verdict: "approve" as const })), [], lastId(dialog.sections.peek()));
  }
}
