import type { Offer } from "../../text/allow.ts";
import { allow } from "../../text/strings.ts";
import { Reveal } from "../parts/reveal.tsx";

/** Always offers a standing permission, in words; the line that it writes is its tooltip. */
export function Always({ offer, checked, off, onChange }: { offer: Offer; checked: boolean; off: boolean; onChange: (on: boolean) => void }) {
  return (
    <label class="always" title={allow.exactly(offer.subject)}>
      <input type="checkbox" checked={checked} disabled={off} onChange={(e) => onChange(e.currentTarget.checked)} /> <span><Reveal text={offer.words} /></span>
    </label>
  );
}
