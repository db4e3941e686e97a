import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { OpenDialog } from "../state/dialog.ts";
import { loadModels, models } from "../state/project.ts";
import { toast } from "../state/toast.ts";
import { ModelPicker, rememberTarget, type Target } from "./modelpicker.tsx";

/** Composer is where the next message is written. What is typed outlives the tab. */
export function Composer({ dialog: d }: { dialog: OpenDialog }) {
  const key = `vibey.message/${d.project}/${d.id}`;
  const text = useSignal(localStorage.getItem(key) ?? "");
  const chosen = useSignal<Target | null>(null);
  const box = useRef<HTMLTextAreaElement>(null);
  useEffect(() => { if (models.value === null) loadModels().catch(() => undefined); }, []);
  const status = d.status.value;
  const asks = d.pending.value.length > 0;
  const off = status === "active" || asks || d.busy.value || !d.loaded.value;
  const now: Target = { provider: d.provider.value, model: d.model.value };
  const target = chosen.value ?? now;
  useEffect(() => {
    if (!off && matchMedia("(min-width: 45rem)").matches && document.activeElement === document.body) box.current?.focus();
  }, [off]);
  useEffect(() => grow(box.current), [text.value]);
  const write = (t: string) => {
    text.value = t;
    try {
      if (t === "") localStorage.removeItem(key);
      else localStorage.setItem(key, t);
    } catch {
      // a full storage keeps no message over a reload; nothing else is harmed
    }
  };
  const send = async () => {
    const said = text.value;
    if (off || said.trim() === "") return;
    write("");
    const changed = target.provider !== now.provider || target.model !== now.model;
    try {
      await d.send(said, changed ? { provider: target.provider, ...(target.model === "" ? {} : { model: target.model }) } : {});
      if (changed) rememberTarget(target);
      chosen.value = null;
    } catch (e) {
      write(said);
      toast((e as Error).message);
    }
  };
  const hint = asks ? "Answer above first." : status === "active" ? "It is writing. Stop it to write something yourself." : status === "done" ? "Write here to wake this dialog." : "Write here what you want.";
  return (
    <form class="composer" onSubmit={(e) => { e.preventDefault(); void send(); }}>
      <div class="column">
        <textarea
          ref={box} rows={2} aria-label="Message" placeholder={hint} disabled={off} dir="auto" value={text.value}
          onInput={(e) => write(e.currentTarget.value)}
          onKeyDown={(e) => {
            if (e.key === "Enter" && (e.ctrlKey || e.metaKey)) {
              e.preventDefault();
              void send();
            }
          }}
        />
        <div class="under">
          {target.provider !== "" && <ModelPicker compact value={target} disabled={off} onChange={(t) => (chosen.value = t)} />}
          <span class="spread" />
          <kbd aria-hidden="true">Ctrl ↵</kbd>
          <button class="primary" disabled={off || text.value.trim() === ""} aria-keyshortcuts="Control+Enter">Send</button>
        </div>
      </div>
    </form>
  );
}

function grow(el: HTMLTextAreaElement | null): void {
  if (!el) return;
  el.style.height = "auto";
  el.style.height = `${Math.min(el.scrollHeight + 2, innerHeight * 0.4)}px`;
}
