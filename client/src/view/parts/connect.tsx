import { useSignal } from "@preact/signals";
import { useState } from "preact/hooks";
import { api } from "../../state/api.ts";
import { loadModels } from "../../state/project.ts";
import { connect } from "../../text/strings.ts";
import { usable } from "./modelpicker.tsx";

/**
 * Connect says how to come to a model: by a provider's key, which goes to the server and
 * is not kept here, or by a program of one's own. onFound is called when the providers
 * were read again.
 */
export function Connect({ none, onFound }: { none: boolean; onFound: () => void }) {
  const provider = useSignal("claude");
  const key = useSignal("");
  const said = useSignal("");
  const bad = useSignal(false);
  const [open] = useState(none); // the form stays open when the key has made a provider appear
  const tell = (words: string, isBad = false) => {
    said.value = words;
    bad.value = isBad;
  };
  const submit = async (e: Event) => {
    e.preventDefault();
    if (key.value.trim() === "") return;
    try {
      await api.storeKey(provider.value, key.value.trim());
      key.value = "";
      tell(connect.stored);
      await loadModels();
      onFound();
    } catch (err) {
      tell((err as Error).message, true);
    }
  };
  const look = async () => {
    try {
      await loadModels();
      onFound();
      const found = usable().filter((p) => p.provider !== "replay").map((p) => p.provider);
      tell(found.length > 0 ? connect.found(found.join(", ")) : connect.nothing);
    } catch (err) {
      tell((err as Error).message, true);
    }
  };
  return (
    <details class="card key" open={open}>
      <summary>{none ? connect.none : connect.another}</summary>
      <form class="form" onSubmit={submit}>
        <label for="key-provider">{connect.provider}</label>
        <select id="key-provider" value={provider.value} onChange={(e) => (provider.value = e.currentTarget.value)}>
          <option value="claude">{connect.providers.claude}</option>
          <option value="openai">{connect.providers.openai}</option>
        </select>
        <label for="key-text">{connect.key}</label>
        <input id="key-text" type="password" autocomplete="off" spellcheck={false} value={key.value} onInput={(e) => (key.value = e.currentTarget.value)} />
        <div class="actions"><button disabled={key.value.trim() === ""}>{connect.store}</button></div>
        <p class={bad.value ? "error" : "quiet"} role="status">{said.value}</p>
      </form>
      <p class="quiet">{connect.ollama} <button type="button" onClick={look}>{connect.look}</button></p>
      <p class="quiet">{connect.own}<br /><code>vibey serve --provider ollama=chat,http://127.0.0.1:11434/v1</code></p>
    </details>
  );
}
