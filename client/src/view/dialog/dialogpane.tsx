import type { ComponentChildren } from "preact";
import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { api } from "../../state/api.ts";
import type { OpenDialog } from "../../state/dialog.ts";
import { download } from "../../state/download.ts";
import { go } from "../../state/navigation.ts";
import { byId, dialogs, models } from "../../state/project.ts";
import { hold } from "../../state/queue.ts";
import { isCovered } from "../../text/governor.ts";
import { standsAt, totals } from "../../text/items.ts";
import { toast } from "../../state/toast.ts";
import { nameOf } from "../../text/names.ts";
import { writeRoute } from "../../text/route.ts";
import { dollars, heldBy } from "../../text/spent.ts";
import { head, keys, list, strip, took } from "../../text/strings.ts";
import { number, seconds } from "../../text/time.ts";
import { reviewing } from "../../state/review.ts";
import { closeDialog } from "../../state/closing.ts";
import { Composer } from "./composer.tsx";
import { DeleteDialog } from "./deletedialog.tsx";
import { DialogTitle, Kin, titleOf } from "./dialoghead.tsx";
import { GovernorStrip } from "./governor.tsx";
import { useAct } from "../parts/act.ts";
import { Icon } from "../parts/icon.tsx";
import { keysHere, shortcut } from "../parts/kbd.tsx";
import { showKeys } from "../../state/keys.ts";
import { Log } from "./log.tsx";
import { MenuButton, MenuItem } from "../parts/menubutton.tsx";
import { above } from "../parts/later.tsx";
import { StandingAllows } from "../approval/standing.tsx";
import { StatusMark } from "../parts/status.tsx";
import { useSettled } from "../parts/still.ts";
import { useKey } from "../parts/usekey.ts";

const Review = above(() => import("./review.tsx").then((m) => m.Review));

/** DialogPane shows one dialog: its status, its log, and the message box. */
export function DialogPane({ dialog: d }: { dialog: OpenDialog | null }) { return d === null ? <main class="pane" /> : <Pane key={d.id} dialog={d} />; }

function Pane({ dialog: d }: { dialog: OpenDialog }) {
  if (d.gone.value) {
    return (
      <main class="pane empty">
        <div><p>{strip.gone}</p><p><a href={writeRoute({ at: "dialogs", project: d.project, dialog: null })}>{strip.back}</a></p></div>
      </main>
    );
  }
  return (
    <main class="pane dialog" aria-label={strip.dialog(titleOf(d))}>
      <Strip d={d} />
      <StandingAllows dialog={d} />
      <Kin d={d} />
      {d.provider.value === "replay" && (
        <div class="bar replay" role="note"><span>{strip.recording}</span></div>
      )}
      <TwoFiles d={d} />
      <Log dialog={d} />
      <GovernorStrip dialog={d} />
      <Composer dialog={d} />
      {reviewing.value?.dialog === d && <Review key={reviewing.value.turn} dialog={d} turn={reviewing.value.turn} onClose={() => { reviewing.value = null; }} />}
    </main>
  );
}

/** TwoFiles says that another file of this dialog is in the folder. */
function TwoFiles({ d }: { d: OpenDialog }) {
  const info = byId.value.get(d.id);
  if (!info?.other) return null;
  return <div class="bar bad" role="alert"><span>{strip.twoFiles(info.filename, info.other)}</span></div>;
}

function Strip({ d }: { d: OpenDialog }) {
  const { act: run, busy } = useAct();
  const act = (what: () => Promise<void>) => () => void run(what);
  const t = totals(d.sections.value);
  const status = d.status.value;
  // A stop has its own Continue, in its card; one that a Summary stands for is folded away.
  const stop = standsAt(d.sections.value.filter((s) => !s.torn));
  const stopped = status === "waiting" && d.needs.value === "continue" && (stop === undefined || isCovered(d.sections.value, d.governor.value?.covers ?? [], stop));
  // Continue and Finish appear where Stop was.
  const acts = useRef<HTMLSpanElement>(null);
  const { settled, onClickCapture } = useSettled(acts, `${status} ${d.needs.value}`);
  // Without a question the key goes to what goes on where the turn stopped. Left to the
  // browser, its search box would take the words that follow.
  useKey("question", () => {
    const on = document.querySelector<HTMLElement>(":is(.log :is(.stop, .failure), .strip .acts) button.primary");
    if (on === null) return toast(strip.noQuestion);
    on.focus();
  }, true);
  useKey("stop", () => { if (status === "active") act(() => d.stop())(); });
  const end = () => {
    hold(d, strip.finishedFirst);
    return d.finish();
  };
  const finish = () => closeDialog({ project: d.project, id: d.id, name: titleOf(d), act: end });
  // A narrow window has no room for it but behind the dots.
  const ends = (where: string, Act: typeof MenuItem | "button") => (
    <>
      {status === "waiting" && d.sections.value.length > 0 && <Act class={where} disabled={busy.value} title={strip.finishAbout} onClick={act(finish)}>{strip.finish}</Act>}
      {status === "done" && <Act class={where} disabled={busy.value} title={strip.reopenAbout} onClick={act(() => d.stop())}>{strip.reopen}</Act>}
    </>
  );
  return (
    <div class="strip">
      <a class="back" href={writeRoute({ at: "dialogs", project: d.project, dialog: null })} onClick={(e) => { e.preventDefault(); go({ at: "dialogs", project: d.project, dialog: null }); }}>
        <Icon name="back" /> {strip.dialogs}
      </a>
      <DialogTitle d={d} />
      {status !== null && <StatusMark d={{ status, needs: d.needs.value }} word />}
      {t.ms > 0 && <span class="quiet time" title={strip.took}>{seconds(t.ms)}</span>}
      <span class="spread" />
      <span class="acts" ref={acts} role="group" aria-label={strip.acts} aria-disabled={!settled} onClickCapture={onClickCapture}>
        {status === "active" && <button disabled={busy.value} onClick={act(() => d.stop())} aria-keyshortcuts={shortcut("Ctrl .")} title={keysHere("Ctrl .")}>{strip.stop}</button>}
        {stopped && <button class="primary" disabled={busy.value} onClick={act(() => d.resume())}>{strip.resume}</button>}
        {ends("if-wide", "button")}
        {status !== null && (
          <More d={d} onSumUp={status !== "active" && d.sections.value.length > 0 ? act(() => d.sumUp()) : null}>
            {ends("if-narrow", MenuItem)}
          </More>
        )}
      </span>
    </div>
  );
}

// What is rarely asked of a dialog, behind the dots.
function Facts({ d }: { d: OpenDialog }) {
  const t = totals(d.sections.value);
  const cost = byId.value.get(d.id)?.cost;
  const others = (dialogs.value ?? []).filter((i) => i.status === "active" && i.dialogId !== d.id).map(nameOf);
  const held = heldBy(d.sections.value, d.provider.value, d.model.value, models.value ?? []);
  return (
    <div class="facts quiet">
      <p dir="auto">{titleOf(d)}</p>
      {others.length > 0 && <p>{strip.others(others)}</p>}
      {t.in + t.out > 0 && <p title={took.unit}>{took.words(t.in, t.out)}</p>}
      {cost !== undefined && <p title={strip.cost(cost.asOf)}>{dollars(cost.usd)}</p>}
      {held !== null && <p title={strip.held(number(held.tokens), number(held.window))}>{strip.full(Math.min(100, Math.round((100 * held.tokens) / held.window)))}</p>}
      {d.filename.value !== "" && <details><summary>{strip.details}</summary><code class="file" title={strip.file}>{d.filename.value}</code></details>}
    </div>
  );
}

/** More holds what is rarely done with a dialog. */
function More({ d, onSumUp, children }: { d: OpenDialog; onSumUp: (() => void) | null; children: ComponentChildren }) {
  const deleting = useSignal(false);
  const info = byId.value.get(d.id);
  return (
    <>
      <MenuButton label={strip.more} class="more" beside={<Facts d={d} />}>
        {onSumUp && <MenuItem about={strip.sumUpAbout} onClick={onSumUp}>{strip.sumUp}</MenuItem>}
        <MenuItem title={head.pageAbout} onClick={() => void download(api.dialogPage(d.project, d.id), `${d.id}.html`)}>{head.page}</MenuItem>
        <MenuItem onClick={showKeys}>{keys.open}</MenuItem>
        <MenuItem disabled={!info} onClick={() => (deleting.value = true)}>{list.remove}</MenuItem>
        {children}
      </MenuButton>
      {deleting.value && info && <DeleteDialog project={d.project} d={info} onClose={() => (deleting.value = false)} />}
    </>
  );
}
