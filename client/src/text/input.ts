import { input as say } from "./strings.ts";

/** A part of the input, shown as it is: the name and the exact value. */
export interface Field {
  name: string;
  value: string;
}

/** A call's input, read from its exact bytes. */
export interface Input {
  /** null where the bytes are not one JSON object */
  fields: Record<string, unknown> | null;
  /** why the bytes themselves must be shown, or "" */
  warning: string;
}

/**
 * readInput reads the bytes that the hash is over. Where readers of JSON could disagree
 * on them (no object, a name twice, names that differ by case alone) it sets a
 * warning, and the card shows the bytes.
 */
export function readInput(text: string): Input {
  let value: unknown;
  try {
    value = JSON.parse(text === "" ? "{}" : text);
  } catch {
    return { fields: null, warning: say.notJSON };
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return { fields: null, warning: say.notObject };
  }
  return { fields: value as Record<string, unknown>, warning: doubt(text) };
}

// Why valid JSON is not shown as what it says, or "": a name that an object of it has
// twice, of which readers take the first or the last, or a number that readers round.
function doubt(json: string): string {
  const objects: Set<string>[] = [];
  let last = "";
  for (const [t] of json.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\]:,]|-?\d[\d.eE+-]*/g)) {
    if (t === "{" || t === "[") objects.push(new Set());
    else if (t === "}" || t === "]") objects.pop();
    else if (t === ":") {
      const names = objects.at(-1)!, name = (JSON.parse(last) as string).toLowerCase();
      if (names.has(name)) return say.twice;
      names.add(name);
    } else if (/^[-\d]/.test(t) && rounded(t)) return say.numbers;
    last = t;
  }
  return "";
}

// Digits that a number certainly keeps.
const DIGITS = 15;

function rounded(number: string): boolean {
  const digits = number.replace(/[eE].*/, "").replace(/\D/g, "").replace(/^0+|0+$/g, "");
  return digits.length > DIGITS || !Number.isFinite(Number(number)) || (digits !== "" && Number(number) === 0);
}

/** restOf lists the fields of an input other than the named ones, so that all of it is shown. */
export function restOf(fields: Record<string, unknown>, shown: string[]): Field[] {
  return Object.entries(fields)
    .filter(([name]) => !shown.includes(name))
    .map(([name, v]) => ({ name, value: typeof v === "string" ? v : JSON.stringify(v, null, 2) }));
}
