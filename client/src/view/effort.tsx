import { useEffect } from "preact/hooks";
import { budgets, loadBudgets } from "../state/budgets.ts";
import { INTENTS } from "../text/governor.ts";
import { effort } from "../text/strings.ts";

/** Effort is a quiet menu: how much work the next message may be. "" leaves that to how it reads. */
export function Effort({ project, value, onChange }: { project: string; value: string; onChange: (intent: string) => void }) {
  useEffect(() => void loadBudgets(project).catch(() => undefined), [project]);
  return (
    <span class="picker compact">
      <select aria-label={effort.label} title={effort.title(value)} value={value} onChange={(e) => onChange(e.currentTarget.value)}>
        <option value="">{effort.asItReads}</option>
        {INTENTS.map((i) => <option value={i}>{effort.words(i, budgets.value.get(i))}</option>)}
      </select>
    </span>
  );
}
