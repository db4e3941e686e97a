import { models } from "../state/project.ts";
import { modelName } from "../text/names.ts";
import type { Provider } from "../types.ts";

export interface Target {
  provider: string;
  model: string;
}

const KEY = "vibey.target";

/** lastTarget is what was chosen last in this browser, where it is still there; else the first that has a model. */
export function lastTarget(): Target {
  const all = usable();
  try {
    const t = JSON.parse(localStorage.getItem(KEY) ?? "null") as Target | null;
    if (t && all.some((p) => p.provider === t.provider && (p.models ?? []).some((m) => m.id === t.model))) return t;
  } catch {
    // a choice that can't be read is none
  }
  const first = all.find((p) => (p.models ?? []).length > 0) ?? all[0];
  return { provider: first?.provider ?? "", model: first?.models?.[0]?.id ?? "" };
}

export function rememberTarget(t: Target): void { localStorage.setItem(KEY, JSON.stringify(t)); }

/** usable are the providers that may answer; recordings are the last, where there are any, since they only play what they hold. */
export function usable(): Provider[] {
  const all = models.value ?? [];
  return [...all.filter((p) => p.provider !== "replay"), ...all.filter((p) => p.provider === "replay" && (p.models ?? []).length > 0)];
}

/**
 * ModelPicker are the two selects that say who answers. What a dialog has stays
 * in the list, known or not; a provider that lists no models is told one.
 */
export function ModelPicker({ value, onChange, disabled = false, compact = false }: { value: Target; onChange: (t: Target) => void; disabled?: boolean; compact?: boolean }) {
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
        <span class={compact ? "unseen" : ""}>Provider</span>
        <select aria-label="Provider" disabled={disabled} value={value.provider} onChange={(e) => onChange({ provider: e.currentTarget.value, model: firstOf(e.currentTarget.value) })}>
          {providers.map((p) => <option value={p}>{p}</option>)}
        </select>
      </label>
      <label>
        <span class={compact ? "unseen" : ""}>Model</span>
        {listed.length === 0
          ? <input aria-label="Model" placeholder="its name" autocomplete="off" spellcheck={false} disabled={disabled} value={value.model} onInput={(e) => onChange({ ...value, model: e.currentTarget.value.trim() })} />
          : (
            <select aria-label="Model" disabled={disabled} value={value.model} onChange={(e) => onChange({ ...value, model: e.currentTarget.value })}>
              {ids.map((m) => <option value={m}>{modelName(m)}</option>)}
            </select>
          )}
      </label>
    </span>
  );
}
