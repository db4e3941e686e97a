import { useSignal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { api } from "../../state/api.ts";
import type { ModelChoice } from "../../state/dialog.ts";
import { go } from "../../state/navigation.ts";
import { loadModels, models } from "../../state/project.ts";
import { sendFirst } from "../../state/queue.ts";
import { Draft } from "../../state/unsent.ts";
import { announce } from "../../state/toast.ts";
import { split } from "../../text/added.ts";
import { AGENTS, namedBy } from "../../text/names.ts";
import { behind } from "../../text/queue.ts";
import { NEW, writeRoute } from "../../text/route.ts";
import { create, sending, told, unlisted } from "../../text/strings.ts";
import { Connect } from "../parts/connect.tsx";
import { useForm } from "../parts/act.ts";
import { Icon } from "../parts/icon.tsx";
import { lastChoice, ModelPicker, rememberChoice, usable } from "../parts/modelpicker.tsx";
import { Effort } from "./effort.tsx";
import { MessageBox } from "./messagebox.tsx";
import { Unlisted } from "./unlisted.tsx";

/** NewDialog is the message box of a dialog that there is not yet. The first message makes it, and its first line names it. */
export function NewDialog({ project }: { project: string }) {
  // What is written and not sent is kept by this tab, and there is no file of it.
  const draft = useMemo(() => new Draft(project, NEW), [project]);
  useEffect(() => () => draft.close(), [draft]);
  const choice = useSignal<ModelChoice | null>(null);
  const intent = useSignal("");
  const { act, busy, error } = useForm();
  const unread = useSignal("");
  // The dialog that was made for a message that could not be kept then.
  const made = useRef("");
  const look = () => {
    unread.value = "";
    // A choice whose provider still lists nothing stays: its model may have been written in.
    loadModels().then(() => { if (!choice.value?.model) choice.value = lastChoice(); }, (e: Error) => (unread.value = e.message));
  };
  useEffect(look, []);
  const t = choice.value, text = draft.text.value;
  const ready = text.trim() !== "" && t !== null && t.provider !== "" && t.model !== "";
  const send = () => {
    if (!ready || busy.value) return;
    const { files, words } = split(text), name = namedBy(words) || files[0]?.words || create.title;
    void act(async () => {
      made.current ||= (await api.newDialog(project, t.provider, t.model, name)).dialogId;
      if (!sendFirst(project, made.current, text, intent.value === "" || t.provider === AGENTS ? {} : { intent: intent.value })) throw new Error(sending.noRoom);
      rememberChoice(t);
      const more = behind(draft.text.peek(), text); // written meanwhile, and not sent
      draft.write("");
      if (more !== "") {
        const next = new Draft(project, made.current);
        next.write(more);
        next.close();
      }
      announce(told.created(name));
      go({ at: "dialogs", project, dialog: made.current });
    });
  };
  const some = usable().some((p) => p.provider !== "replay");
  return (
    <main class="pane dialog">
      <div class="strip"><a class="back" href={writeRoute({ at: "dialogs", project, dialog: null })}><Icon name="back" /> {create.dialogs}</a><h1>{create.title}</h1></div>
      <div class="scroll"><div class="column new-dialog">
        <p class="quiet">{create.name}</p>
        {unread.value !== "" && <p class="error" role="alert">{unlisted.none} {unread.value} <button type="button" onClick={look}>{unlisted.again}</button></p>}
        {(models.value ?? []).filter((p) => p.error).map((p) => <Unlisted key={p.provider} provider={p} chosen={p.provider === t?.provider} onAgain={look} />)}
        {models.value !== null && <Connect none={!some} onFound={() => (choice.value = lastChoice())} />}
        {error.value !== "" && <p class="error" role="alert">{error.value}</p>}
      </div></div>
      <MessageBox first text={text} files={draft.files} hint={create.hint} ready={ready} onWrite={(w) => draft.write(w)} onSend={send}>
        {t !== null && t.provider !== "" && <ModelPicker compact value={t} onChange={(c) => (choice.value = c)} />}
        {t !== null && t.provider !== "" && t.provider !== AGENTS && <Effort project={project} id={null} text={text} value={intent.value} onChange={(i) => (intent.value = i)} />}
        <span class="spread" />
      </MessageBox>
    </main>
  );
}
