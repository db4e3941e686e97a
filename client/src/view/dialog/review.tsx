import { useSignal } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { OpenDialog } from "../../state/dialog.ts";
import { Review as Reviewed } from "../../state/review.ts";
import { lastPressed } from "../../state/pressed.ts";
import { announce, toast } from "../../state/toast.ts";
import { changedIn } from "../../state/undo.ts";
import { review as say } from "../../text/strings.ts";
import { Icon } from "../parts/icon.tsx";
import { Reveal } from "../parts/reveal.tsx";
import { uncovered } from "../parts/still.ts";
import { useKey } from "../parts/usekey.ts";
import { ReviewFile, Strays } from "./reviewfile.tsx";

interface Props { dialog: OpenDialog; turn: string; onClose: () => void }

/** Review shows all that a turn changed, over the dialog: each hunk can be taken back, and each line commented on. */
export function Review({ dialog: d, turn, onClose }: Props) {
  const [r] = useState(() => new Reviewed(d, turn));
  const box = useRef<HTMLElement>(null);
  const at = useSignal(-1);
  // What is taken back here or in another tab, and what an undo brings back, is told by a Note.
  const undos = d.sections.value.filter((s) => s.role === "Note" && s.meta?.["Kind"] === "undo").length;
  useEffect(() => void r.read(), [undos]);
  useEffect(() => () => r.close(), []);
  useCover(box);
  const hunks = () => [...box.current!.querySelectorAll<HTMLElement>(".hunk")];
  const go = (by: 1 | -1) => {
    const all = hunks();
    const here = all.findIndex((h) => h.contains(document.activeElement));
    const to = all[here < 0 ? (at.value < 0 ? 0 : at.value + by) : here + by];
    to?.focus({ preventScroll: true });
    to?.scrollIntoView({ block: "nearest" });
  };
  useKey("below", () => go(1));
  useKey("above", () => go(-1));
  const send = () => {
    if (!r.send()) return toast(say.noRoom);
    announce(say.sent);
    onClose();
  };
  const escape = (e: KeyboardEvent) => {
    if (e.key !== "Escape" || e.defaultPrevented) return;
    e.preventDefault();
    e.stopPropagation();
    onClose();
  };
  const all = r.changes.value, n = r.count.value;
  const total = (all ?? []).reduce((sum, c) => sum + c.hunks.length, 0);
  const files = r.files.value.length;
  const straying = [...new Set(r.strays.value.map((s) => s.path))].filter((path) => !r.files.value.some((f) => f.path === path));
  return (
    <section class="review" ref={box} role="region" aria-label={say.name} tabIndex={-1} onKeyDown={escape} onFocusIn={(e) => {
      const here = hunks().findIndex((h) => h.contains(e.target as Node));
      if (here >= 0) at.value = here; // of the buttons above it is that before
    }}>
      <header>
        <h1>{say.changed(all === null ? changedIn(d, turn) : files)}</h1>
        {total > 0 && <span class="quiet where">{at.value < 0 ? say.count(total) : say.at(at.value + 1, total)}</span>}
        <span class="spread" />
        <button type="button" disabled={total === 0} title={say.previousAbout} aria-keyshortcuts="k" onClick={() => go(-1)}>{say.previous}</button>
        <button type="button" disabled={total === 0} title={say.nextAbout} aria-keyshortcuts="j" onClick={() => go(1)}>{say.next}</button>
        <button type="button" class="primary" disabled={n === 0 || (all === null && r.trouble.value === "")} title={say.sendAbout(n)} onClick={send}>{say.send}</button>
        <button type="button" class="icon-button" aria-label={say.close} title={say.close} onClick={onClose}><Icon name="cross" /></button>
      </header>
      <div class="files">
        {r.trouble.value !== "" && <p class="error" role="alert">{r.trouble.value} <button type="button" onClick={() => void r.read()}>{say.again}</button></p>}
        {all === null && r.trouble.value === "" && <p class="quiet" role="status">{say.reading}</p>}
        {all !== null && all.length === 0 && <p class="quiet">{say.none}</p>}
        {(all !== null || r.trouble.value !== "") && straying.map((path) => <section class="reviewed" key={path} aria-label={path}><h2><Reveal text={path} /></h2><Strays all={r.strays.value.filter((s) => s.path === path)} review={r} /></section>)}
        {r.files.value.map((f) => <ReviewFile key={f.path} file={f} review={r} />)}
      </div>
    </section>
  );
}

/** useCover takes what lies below out of reach as long as its element covers it, and gives the focus back. */
function useCover(box: { current: HTMLElement | null }): void {
  useLayoutEffect(() => {
    const el = box.current!;
    const at = document.activeElement as HTMLElement | null;
    const before = at === null || at === document.body ? lastPressed() : at;
    const below = [...el.parentElement!.children].filter((c): c is HTMLElement => c !== el && !(c as HTMLElement).inert);
    const hide = (on: boolean) => {
      for (const c of below) {
        c.inert = on;
        if (on) c.setAttribute("aria-hidden", "true");
        else c.removeAttribute("aria-hidden");
      }
    };
    hide(true);
    el.focus();
    return () => {
      hide(false);
      uncovered();
      const to = before?.isConnected ? before : document.querySelector<HTMLElement>(".log");
      to?.focus({ preventScroll: true });
    };
  }, []);
}
