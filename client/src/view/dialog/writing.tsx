import { useLayoutEffect, useRef } from "preact/hooks";
import type { OpenDialog } from "../../state/dialog.ts";
import { modelName } from "../../text/names.ts";
import { log } from "../../text/strings.ts";
import { clean } from "../parts/html.ts";
import { morph } from "./morph.ts";
import { selectionIn } from "./selection.ts";

/**
 * Writing shows the response that is being written: blocks as they are closed, and the rest
 * as it grows. Its height only grows, so that what is read does not move; the answer that it
 * becomes takes the height over.
 */
export function Writing({ d, onGrow }: { d: OpenDialog; onGrow: () => void }) {
  return d.status.value === "active" && d.pending.value.length === 0 ? <Open d={d} onGrow={onGrow} /> : null;
}

function Open({ d, onGrow }: { d: OpenDialog; onGrow: () => void }) {
  const open = d.open.value;
  const box = useRef<HTMLDivElement>(null);
  const drawn = useRef<string[]>([]);
  const width = useRef(0);
  // The answer is drawn a moment after this is gone, and the selection with it.
  const selected = useRef<((answer: Element) => void) | null>(null);
  useLayoutEffect(() => () => { if (box.current !== null) selected.current = selectionIn(box.current); }, []);
  useLayoutEffect(() => {
    const el = box.current;
    if (el === null) return;
    if (open === null) {
      drawn.current = [];
      el.replaceChildren();
      el.style.minBlockSize = "";
      return;
    }
    draw(el, drawn.current, [...open.blocks, open.tail], d.project);
    drawn.current = [...open.blocks, open.tail];
    if (width.current !== el.offsetWidth) el.style.minBlockSize = ""; // the same text has another height
    width.current = el.offsetWidth;
    const height = el.offsetHeight;
    el.style.minBlockSize = `${height}px`;
    d.wrote = { height, width: el.offsetWidth, select: () => (el.isConnected ? selectionIn(el) : getSelection()?.isCollapsed ? selected.current : null) };
    onGrow();
  }, [open]);
  return (
    <article class={`turn agent tail${open === null ? " rest" : ""}`} aria-label={log.writer(modelName(d.model.value))}>
      <header><b>{modelName(d.model.value)}</b> <span class="quiet">{open !== null ? log.writing : d.starting.value ? log.starting : log.atWork}</span></header>
      <div class={`prose open-text${open === null ? " still" : ""}`} dir="auto" ref={box} />
    </article>
  );
}

function draw(el: HTMLElement, old: string[], now: string[], project: string): void {
  now.forEach((html, i) => {
    if (html === old[i] && el.children[i]) return;
    let part = el.children[i];
    if (!part) {
      part = document.createElement("div");
      part.className = "block";
      el.appendChild(part);
    }
    morph(part, clean(html, project));
  });
  while (el.children.length > now.length) el.lastElementChild!.remove();
}
