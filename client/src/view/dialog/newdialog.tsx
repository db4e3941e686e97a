import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { api } from "../../state/api.ts";
import type { ModelChoice } from "../../state/dialog.ts";
import { go } from "../../state/navigation.ts";
import { loadModels, models } from "../../state/project.ts";
import { TITLE_MAX } from "../../text/names.ts";
import { writeRoute } from "../../text/route.ts";
import { create, retitle, unlisted } from "../../text/strings.ts";
import { Connect } from "../parts/connect.tsx";
import { useForm } from "../parts/act.ts";
import { Icon } from "../parts/icon.tsx";
import { lastChoice, ModelPicker, rememberChoice, usable } from "../parts/modelpicker.tsx";
import { focused } from "../parts/focus.ts";
import { Unlisted } from "./unlisted.tsx";

/** NewDialogForm asks for a name and a model; the first message is written in the dialog. */
export function NewDialogForm({ project }: { project: string }) {
  const name = useSignal("");
  const choice = useSignal<ModelChoice | null>(null);
  const { act, busy, error } = useForm();
  const unread = useSignal("");
  const look = () => {
    unread.value = "";
    // A choice whose provider still lists nothing stays: its model may have been written in.
    loadModels().then(() => { if (!choice.value?.model) choice.value = lastChoice(); }, (e: Error) => (unread.value = e.message));
  };
  useEffect(look, []);
  const length = [...name.value.trim()].length;
  const submit = (e: Event) => {
    e.preventDefault();
    const t = choice.value;
    if (busy.value || length > TITLE_MAX || name.value.trim() === "" || t === null || t.provider === "" || t.model === "") return;
    void act(async () => {
      const made = await api.newDialog(project, t.provider, t.model, name.value.trim());
      rememberChoice(t);
      go({ at: "dialogs", project, dialog: made.dialogId });
    });
  };
  const some = usable().some((p) => p.provider !== "replay");
  return (
    <main class="pane">
      <div class="strip"><a class="back" href={writeRoute({ at: "dialogs", project, dialog: null })}><Icon name="back" /> {create.dialogs}</a><h1>{create.title}</h1></div>
      <div class="scroll"><div class="column new-dialog">
        <form class="form" onSubmit={submit}>
          <label for="dialog-name">{create.label}</label>
          <input id="dialog-name" ref={focused} autocomplete="off" placeholder={create.example} dir="auto" value={name.value} onInput={(e) => (name.value = e.currentTarget.value)} />
          <p class="quiet">{create.name}</p>
          {length > TITLE_MAX && <p class="error" role="alert">{retitle.tooLong(length, TITLE_MAX)}</p>}
          {choice.value !== null && choice.value.provider !== "" && <ModelPicker value={choice.value} onChange={(t) => (choice.value = t)} />}
          {unread.value !== "" && <p class="error" role="alert">{unlisted.none} {unread.value} <button type="button" onClick={look}>{unlisted.again}</button></p>}
          {(models.value ?? []).filter((p) => p.error).map((p) => <Unlisted key={p.provider} provider={p} chosen={p.provider === choice.value?.provider} onAgain={look} />)}
          {error.value !== "" && <p class="error" role="alert">{error.value}</p>}
          <div class="actions">
            <button class="primary" disabled={busy.value || length > TITLE_MAX || name.value.trim() === "" || !choice.value?.provider || choice.value.model === ""}>{create.create}</button>
            <a class="button" href={writeRoute({ at: "dialogs", project, dialog: null })}>{create.cancel}</a>
          </div>
        </form>
        {models.value !== null && <Connect none={!some} onFound={() => (choice.value = lastChoice())} />}
      </div></div>
    </main>
  );
}
