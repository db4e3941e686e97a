import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { ModelChoice, OpenDialog } from "../../state/dialog.ts";
import { loadModels, models } from "../../state/project.ts";
import { sought } from "../../state/goal.ts";
import { sendMessage } from "../../state/queue.ts";
import { toast } from "../../state/toast.ts";
import { AGENTS } from "../../text/names.ts";
import { together } from "../../text/queue.ts";
import { composer as say } from "../../text/strings.ts";
import { nothingFocused, toComposer, toQuestion, wide } from "../parts/focus.ts";
import { keysHere } from "../parts/kbd.tsx";
import { lastChoice, ModelPicker, rememberChoice } from "../parts/modelpicker.tsx";
import { Effort } from "./effort.tsx";
import { MessageBox } from "./messagebox.tsx";
import { QueuedMessages } from "./queued.tsx";

/** Composer is the message box of a dialog. A message that is sent while the agent works or asks waits above it. */
export function Composer({ dialog: d }: { dialog: OpenDialog }) {
  const chosen = useSignal<ModelChoice | null>(null);
  const intent = useSignal("");
  useEffect(() => { if (models.value === null) loadModels().catch(() => undefined); }, []);
  const status = d.status.value;
  const asks = d.pending.value.length > 0;
  const now: ModelChoice = { provider: d.provider.value, model: d.model.value };
  // Where damage took the provider from the file, the message must name one.
  const choice = chosen.value ?? (now.provider === "" && d.headed.value ? lastChoice() : now);
  const text = d.message.value, loaded = d.loaded.value;
  // Where a dialog was opened, the focus is on what it wants: its question, or a message. It
  // moves by itself at no other time, since that tears a reader out of what is read.
  const begun = useRef(false);
  useEffect(() => {
    if (!loaded || begun.current) return;
    begun.current = true;
    if (nothingFocused() && wide() && sought.peek() === "") toQuestion() || toComposer();
  }, [loaded]);
  // What was told to a question that is answered elsewhere is not lost with it. An effect
  // may run when more is known than when it was made: it goes by what is known now.
  const why = d.why.text.value;
  useEffect(() => {
    const told = d.why.text.peek();
    if (!d.loaded.peek() || d.pending.peek().length > 0 || told.trim() === "") return;
    d.write(together(told, d.message.peek()));
    d.why.write("");
  }, [loaded, asks, why]);
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
    <MessageBox text={text} files={d.files} hint={hint} ready={text.trim() !== ""} onWrite={(t) => d.write(t)} onSend={send} above={<QueuedMessages dialog={d} />}>
      {choice.provider !== "" && <ModelPicker compact value={choice} onChange={(t) => (chosen.value = t)} />}
      {choice.provider !== AGENTS && <Effort project={d.project} id={d.id} text={text} value={intent.value} onChange={(i) => (intent.value = i)} />}
      <span class="spread" />
      {asks && <span class="to-card"><kbd>{keysHere("Ctrl J")}</kbd> {say.toQuestion}</span>}
    </MessageBox>
  );
}
