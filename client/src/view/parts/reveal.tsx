import { memo } from "./memo.ts";
import { reveal } from "../../text/hidden.ts";
import { hidden } from "../../text/strings.ts";

/** Reveal shows text with each invisible character drawn as a chip: its code, and its name as a tooltip. */
export const Reveal = memo(function Reveal({ text }: { text: string }) {
  return (
    <>
      {reveal(text).map((p) =>
        typeof p === "string" ? p : <span class="hidden-char" role="img" title={hidden.title(p.name)} aria-label={hidden.label(p.name, p.code)}>{p.code}</span>,
      )}
    </>
  );
});
