import { useSignal } from "@preact/signals";
import { enter } from "../state/enter.ts";
import { loginReason } from "../state/session.ts";
import { login as say } from "../text/strings.ts";
import { focused } from "./parts/focus.ts";

/** Login asks for a one-time code. A browser needs one once. */
export function Login() {
  const code = useSignal("");
  const error = useSignal("");
  const busy = useSignal(false);
  const submit = async (e: Event) => {
    e.preventDefault();
    busy.value = true;
    error.value = "";
    try {
      await enter(code.value.trim().replace(/^.*#code=/, ""));
    } catch (err) {
      error.value = (err as Error).message;
    } finally {
      busy.value = false;
    }
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
