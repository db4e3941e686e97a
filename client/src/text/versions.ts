/** How an overlap is settled: which of the two texts stands in its lines. */
export type Answer = "mine" | "theirs" | "both";

/** Lines counts what another writer did to a text. */
export interface Lines { added: number; removed: number; changed: number }

/** Who wrote another version: a dialog of the project, the human in another tab, another program, or one of them. */
export type Writer = "agent" | "you" | "other" | "unknown";
