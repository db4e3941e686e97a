import type { RefObject } from "preact";
import { useId, useRef, useState } from "preact/hooks";
import type { Draft } from "../../state/unsent.ts";
import { asking } from "../../text/strings.ts";
import { focused } from "../parts/focus.ts";

interface Props {
  label: string;
  draft: Draft;
  /** how many open questions it denies besides; undefined where there are no others */
  open: number | undefined;
  /** true where the human has just opened it */
  focus: boolean;
  /** takes the text, or returns false where nothing is sent */
  onSend: (text: string) => boolean;
  onClose: () => void;
}

/** TellWhy denies with a text, which goes to the agent as the next message. Escape closes it, and keeps the text. */
export function TellWhy({ label, open, draft, focus, onSend, onClose }: Props) {
  const text = draft.text.value, about = useId();
  const send = () => {
    if (text.trim() === "") return;
    // Where the server refuses a text that was taken, it goes into the message box.
    if (onSend(text)) draft.write("");
  };
  return (
    <div
      class="tell-why" onKeyDown={(e) => {
        if (e.key !== "Escape" || e.isComposing) return;
        e.preventDefault();
        e.stopPropagation();
        onClose();
      }}
    >
      <textarea
        rows={2} ref={focus ? focused : null} aria-label={asking.whyNot} aria-describedby={open ? about : undefined} placeholder={asking.instead} dir="auto" value={text} onInput={(e) => draft.write(e.currentTarget.value)}
        onKeyDown={(e) => {
          if (e.key === "Enter" && (e.ctrlKey || e.metaKey)) {
            e.preventDefault();
            if (!e.repeat) send();
          }
        }}
      />
      {open !== undefined && <p class={open === 0 ? "away" : ""} id={about}>{asking.alsoNo(open)}</p>}
      <button disabled={text.trim() === ""} onClick={send}>{label}</button>
    </div>
  );
}

interface Telling { telling: boolean; byHand: boolean; toggle: () => void; close: () => void; button: RefObject<HTMLButtonElement | null> }

/** useTelling returns whether TellWhy is open: by the human, or because a text that was not sent is in it. close gives the focus back to the button that opens it. */
export function useTelling(draft: Draft): Telling {
  const [byHand, set] = useState<boolean | null>(null);
  const button = useRef<HTMLButtonElement>(null);
  const telling = byHand ?? draft.text.value !== "";
  const close = () => {
    set(false);
    button.current?.focus();
  };
  return { telling, byHand: byHand === true, toggle: () => set(!telling), close, button };
}
