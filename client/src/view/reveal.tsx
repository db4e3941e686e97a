import { memo } from "./memo.ts";
import { reveal } from "../text/hidden.ts";

/** Reveal shows text with what would hide in it drawn as a chip: a code, and its name on pointing. */
export const Reveal = memo(function Reveal({ text }: { text: string }) {
  return (
    <>
      {reveal(text).map((p) =>
        typeof p === "string" ? p : <span class="hidden-char" role="img" title={`hidden character: ${p.name}`} aria-label={`hidden character ${p.name} ${p.code}`}>{p.code}</span>,
      )}
    </>
  );
});
