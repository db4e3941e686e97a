import { useRef } from "preact/hooks";
import type { OpenDoc } from "../../state/doc.ts";
import { planProblems, tentativeItems } from "../../text/plan.ts";
import { docs, plan as say } from "../../text/strings.ts";
import { LineProblems } from "./lineproblems.tsx";
import { QuietCard } from "./quietcard.tsx";
import { Reveal } from "../parts/reveal.tsx";
import { useSettled } from "../parts/still.ts";

/** PlanCard lists what a model put into the plan and no human has confirmed, as it is saved. */
export function PlanCard({ doc }: { doc: OpenDoc }) {
  const items = tentativeItems(doc.saved.value ?? "");
  const list = useRef<HTMLDivElement>(null);
  const { settled, onClickCapture } = useSettled(list, items.map((i) => i.line + i.title + i.text).join("\n"));
  if (items.length === 0) return null;
  const off = doc.dirty.value || doc.saving.value;
  return (
    <section class="plan-card" aria-label={say.name}>
      <h2>{say.wait(items.length)}</h2>
      {doc.dirty.value && <p class="quiet">{say.saveFirst}</p>}
      <div ref={list} role="group" aria-label={say.confirm} aria-disabled={!settled} onClickCapture={onClickCapture}>
      <ul>
        {items.map((i) => (
          <li key={`${i.line} ${i.title}`}>
            <span><span class="quiet">{say.kinds[i.kind]}</span> <b><Reveal text={i.title} /></b>{i.text !== "" && <>: <Reveal text={i.text} /></>}</span>
            <button disabled={off} aria-label={say.confirmOne(i.title)} onClick={() => void doc.confirmPlan(i)}>{say.confirm}</button>
          </li>
        ))}
      </ul>
      </div>
    </section>
  );
}

// Of a plan that is written in a form of its own, this many lines are shown.
const PROBLEMS = 20;

/** PlanProblems is a quiet line above the plan about its lines that count for nothing. It opens over the text, at a click. */
export function PlanProblems({ doc }: { doc: OpenDoc }) {
  const problems = planProblems(doc.saved.value ?? "");
  if (problems.length === 0) return null;
  const words = docs.noEffect(problems.length);
  return (
    <QuietCard line={<span class="mark">{words}</span>} label={words}>
      <LineProblems doc={doc} title={say.noItems} problems={problems.slice(0, PROBLEMS)} />
      {problems.length > PROBLEMS && <p class="quiet">{say.more(problems.length - PROBLEMS)}</p>}
    </QuietCard>
  );
}
