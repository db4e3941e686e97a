import { useState } from "preact/hooks";
import { clip, more } from "../../text/clip.ts";
import { LIMIT, size } from "../../text/part.ts";
import { parts as say } from "../../text/strings.ts";
import { Reveal } from "./reveal.tsx";

interface Props {
  text: string;
  label?: string;
  /** its name among the parts that must have been in view */
  name?: string;
  lines?: number;
  /** the caller's own signal of whether it is open */
  open?: boolean;
  onOpen?: (open: boolean) => void;
}

/** Exact shows a text as it is. A long one is cut, with a button that opens and closes it. */
export function Exact({ text, label = "", name, lines = LIMIT.lines, open, onOpen }: Props) {
  const [own, setOwn] = useState(false);
  const isOpen = open ?? own;
  const set = onOpen ?? setOwn;
  const c = clip(text, lines, LIMIT.chars);
  const long = c.moreChars > 0;
  return (
    <figure class="exact" {...(label === "" ? { role: "none" as const } : { "aria-label": label })} data-opened={(long && isOpen) || undefined}>
      {label !== "" && <figcaption data-read={name && `${name} label`}><Reveal text={label} /></figcaption>}
      <pre data-read={name} tabIndex={0} dir="auto"><Reveal text={isOpen ? text : c.shown} /></pre>
      {long && (
        <button type="button" class="expand" aria-expanded={isOpen} onClick={() => set(!isOpen)}>
          {isOpen ? say.less : say.all(more(c), size(text))}
        </button>
      )}
    </figure>
  );
}
