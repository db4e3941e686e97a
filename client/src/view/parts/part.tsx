import type { Part } from "../../text/part.ts";
import { Diff } from "./diff.tsx";
import { Exact } from "./exact.tsx";

/** PartView shows one part of a call's input: a text or a diff. */
export function PartView({ part, open, onOpen }: { part: Part; open?: boolean; onOpen?: (open: boolean) => void }) {
  const control = onOpen === undefined ? {} : { open: open ?? false, onOpen };
  return part.kind === "diff" ? <Diff part={part} {...control} /> : <Exact text={part.text} label={part.label} name={part.key} {...control} />;
}
