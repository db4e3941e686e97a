import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import type { OpenDoc } from "../../state/doc.ts";
import type { LineProblem, ProjectRules, Rule, Wish } from "../../types.ts";
import { docs as say, rules as words } from "../../text/strings.ts";
import { Icon } from "../parts/icon.tsx";
import { LineProblems, ToLine } from "./lineproblems.tsx";
import { QuietCard } from "./quietcard.tsx";
import { Reveal } from "../parts/reveal.tsx";
import { useSettled } from "../parts/still.ts";

const PARTS: Rule["about"][] = ["may", "spend", "check"];

/** RulesCard is a quiet line above the doc that leads: what it lets agents do, as it is saved. It opens over the text, at a click. */
export function RulesCard({ doc, rules }: { doc: OpenDoc; rules: ProjectRules }) {
  const asks = rules.wish !== undefined && !rules.wish.confirmed;
  const line = (
    <>
      <span>{say.rules}</span>
      {rules.problems.length > 0 && <span class="mark"> · {say.noEffect(problemCount(rules.problems))}</span>}
      {asks && <span class="mark"> · {say.toConfirm}</span>}
    </>
  );
  return (
    <QuietCard line={line} label={words.name}>
      {doc.dirty.value && <p class="quiet">{words.saved}</p>}
      {rules.problems.length > 0 && <LineProblems doc={doc} title={words.notKnown} problems={rules.problems} />}
      {rules.wish && <WishCard key={rules.wish.etag} doc={doc} wish={rules.wish} />}
      {PARTS.map((about) => <Rules key={about} doc={doc} title={words.parts[about]} rules={rules.rules.filter((r) => r.line && r.about === about)} />)}
      <Rules doc={doc} title={words.usual} rules={rules.rules.filter((r) => !r.line)} />
    </QuietCard>
  );
}

// The last of many problems says how many more there are.
function problemCount(all: LineProblem[]): number {
  const more = /^and (\d+) more line/.exec(all.at(-1)?.text ?? "");
  return all.length + (more ? Number(more[1]) - 1 : 0);
}

function Rules({ doc, title, rules }: { doc: OpenDoc; title: string; rules: Rule[] }) {
  if (rules.length === 0) return null;
  return (
    <section aria-label={title}>
      <h2>{title}</h2>
      <ul>{rules.map((r) => <RuleLine key={r.name} doc={doc} rule={r} />)}</ul>
    </section>
  );
}

function RuleLine({ doc, rule: r }: { doc: OpenDoc; rule: Rule }) {
  return (
    <li class={r.line ? "" : "unsaid"}>
      <span>{r.text} {r.name === "verify" && r.value !== "" && <code><Reveal text={r.value} /></code>}</span>
      {r.line !== undefined && <ToLine doc={doc} line={r.line} />}
    </li>
  );
}

/** WishCard shows the control block of the doc. A human confirms what it shows; it may appear under a pointer that is about to click. */
function WishCard({ doc, wish }: { doc: OpenDoc; wish: Wish }) {
  const busy = useSignal(false);
  const acts = useRef<HTMLDivElement>(null);
  const { settled, onClickCapture } = useSettled(acts, wish.etag);
  const confirm = async () => {
    busy.value = true;
    await doc.confirmWish(wish.etag);
    busy.value = false;
  };
  return (
    <section class={`wish${wish.confirmed ? "" : " open"}`} aria-label={words.wish}>
      <h2>{wish.confirmed ? <><Icon name="check" /> {words.confirmed}</> : <><Icon name="pause" /> {words.confirmWish}</>}</h2>
      <ul>{wish.lines.map((l, i) => <li key={i} class={l.known ? "" : "unsaid"}><span>{l.text}</span><span class="where"><code><Reveal text={l.line} /></code></span></li>)}</ul>
      {wish.lines.length === 0 && <p>{words.empty}</p>}
      {!wish.confirmed && wish.lines.length > 0 && (
        <div class="actions" ref={acts} role="group" aria-label={words.confirm} aria-disabled={!settled} onClickCapture={onClickCapture}>
          <button class="primary" disabled={busy.value || doc.dirty.value} onClick={() => void confirm()}>{words.confirm}</button>
          <span class="quiet">{doc.dirty.value ? words.saveFirst : words.until}</span>
        </div>
      )}
    </section>
  );
}
