import { useId, useLayoutEffect, useRef } from "preact/hooks";
import type { Answered, Beside } from "../../state/beside.ts";
import { dialogTitle } from "../../state/project.ts";
import { textOf } from "../../text/items.ts";
import { modelName } from "../../text/names.ts";
import { writeRoute } from "../../text/route.ts";
import { isAbout } from "../../text/suggestion.ts";
import { passage as say } from "../../text/strings.ts";
import { Writing } from "../dialog/writing.tsx";
import { Icon } from "../parts/icon.tsx";
import { Rich } from "../parts/rich.tsx";

// So near to its end, in px, an answer that grows is followed.
const NEAR = 40;

/** AnswerBeside shows below a passage what a dialog answers to the question about it, also while that is written. */
export function AnswerBeside({ state, answer: { dialog: d }, leave }: { state: Beside; answer: Answered; leave: () => void }) {
  const box = useRef<HTMLDivElement>(null);
  const name = useId();
  const sections = d.sections.value;
  const asked = sections.findLastIndex((s) => s.role === "User");
  const said = sections.slice(asked + 1).filter((s) => s.role === "Assistant" && !s.torn && textOf(s).trim() !== "");
  const follow = () => {
    const el = box.current;
    if (el !== null && el.scrollHeight - el.scrollTop - el.clientHeight < NEAR + LINE) el.scrollTop = el.scrollHeight;
  };
  useLayoutEffect(follow, [said.length]);
  const elsewhere = d.pending.value.some((c) => !isAbout(c, state.doc.name));
  const begun = said.length > 0 || d.open.value !== null;
  return (
    <section class="answer" aria-labelledby={name}>
      <header>
        <b id={name}>{say.answer(modelName(d.model.value))}</b>
        <span class="spread" />
        <a href={writeRoute({ at: "dialogs", project: d.project, dialog: d.id })}>{say.toDialog(d.title.value || dialogTitle(d.id))}</a>
        <button class="icon-button" aria-label={say.close} onClick={() => { state.dismiss(d); leave(); }}><Icon name="cross" /></button>
      </header>
      <div class="answer-text" ref={box} tabIndex={0} role="group" aria-labelledby={name}>
        {said.map((s) => <Rich key={s.id} html={s.html} text={textOf(s)} project={d.project} least={d} />)}
        <Writing d={d} onGrow={follow} />
      </div>
      {!begun && d.failure.value === null && !elsewhere && d.status.value !== "active" && said.length === 0 && d.loaded.value && d.pending.value.length === 0 && <p class="quiet">{say.reading}</p>}
      {d.failure.value !== null && <p class="error">{say.stopped} {d.failure.value.title}</p>}
      {elsewhere && <p class="quiet">{say.asks}</p>}
    </section>
  );
}

// What a line of it may grow by at once, in px.
const LINE = 60;
