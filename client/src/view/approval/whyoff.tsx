import { useRef } from "preact/hooks";
import { asking } from "../../text/strings.ts";

interface Props {
  id: string;
  /** why a call can't be allowed yet; "" where it can */
  words: string;
  onReadOn?: (() => void) | undefined;
}

/** WhyOff says why Allow is off. The line keeps its room when Allow is on, so that no button moves. */
export function WhyOff({ id, words, onReadOn }: Props) {
  const told = useRef(false);
  told.current ||= words !== "";
  if (!told.current) return null;
  return (
    <p class="quiet why-off" id={id}>
      <span>{words || asking.allSeen}</span>
      {onReadOn && <button type="button" onClick={onReadOn}>{asking.readOn}</button>}
    </p>
  );
}
