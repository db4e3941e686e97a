import { bytes, number } from "./time.ts";

// What is of use to programs alone: it stands in the JSON, under Details.
const INNER = /^(success|path|dialogId|filename|screenshot|replaced\w*|mode|etag|id|\w*sha256)$/i;

export function isInner(field: string): boolean { return INNER.test(field); }

/** lines says a value of JSON in words: a line for each field, or for each thing of a list. What is nested deeper is left out. */
export function lines(v: unknown): string {
  if (Array.isArray(v)) return v.map(item).filter((l) => l !== "").join("\n");
  if (typeof v !== "object" || v === null) return scalar("", v);
  return Object.entries(v).flatMap(([k, w]) => {
    const text = isInner(k) ? "" : typeof w === "object" ? lines(w) : scalar(k, w);
    if (text === "") return [];
    return [text.includes("\n") ? `${nameOf(k)}:\n${text}` : `${nameOf(k)}: ${text}`];
  }).join("\n");
}

/** nameOf makes words of a field's name: "Exit code" of exitCode. */
export function nameOf(field: string): string {
  const words = field.replace(/([a-z\d])([A-Z])/g, "$1 $2").replace(/[_-]+/g, " ").trim().toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

// Of a thing in a list, also its path is said: nothing else tells which it is.
function item(v: unknown): string {
  if (typeof v !== "object" || v === null) return scalar("", v);
  const all = Array.isArray(v) ? v.map((w) => ["", w] as const) : Object.entries(v).filter(([k]) => k === "path" || !isInner(k));
  return all.map(([k, w]) => (typeof w === "object" ? "" : scalar(k, w))).filter((t) => t !== "").join(" · ");
}

function scalar(k: string, v: unknown): string {
  if (typeof v === "number") return /^(bytes|size)$/i.test(k) ? bytes(v) : /line|port|year|status|code/i.test(k) ? String(v) : number(v);
  if (typeof v === "boolean") return v ? "yes" : "no";
  if (typeof v !== "string" || /^[0-9a-f]{64}$/.test(v)) return "";
  return v.trimEnd().replace(/^\d{8}-\d{6}-(?=\S+$)/, ""); // of a dialog's id, its name
}
