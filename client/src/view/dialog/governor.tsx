import type { OpenDialog } from "../../state/dialog.ts";
import { takenBackIn } from "../../state/undo.ts";
import type { Governor, LedgerFile } from "../../types.ts";
import { budgetWords, ledgerWords, phaseWords, shortHash, stepsOf, stopTitle } from "../../text/governor.ts";
import { AGENTS } from "../../text/names.ts";
import { effort, stands as say } from "../../text/strings.ts";
import { Icon } from "../parts/icon.tsx";
import { Reveal } from "../parts/reveal.tsx";

/** GovernorStrip shows where a turn stands: its phase, its rounds, what stopped it, and which files it touched. */
export function GovernorStrip({ dialog: d }: { dialog: OpenDialog }) {
  const told = d.governor.value;
  if (told === null || !d.sections.value.some((s) => s.role === "User")) return null;
  const back = takenBackIn(d);
  const g = { ...told, ledger: { ...told.ledger, modified: told.ledger.modified.filter((f) => !back.has(f.path)) } };
  const steps = stepsOf(g.phase, g.unverified);
  const budget = d.provider.value === AGENTS ? "" : budgetWords(g, d.status.value === "active"); // no rounds are counted for such an agent
  const stop = stopTitle(g.stopped);
  const files = ledgerWords(g);
  if (steps.length === 0 && budget === "" && stop === "" && !g.unverified && files === "") return null;
  return (
    <div class="governor" role="group" aria-label={say.name}>
      {steps.length > 0 && (
        <ol class="phases" aria-label={say.allPhases}>
          {steps.map((s) => (
            <li class={s.at} {...(s.at === "now" ? { "aria-current": "step" as const, title: phaseWords(g.phase, g.label ?? "") } : {})}>
              {s.at === "past" && <Icon name="check" />}{s.word}{s.at === "past" && <span class="unseen">{say.done}</span>}{s.at === "left" && <span class="unseen">{say.notDone}</span>}
            </li>
          ))}
        </ol>
      )}
      {budget !== "" && (
        <span class="budget" {...(g.intent === "" ? {} : { title: effort.words(g.intent, g.budget.limit) })}><progress value={g.budget.used} max={g.budget.limit} aria-hidden="true" /> {budget}</span>
      )}
      {stop !== "" && <span class="mark"><Icon name="stop" /> {stop}</span>}
      {g.unverified && d.status.value !== "active" && <span class="mark"><Icon name="warn" /> {say.notChecked}</span>}
      <span class="spread" />
      {files !== "" && <LedgerView g={g} words={files} />}
    </div>
  );
}

function LedgerView({ g, words }: { g: Governor; words: string }) {
  return (
    <details class="ledger">
      <summary>{words}</summary>
      <div class="files" role="region" aria-label={say.files} tabIndex={0}>
        <Files title={say.changed} files={g.ledger.modified} changed />
        <Files title={say.read} files={g.ledger.read} changed={false} />
      </div>
    </details>
  );
}

function Files({ title, files, changed }: { title: string; files: LedgerFile[]; changed: boolean }) {
  if (files.length === 0) return null;
  return (
    <>
      <h3>{title}</h3>
      <ul>
        {files.map((f) => <li key={f.path}><span class="path"><Reveal text={f.path} /></span> <code title={f.sha256 && say.hash(f.sha256)}>{shortHash(f, changed)}</code></li>)}
      </ul>
    </>
  );
}
