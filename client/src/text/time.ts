// Made once: toLocaleString makes a formatter at each call, which takes 0.8 s for a dialog of 5,000 sections.
const DAY = new Intl.DateTimeFormat("en", { day: "numeric", month: "short" });
const DAY_AND_YEAR = new Intl.DateTimeFormat("en", { day: "numeric", month: "short", year: "numeric" });
const GROUPED = new Intl.NumberFormat("en");

/** clock returns the time of day of an instant, after the date if that is not today, or "" for no time; with seconds where they are asked for. */
export function clock(iso: string, now: Date = new Date(), exact = false): string {
  const t = new Date(iso);
  if (iso === "" || Number.isNaN(t.getTime())) return "";
  const hm = [t.getHours(), t.getMinutes(), ...(exact ? [t.getSeconds()] : [])].map((n) => String(n).padStart(2, "0")).join(":");
  if (t.toDateString() === now.toDateString()) return hm;
  const day = (t.getFullYear() === now.getFullYear() ? DAY : DAY_AND_YEAR).format(t);
  return `${day}, ${hm}`;
}

/** day returns the time of day of an instant of today, and the date of any other. */
export function day(iso: string, now: Date = new Date()): string {
  const t = new Date(iso);
  if (iso === "" || Number.isNaN(t.getTime())) return "";
  if (t.toDateString() === now.toDateString()) return clock(iso, now);
  return (t.getFullYear() === now.getFullYear() ? DAY : DAY_AND_YEAR).format(t);
}

/** since says in short how long ago an instant was: "now", "2m", "3h", "4d". */
export function since(iso: string, now: Date = new Date()): string {
  const t = new Date(iso).getTime();
  if (Number.isNaN(t)) return "";
  const s = Math.max(0, (now.getTime() - t) / 1000);
  if (s < 60) return "now";
  if (s < 3600) return `${Math.floor(s / 60)}m`;
  if (s < 86400) return `${Math.floor(s / 3600)}h`;
  return `${Math.floor(s / 86400)}d`;
}

/** seconds formats a duration: "12 ms", "4.1 s", "3 m 10 s". */
export function seconds(ms: number): string {
  if (ms < 100) return `${Math.round(ms)} ms`;
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)} s`;
  const s = Math.round(ms / 1000);
  return `${Math.floor(s / 60)} m ${s % 60} s`;
}

/** number formats a number with its digits grouped by thousands. */
export function number(n: number): string { return GROUPED.format(n); }

/** bytes formats a size. */
export function bytes(n: number): string {
  if (n < 1000) return `${n} ${n === 1 ? "byte" : "bytes"}`;
  if (n < 1_000_000) return `${(n / 1000).toFixed(1)} kB`;
  return `${(n / 1_000_000).toFixed(1)} MB`;
}

/** plural returns a count with its noun. */
export function plural(n: number, one: string, many = one + "s"): string {
  return `${number(n)} ${n === 1 ? one : many}`;
}
