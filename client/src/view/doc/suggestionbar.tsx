import { useEffect, useId, useRef } from "preact/hooks";
import type { OpenDialog } from "../../state/dialog.ts";
import type { OpenDoc } from "../../state/doc.ts";
import { alone, focusByHand } from "../../state/keys.ts";
import { toast } from "../../state/toast.ts";
import { callKey } from "../../text/callkey.ts";
import { lastId } from "../../text/items.ts";
import { asking, passage as say } from "../../text/strings.ts";
import { useAct } from "../parts/act.ts";
import { useKey } from "../parts/usekey.ts";
import { scrollByUs, scrollerOf, shownIn, useSettled } from "../parts/still.ts";
import type { Placed } from "../../state/beside.ts";
import { cardOf } from "./suggestion.tsx";

/** SuggestionBar counts the suggestions of a doc and leads from one to the next. All are allowed at once only where each was in view. */
export function SuggestionBar({ doc, all, whole, at, setAt }: { doc: OpenDoc; all: Placed[]; whole: ReadonlySet<string>; at: string; setAt: (key: string) => void }) {
  const { act, busy } = useAct();
  const acts = useRef<HTMLDivElement>(null);
  const why = useId();
  const { settled, onClickCapture } = useSettled(acts, all.map((o) => o.key).join());
  const now = Math.max(0, all.findIndex((o) => o.key === at));
  const show = (o: Placed) => {
    setAt(o.key);
    if (o.inText) {
      doc.editor?.showSuggested(o.key);
      requestAnimationFrame(() => requestAnimationFrame(() => clear(cardIn(o))));
    } else cardOf(o.key)?.scrollIntoView({ block: "nearest" });
  };
  const step = (by: number) => () => show(all[(now + by + all.length) % all.length]!);
  // The card may be drawn only once its place is in view.
  useKey("question", () => {
    const one = all[now]!;
    show(one);
    requestAnimationFrame(() => requestAnimationFrame(() => {
      const card = cardIn(one);
      if (card === null) return;
      focusByHand(card);
      card.focus({ preventScroll: true });
    }));
  });
  // The one that is named is in view, unless none is: what the human scrolled to, or put the focus into.
  const named = useRef({ all, now });
  named.current = { all, now };
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = () => {
      clearTimeout(timer);
      timer = setTimeout(() => {
        const { all, now } = named.current;
        if (all[now] && inSight(cardIn(all[now]))) return;
        const other = all.find((o) => inSight(cardIn(o)));
        if (other) setAt(other.key);
      }, PAUSE);
    };
    const focused = (e: Event) => {
      const card = (e.target as Element).closest<HTMLElement>(".approval"), one = named.current.all.find((o) => card !== null && cardIn(o) === card);
      if (one) setAt(one.key);
    };
    look();
    addEventListener("scroll", look, { capture: true, passive: true });
    addEventListener("focusin", focused);
    return () => {
      clearTimeout(timer);
      removeEventListener("scroll", look, { capture: true });
      removeEventListener("focusin", focused);
    };
  }, [all]);
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
      {all.length > 1 && <button class={`allow${all.some((o) => o.call.target?.stale) ? " vain" : ""}`} disabled={left.length > 0 || busy.value} aria-describedby={left.length > 0 ? why : undefined} onClick={allowAll}>{say.allowAll(all.length)}</button>}
      {all.length > 1 && <span class={`quiet${left.length > 0 ? "" : " away"}`} id={why}>{say.firstSee}</span>}
    </div>
  );
}

// How long in ms the text rests before the one in view is named.
const PAUSE = 150;

function cardIn(o: Placed): HTMLElement | null {
  return o.inText ? [...document.querySelectorAll<HTMLElement>(".cm-content .approval")].find((e) => e.dataset["call"] === callKey(o.call)) ?? null : cardOf(o.key);
}

function inSight(card: HTMLElement | null): boolean {
  const around = scrollerOf(card);
  if (card === null || around === null) return false;
  const r = card.getBoundingClientRect(), v = shownIn(around);
  return r.height > 0 && Math.min(r.bottom, v.bottom) - Math.max(r.top, v.top) >= Math.min(r.height, v.height) / 2;
}

// Scrolls a card in the text up from behind what lies over its foot.
function clear(card: HTMLElement | null): void {
  const around = scrollerOf(card);
  if (card === null || around === null) return;
  const r = card.getBoundingClientRect(), v = shownIn(around), by = Math.min(r.bottom - v.bottom, r.top - v.top);
  if (by > 0) scrollByUs(card, () => { around.scrollTop += by; });
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
