import { useRef } from "preact/hooks";
import { asking } from "../../text/strings.ts";

interface Props {
  id: string;
  /** why a call can't be allowed yet; "" where it can */
  words: string;
  onReadOn?: (() => void) | undefined;
  /** allows all of what was opened, though not all of it was in view */
  all?: { lines: number; ticked: boolean; tick: (on: boolean) => void } | undefined;
}

/** WhyOff says why Allow is off. The line, and what stood in it, keep their room when Allow is on, so that no button moves. */
export function WhyOff({ id, words, onReadOn, all }: Props) {
  const told = useRef({ words: false, readOn: false, all });
  const was = told.current;
  was.words ||= words !== "";
  was.readOn ||= onReadOn !== undefined;
  was.all = all ?? was.all;
  if (!was.words) return null;
  return (
    <p class="quiet why-off" id={id}>
      <span>{words || asking.allSeen}</span>
      {was.readOn && <button type="button" class={onReadOn ? "" : "away"} onClick={onReadOn}>{asking.readOn}</button>}
      {was.all && <label class={`allow-all${all ? "" : " away"}`}><input type="checkbox" checked={was.all.ticked} onChange={(e) => was.all!.tick(e.currentTarget.checked)} /> {asking.allowAll(was.all.lines)}</label>}
    </p>
  );
}
