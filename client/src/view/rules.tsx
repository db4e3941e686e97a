import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import type { OpenDoc } from "../state/doc.ts";
import type { LineProblem, ProjectRules, Rule, Wish } from "../types.ts";
import { docs as say, rules as words } from "../text/strings.ts";
import { Icon } from "./icon.tsx";
import { Reveal } from "./reveal.tsx";
import { useSettled } from "./still.ts";

const PARTS: Rule["about"][] = ["may", "spend", "check"];

/** RulesCard is a quiet line above the doc that leads: what it lets agents do, as it is saved. It opens over the text, at a click. */
export function RulesCard({ doc, rules }: { doc: OpenDoc; rules: ProjectRules }) {
  const open = useSignal(false);
  const head = useRef<HTMLElement>(null);
  const asks = rules.wish !== undefined && !rules.wish.confirmed;
  const close = (e: KeyboardEvent) => {
    if (e.key !== "Escape" || !open.value) return;
    open.value = false;
    head.current?.focus();
  };
  // The line that is gone to must not lie below the card.
  const gone = (e: MouseEvent) => { if ((e.target as Element).closest("button.where")) open.value = false; };
  return (
    <details class="rules" open={open.value} onToggle={(e) => (open.value = e.currentTarget.open)} onKeyDown={close}>
      <summary ref={head}>
        <span>{say.rules}</span>
        {rules.problems.length > 0 && <span class="mark"> · {say.noEffect(problemCount(rules.problems))}</span>}
        {asks && <span class="mark"> · {say.toConfirm}</span>}
      </summary>
      <div class="rules-body" role="region" aria-label={words.name} tabIndex={0} onClick={gone}>
        {doc.dirty.value && <p class="quiet">{words.saved}</p>}
        {rules.problems.length > 0 && <Problems doc={doc} rules={rules} />}
        {rules.wish && <WishCard key={rules.wish.etag} doc={doc} wish={rules.wish} />}
        {PARTS.map((about) => <Rules key={about} doc={doc} title={words.parts[about]} rules={rules.rules.filter((r) => r.line && r.about === about)} />)}
        <Rules doc={doc} title={words.usual} rules={rules.rules.filter((r) => !r.line)} />
      </div>
    </details>
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

/** ToLine is a button to a line of the text below. */
function ToLine({ doc, line }: { doc: OpenDoc; line: number }) {
  return <button class="where" onClick={() => doc.editor?.goTo(line)}>{words.line(line)}</button>;
}

function Problems({ doc, rules }: { doc: OpenDoc; rules: ProjectRules }) {
  const lines = (doc.saved.value ?? "").split("\n");
  return (
    <section role="status" aria-label={words.noEffect}>
      <h2 class="mark"><Icon name="warn" /> {words.notKnown}</h2>
      <ul>{rules.problems.map((p) => <li key={`${p.line} ${p.text}`}><span><code><Reveal text={(lines[p.line - 1] ?? "").trim()} /></code> <Reveal text={p.text} /></span><ToLine doc={doc} line={p.line} /></li>)}</ul>
    </section>
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
