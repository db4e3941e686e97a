import { useSignal } from "@preact/signals";
import { enter } from "../state/enter.ts";
import { loginReason } from "../state/session.ts";
import { login as say } from "../text/strings.ts";
import { useForm } from "./parts/act.ts";
import { focused } from "./parts/focus.ts";

/** Login asks for a one-time code. A browser needs one once. */
export function Login() {
  const code = useSignal("");
  const { act, busy, error } = useForm();
  const submit = (e: Event) => {
    e.preventDefault();
    void act(() => enter(code.value.trim().replace(/^.*#code=/, "")));
  };
  return (
    <main class="login">
      <h1>Vibey</h1>
      <p>{loginReason.value || say.why}</p>
      <form onSubmit={submit}>
        <label for="code">{say.code}</label>
        <input id="code" autoComplete="one-time-code" spellcheck={false} ref={focused} value={code.value} onInput={(e) => (code.value = e.currentTarget.value)} />
        <button class="primary" disabled={busy.value || code.value.trim() === ""}>{say.open}</button>
      </form>
      {error.value !== "" && <p class="error" role="alert">{error.value}</p>}
      <p class="quiet">{say.fresh} <code>vibey login</code></p>
    </main>
  );
}
