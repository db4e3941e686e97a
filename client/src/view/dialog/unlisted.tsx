import { unlisted as say } from "../../text/strings.ts";
import type { Provider } from "../../types.ts";

/** Unlisted says of a provider that could not list its models what is wrong, what is safe and what to do. */
export function Unlisted({ provider: p, chosen, onAgain }: { provider: Provider; chosen: boolean; onAgain: () => void }) {
  const [title, next] = say.kinds[p.kind ?? ""] ?? say.other;
  return (
    <section class="unlisted" role="status">
      <p class="error">{title(p.provider)}</p>
      <p>{next} {chosen && say.byName} {say.kept} <button type="button" onClick={onAgain}>{say.again}</button></p>
      <details><summary>{say.details}</summary><pre>{p.error}</pre></details>
    </section>
  );
}
