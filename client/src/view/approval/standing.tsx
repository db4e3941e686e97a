import { useMemo, useRef } from "preact/hooks";
import type { OpenDialog } from "../../state/dialog.ts";
import { sandbox } from "../../state/project.ts";
import { allowWords } from "../../text/allow.ts";
import { alwaysAsks } from "../../text/calls.ts";
import { standingAllows } from "../../text/standing.ts";
import { allow } from "../../text/strings.ts";
import { useAct } from "../parts/act.ts";
import { Reveal } from "../parts/reveal.tsx";
import { wide } from "../parts/focus.ts";
import { useSettled } from "../parts/still.ts";

/** StandingAllows shows which tools run unasked in a dialog, with buttons that end that. */
export function StandingAllows({ dialog: d }: { dialog: OpenDialog }) {
  const { act, busy } = useAct();
  const box = useRef<HTMLDetailsElement>(null);
  const all = useMemo(() => standingAllows(d.sections.value), [d.sections.value]);
  const { settled, onClickCapture } = useSettled(box, all.join());
  if (all.length === 0) return null;
  const works = d.status.value === "active";
  return (
    <details class="standing" ref={box} open={wide()} aria-label={allow.unasked} aria-disabled={!settled} onClickCapture={onClickCapture}>
      <summary>{allow.standing(all.length)}</summary>
      <ul>
        {all.map((tool) => (
          <li key={tool}>
            <b title={allow.exactly(tool)}><Reveal text={allowWords(tool)} /></b>
            {alwaysAsks(tool, null, sandbox.value) !== "" && <span class="quiet">{allow.stillAsks}</span>}
            {/* A dialog that works takes no control. */}
            <button type="button" disabled={busy.value || works} aria-label={allow.takeBack(allowWords(tool))} title={works ? allow.stopFirst : allow.asksAgain} onClick={() => void act(() => d.askAgain(tool.replace(/^try /, "")))}>{allow.takeBackShort}</button>
          </li>
        ))}
      </ul>
      {works && <span class="quiet">{allow.stopToTakeBack}</span>}
    </details>
  );
}
