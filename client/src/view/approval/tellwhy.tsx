import { useState } from "preact/hooks";
import type { Draft } from "../../state/unsent.ts";
import { asking } from "../../text/strings.ts";
import { focused } from "../parts/focus.ts";

interface Props {
  label: string;
  draft: Draft;
  /** true where the human has just opened it */
  focus: boolean;
  /** takes the text, or returns false where nothing is sent */
  onSend: (text: string) => boolean;
}

/** TellWhy denies with a text, which goes to the agent as the next message. */
export function TellWhy({ label, draft, focus, onSend }: Props) {
  const text = draft.text.value;
  const send = () => {
    if (text.trim() === "") return;
    // Where the server refuses a text that was taken, it goes into the message box.
    if (onSend(text)) draft.write("");
  };
  return (
    <div class="tell-why">
      <textarea
        rows={2} ref={focus ? focused : null} aria-label={asking.whyNot} placeholder={asking.instead} dir="auto" value={text} onInput={(e) => draft.write(e.currentTarget.value)}
        onKeyDown={(e) => {
          if (e.key === "Enter" && (e.ctrlKey || e.metaKey)) {
            e.preventDefault();
            if (!e.repeat) send();
          }
        }}
      />
      <button disabled={text.trim() === ""} onClick={send}>{label}</button>
    </div>
  );
}

/** useTelling returns whether TellWhy is open: by the human, or because a text that was not sent is in it. */
export function useTelling(draft: Draft): { telling: boolean; byHand: boolean; toggle: () => void } {
  const [byHand, set] = useState<boolean | null>(null);
  const telling = byHand ?? draft.text.value !== "";
  return { telling, byHand: byHand === true, toggle: () => set(!telling) };
}
