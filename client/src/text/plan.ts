import type { LineProblem } from "../types.ts";
import { plan as say } from "./strings.ts";

/** A tentative item of doc-plan.md: a model's word, until a human confirms it. */
export interface Tentative {
  /** of the doc, from 1 */
  line: number;
  kind: "Decision" | "Task" | "Idea";
  title: string;
  text: string;
}

/** The name of the doc that holds the plan. */
export const PLAN = "doc-plan.md";

const HEADS: Record<string, Tentative["kind"]> = { "## decisions": "Decision", "## tasks": "Task", "## ideas": "Idea" };
const ITEM = /^[-*][ \t]+\*\*(.+?)\*\*(:.*|[ \t]+\{.*|)$/;
const TAGS = /[ \t]*\{((?:[a-z]+=[^ \t{}]*)(?:[ \t]+[a-z]+=[^ \t{}]*)*)\}$/;

/** tagsIn returns where the tags of an item begin in its line, or -1. */
export function tagsIn(line: string): number {
  const tags = TAGS.exec(line.trimEnd());
  return tags ? line.indexOf("{", tags.index) : -1;
}

/** tentativeItems reads the items that wait to be confirmed, as dialog/plan does. */
export function tentativeItems(doc: string): Tentative[] {
  const out: Tentative[] = [];
  let kind: Tentative["kind"] | undefined;
  doc.split("\n").forEach((raw, i) => {
    const line = raw.replace(/[ \t\r]+$/, "");
    if (/^##? /.test(raw)) {
      kind = HEADS[line.toLowerCase()];
      return;
    }
    const item = kind && ITEM.exec(line);
    if (!item) return;
    const rest = item[2]!.replace(/^:/, "").trim();
    const tags = TAGS.exec(rest);
    if (!tags || confirmed(tags[1]!)) return; // an item without tags was written by a human's hand
    out.push({ line: i + 1, kind: kind!, title: item[1]!.trim(), text: rest.slice(0, tags.index).trim() });
  });
  return out;
}

/** A line of a doc that has no effect, and why. */
export type PlanProblem = Pick<LineProblem, "line" | "text">;

/** planProblems lists the lines in the parts of the plan that look like items and are none, as dialog/plan does. */
export function planProblems(doc: string): PlanProblem[] {
  const out: PlanProblem[] = [];
  let inPart = false;
  doc.split("\n").forEach((raw, i) => {
    const line = raw.replace(/[ \t\r]+$/, "");
    if (/^##? /.test(raw)) inPart = HEADS[line.toLowerCase()] !== undefined;
    else if (inPart && /^[-*+] ./.test(line) && !(ITEM.exec(line)?.[1] ?? "").trim()) out.push({ line: i + 1, text: say.noItem });
  });
  return out;
}

/** confirmItem returns the doc with an item's line confirmed, or null where that item is not there any more. */
export function confirmItem(doc: string, item: Tentative): string | null {
  const now = tentativeItems(doc).find((t) => t.kind === item.kind && t.title === item.title && t.text === item.text);
  if (!now) return null;
  const lines = doc.split("\n");
  const raw = lines[now.line - 1]!;
  const bare = raw.replace(/[ \t\r]+$/, "");
  const tags = TAGS.exec(bare)!;
  const words = tags[1]!.split(/[ \t]+/).filter((w) => !w.startsWith("confidence="));
  lines[now.line - 1] = `${bare.slice(0, bare.indexOf("{", tags.index))}{${["confidence=user", ...words].join(" ")}}${raw.slice(bare.length)}`;
  return lines.join("\n");
}

function confirmed(tags: string): boolean { return tags.split(/[ \t]+/).includes("confidence=user"); }
