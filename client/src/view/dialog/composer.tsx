import { useSignal } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import type { ModelChoice, OpenDialog } from "../../state/dialog.ts";
import { loadModels, models } from "../../state/project.ts";
import { sought } from "../../state/goal.ts";
import { sendMessage } from "../../state/queue.ts";
import { toast } from "../../state/toast.ts";
import { AGENTS } from "../../text/names.ts";
import { together } from "../../text/queue.ts";
import { composer as say } from "../../text/strings.ts";
import { Effort } from "./effort.tsx";
import { isComposer, nothingFocused, toComposer, wide } from "../parts/focus.ts";
import { lastChoice, ModelPicker, rememberChoice } from "../parts/modelpicker.tsx";
import { QueuedMessages } from "./queued.tsx";

/**
 * Composer is the message box. A message that is sent while the agent works or asks
 * waits above it. It is never disabled, since keys that are typed on would act on the
 * page then.
 */
export function Composer({ dialog: d }: { dialog: OpenDialog }) {
  const chosen = useSignal<ModelChoice | null>(null);
  const intent = useSignal("");
  const box = useRef<HTMLTextAreaElement | null>(null);
  useEffect(() => { if (models.value === null) loadModels().catch(() => undefined); }, []);
  const status = d.status.value;
  const asks = d.pending.value.length > 0;
  const now: ModelChoice = { provider: d.provider.value, model: d.model.value };
  // Where damage took the provider from the file, the message must name one.
  const choice = chosen.value ?? (now.provider === "" && d.headed.value ? lastChoice() : now);
  const text = d.message.value, loaded = d.loaded.value;
  useEffect(() => {
    if (loaded && nothingFocused() && wide() && sought.peek() === "") toComposer();
  }, [loaded, status, asks]);
  // What was told to a question that is answered elsewhere is not lost with it. An effect
  // may run when more is known than when it was made: it goes by what is known now.
  const why = d.why.text.value;
  useEffect(() => {
    const told = d.why.text.peek();
    if (!d.loaded.peek() || d.pending.peek().length > 0 || told.trim() === "") return;
    d.write(together(told, d.message.peek()));
    d.why.write("");
  }, [loaded, asks, why]);
  useLayoutEffect(() => grow(box.current), [text]);
  const send = () => {
    if (text.trim() === "") return;
    const other = choice.provider !== now.provider || choice.model !== now.model;
    const to = { ...(other ? { provider: choice.provider, ...(choice.model === "" ? {} : { model: choice.model }) } : {}), ...(intent.value === "" || choice.provider === AGENTS ? {} : { intent: intent.value }) };
    if (!sendMessage(d, text, to)) return toast(say.noRoom);
    d.write("");
    if (other) rememberChoice(choice);
    chosen.value = null;
    intent.value = "";
  };
  const hint = asks ? say.asks : status === "active" ? say.works : status === "done" ? say.wakes : say.write;
  return (
    <form class="composer" onSubmit={(e) => { e.preventDefault(); send(); }}>
      <div class="column">
        <QueuedMessages dialog={d} />
        <textarea
          ref={(el) => { isComposer((box.current = el)); }} rows={2} aria-label={say.name} placeholder={hint} dir="auto" value={text}
          onInput={(e) => d.write(e.currentTarget.value)}
          onKeyDown={(e) => {
            if (e.key === "Enter" && (e.ctrlKey || e.metaKey)) {
              e.preventDefault();
              if (!e.repeat) send();
            }
          }}
        />
        <div class="under">
          {choice.provider !== "" && <ModelPicker compact value={choice} onChange={(t) => (chosen.value = t)} />}
          {choice.provider !== AGENTS && <Effort dialog={d} text={text} value={intent.value} onChange={(i) => (intent.value = i)} />}
          <span class="spread" />
          {asks && <span class="to-card"><kbd>Ctrl J</kbd> {say.toQuestion}</span>}
          <kbd aria-hidden="true">Ctrl ↵</kbd>
          {/* A press on it leaves the focus in the box. */}
          <button class="primary" aria-disabled={text.trim() === ""} aria-keyshortcuts="Control+Enter" onMouseDown={(e) => e.preventDefault()}>{say.send}</button>
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
