import type { ModelChoice } from "../../state/dialog.ts";
import { models } from "../../state/project.ts";
import { note } from "../../state/shelf.ts";
import { AGENTS, modelName } from "../../text/names.ts";
import { names, picker as say } from "../../text/strings.ts";
import type { Provider } from "../../types.ts";
import { useRested } from "./still.ts";

const KEY = "vibey.target";

/**
 * lastChoice returns what was chosen last in this browser if it is still offered, also by a provider that
 * can't list its models just now; else the first provider that has a model. A recording is chosen only
 * if there is nothing else.
 */
export function lastChoice(): ModelChoice {
  const all = usable();
  try {
    const t = JSON.parse(localStorage.getItem(KEY) ?? "null") as ModelChoice | null;
    if (t && all.some((p) => p.provider === t.provider && (p.error || (p.models ?? []).some((m) => m.id === t.model)))) return t;
  } catch {
    // a stored choice that can't be read is ignored
  }
  const first = all.find((p) => p.provider !== "replay" && (p.models ?? []).length > 0) ?? all[0];
  return { provider: first?.provider ?? "", model: first?.models?.[0]?.id ?? "" };
}

export function rememberChoice(t: ModelChoice): void { note(KEY, JSON.stringify(t)); }

/** usable lists the providers that can answer, recordings last and only where there are any. */
export function usable(): Provider[] {
  const all = models.value ?? [];
  return [...all.filter((p) => p.provider !== "replay"), ...all.filter((p) => p.provider === "replay" && (p.models ?? []).length > 0)];
}

/**
 * ModelPicker shows two selects, for the provider and the model. What the dialog has
 * is always in the list; where a provider lists no models, the name is typed in.
 */
export function ModelPicker({ value, onChange, compact = false }: { value: ModelChoice; onChange: (t: ModelChoice) => void; compact?: boolean }) {
  const rests = useRested();
  const all = usable();
  const providers = all.map((p) => p.provider);
  if (value.provider !== "" && !providers.includes(value.provider)) providers.push(value.provider);
  const listed = (all.find((p) => p.provider === value.provider)?.models ?? []).map((m) => m.id);
  const ids = [...listed];
  if (value.model !== "" && !ids.includes(value.model)) ids.unshift(value.model);
  const firstOf = (provider: string) => all.find((p) => p.provider === provider)?.models?.[0]?.id ?? "";
  return (
    <span class={`picker${compact ? " compact" : ""}`}>
      <label>
        <span class={compact ? "unseen" : ""}>{say.provider}</span>
        <select disabled={!rests} aria-label={say.provider} value={value.provider} onChange={(e) => onChange({ provider: e.currentTarget.value, model: firstOf(e.currentTarget.value) })}>
          {providers.map((p) => <option value={p}>{p === AGENTS ? names.agents : p === "replay" ? names.replay : p}</option>)}
        </select>
      </label>
      <label>
        <span class={compact ? "unseen" : ""}>{say.model}</span>
        {listed.length === 0
          ? <input aria-label={say.model} placeholder={say.itsName} autocomplete="off" spellcheck={false} value={value.model} onInput={(e) => onChange({ ...value, model: e.currentTarget.value.trim() })} />
          : (
            <select disabled={!rests} aria-label={say.model} value={value.model} onChange={(e) => onChange({ ...value, model: e.currentTarget.value })}>
              {ids.map((m) => <option value={m}>{modelName(m)}</option>)}
            </select>
          )}
      </label>
    </span>
  );
}
