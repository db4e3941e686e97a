import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { OpenDialog } from "../../state/dialog.ts";
import { sectionsOf, type Item } from "../../text/items.ts";
import { wordsOf } from "../../text/stretch.ts";
import { summary as say } from "../../text/strings.ts";
import { useAct } from "../parts/act.ts";
import { Rich } from "../parts/rich.tsx";
import { scrollByUs, useSettled } from "../parts/still.ts";

/** SummaryView shows that a Summary stands for the turns within it, which can still be read: draw draws an entry of them. */
export function SummaryView({ item, dialog: d, draw }: { item: Item & { kind: "summary" }; dialog: OpenDialog; draw: (i: Item) => ComponentChildren }) {
  const { act, busy } = useAct();
  const opened = useSignal(false);
  const acts = useRef<HTMLSpanElement>(null);
  const { settled, onClickCapture } = useSettled(acts);
  const words = say.shorter(item.first, item.last);
  const box = useRef<HTMLElement>(null);
  useEffect(() => {
    if (!d.summing) return;
    d.summing = false;
    scrollByUs(box.current!, () => box.current!.scrollIntoView({ block: "center" }));
    box.current!.closest(".scroll")?.dispatchEvent(new Event("scroll")); // the log keeps this position from now on
  }, []);
  const works = d.status.value === "active";
  return (
    <section class="summary" ref={box} aria-label={words}>
      <p class="head">
        <b>{words}</b>
        <span ref={acts} role="group" aria-label={say.name} aria-disabled={!settled} onClickCapture={onClickCapture}>
          <button disabled={busy.value || works} title={works ? say.stopFirst : say.readsAgain} onClick={() => void act(() => d.undoSummary(item.section.id))}>{say.undo}</button>
        </span>
      </p>
      <details class="aside"><summary>{say.inPlace}</summary><Rich html={item.section.html} text={item.text} project={d.project} /></details>
      <details class="aside folded" data-section={sectionsOf(item.items)} onToggle={(e) => { if (e.currentTarget.open) opened.value = true; }}>
        <summary>{say.asWas(item.first, item.last)}</summary>
        {/* Nothing of it is fetched before it is opened; its words are there for the browser to find. */}
        {opened.value
          ? <div class="items">{item.items.map(draw)}</div>
          : <div class="items prose plain">{wordsOf({ at: 0, items: item.items })}</div>}
      </details>
    </section>
  );
}
