import { useEffect, useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Answering } from "../../state/answering.ts";
import { OpenDialog } from "../../state/dialog.ts";
import { callKey } from "../../text/callkey.ts";
import { writeRoute } from "../../text/route.ts";
import { answers } from "../../text/strings.ts";
import { ApprovalCard } from "../approval/approval.tsx";
import { Icon } from "../parts/icon.tsx";
import { uncovered } from "../parts/still.ts";

/** AnswerPanel asks what waits in a dialog, by the dialog's own card, above the list or the board. */
export function AnswerPanel({ project, id, name, onClose }: Answering & { onClose: () => void }) {
  const [dialog, setDialog] = useState<OpenDialog | null>(null);
  const box = useRef<HTMLElement>(null);
  const title = useId();
  useEffect(() => {
    const opened = new OpenDialog(project, id);
    setDialog(opened);
    return () => opened.close();
  }, [project, id]);
  useEffect(() => box.current!.focus(), [id]);
  useLayoutEffect(() => uncovered, []);
  // The focus goes back to the row that led here, which may stand elsewhere by now.
  useLayoutEffect(() => () => {
    if (box.current?.contains(document.activeElement)) document.querySelector<HTMLElement>(`:is(.side, .board) a[href="${CSS.escape(writeRoute({ at: "dialogs", project, dialog: id }))}"]`)?.focus();
  }, [project, id]);
  const known = dialog?.known.value;
  const ready = known?.loaded === true && known.earlier === 0;
  const calls = known?.pending ?? [];
  return (
    <section ref={box} class="answer-panel" role="dialog" aria-labelledby={title} tabIndex={-1} onKeyDown={(e) => { if (e.key === "Escape" && !e.defaultPrevented) onClose(); }}>
      <div class="panel-head">
        <h2 id={title} dir="auto">{name}</h2>
        <a href={writeRoute({ at: "dialogs", project, dialog: id })} onClick={onClose}>{answers.look}</a>
        <button class="icon-button" aria-label={answers.close} onClick={onClose}><Icon name="cross" /></button>
      </div>
      <div class="scroll">
        {known?.gone ? <p class="quiet">{answers.gone}</p>
          : known?.failure ? <p class="error">{known.failure.title}</p>
          : !ready ? <p class="quiet">{answers.reading}</p>
          : calls.length === 0 ? <p class="quiet">{answers.answered}</p>
          : <ApprovalCard leave={() => box.current!.focus()} key={calls.map(callKey).join()} dialog={dialog!} calls={calls} show={() => box.current!.querySelector(".approval")?.scrollIntoView({ block: "nearest" })} />}
      </div>
    </section>
  );
}
