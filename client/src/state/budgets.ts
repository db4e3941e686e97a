import { signal } from "@preact/signals";
import { INTENTS } from "../text/governor.ts";
import { api } from "./api.ts";

/** The most rounds of a message by its intent, as the project's rules say; empty before they were read. */
export const budgets = signal<ReadonlyMap<string, number>>(new Map());

/** loadBudgets reads them. */
export async function loadBudgets(project: string): Promise<void> {
  const { rules } = await api.rules(project);
  budgets.value = new Map(INTENTS.flatMap((i) => {
    const n = Number(rules.find((r) => r.name === `budget ${i}`)?.value ?? NaN);
    return Number.isNaN(n) ? [] : [[i, n] as const];
  }));
}
