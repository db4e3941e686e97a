import type { Provider, Section } from "../types.ts";
import { money } from "./strings.ts";

/** Held is how much of what its model can hold a dialog fills: tokens, as the provider counted them last. */
export interface Held {
  tokens: number;
  window: number;
}

/** heldBy returns how full a dialog's model is, or null where that is not known. */
export function heldBy(sections: Section[], provider: string, model: string, models: Provider[]): Held | null {
  const window = models.find((p) => p.provider === provider)?.models?.find((m) => m.id === model)?.window ?? 0;
  const last = sections.findLast((s) => s.role === "Assistant" && s.resources.in > 0);
  return window > 0 && last !== undefined ? { tokens: last.resources.in + last.resources.out, window } : null;
}

/** dollars formats what something cost. */
export function dollars(usd: number): string {
  if (usd > 0 && usd < 0.001) return money.under("$0.001");
  return `$${usd.toFixed(usd < 0.1 ? 3 : 2)}`;
}
