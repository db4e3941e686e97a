import { useEffect, useMemo } from "preact/hooks";
import type { OpenDoc } from "../../state/doc.ts";
import { dialogTitle } from "../../state/project.ts";
import { Draft } from "../../state/unsent.ts";
import { together } from "../../text/queue.ts";
import { writeRoute } from "../../text/route.ts";
import { passage as say } from "../../text/strings.ts";
import { ApprovalCard } from "../approval/approval.tsx";
import type { Placed } from "../../state/beside.ts";

interface Props {
  doc: OpenDoc;
  one: Placed;
  /** which of the suggestions it is, in words; "" for the only one */
  nth: string;
  /** it is the one that the bar names, which has the keys */
  named: boolean;
  onWhole: (whole: boolean) => void;
}

/** SuggestionInText asks about a change that is drawn in the text above it. */
export function SuggestionInText({ doc, one, nth, named, onWhole, apart }: Props & { apart: () => void }) {
  const why = useWhy(one);
  const show = () => doc.editor?.showSuggested(one.key);
  const more = (
    <p class="in-text-more">
      <Whose one={one} />
      <button type="button" onClick={apart}>{say.asCard}</button>
    </p>
  );
  return (
    <ApprovalCard
      key={one.key} dialog={one.dialog} calls={[one.call]} why={why} show={show} leave={() => doc.editor?.focus()} onWhole={onWhole} nth={nth} named={named}
      inText={{ seen: doc.seen.value.has(one.key), show, words: nth !== "" && <Words all={one.inText ?? []} />, more }}
    />
  );
}

/** SuggestedCard asks about a change that can't be drawn in the text, by the dialog's own card. */
export function SuggestedCard({ doc, one, nth, named, onWhole }: Props) {
  const why = useWhy(one);
  const show = () => cardOf(one.key)?.scrollIntoView({ block: "nearest" });
  return (
    <div class="apart" data-suggestion={one.key}>
      <p class="quiet">{say.elsewhere} <Whose one={one} /></p>
      <ApprovalCard key={one.key} dialog={one.dialog} calls={[one.call]} why={why} show={show} leave={() => doc.editor?.focus()} onWhole={onWhole} nth={nth} named={named} />
    </div>
  );
}

// The words of a change, so that it is told from the others below the same lines.
function Words({ all }: { all: { gone: string; come: string }[] }) {
  return <p class="in-text-words" dir="auto">{all.slice(0, PLACES).map(({ gone, come }) => <>{gone.trim() !== "" && <del class="md-struck">{short(gone)}</del>} {come.trim() !== "" && <ins class="md-set-in">{short(come)}</ins>} </>)}{all.length > PLACES && "…"}</p>;
}

// How many places of a change are named, and of how many letters each.
const PLACES = 2, LETTERS = 48;

function short(words: string): string {
  const all = [...words.trim().replace(/\s+/g, " ")];
  return all.length <= LETTERS ? all.join("") : `${all.slice(0, LETTERS - 1).join("")}…`;
}

function Whose({ one }: { one: Placed }) { return <a href={writeRoute({ at: "dialogs", project: one.dialog.project, dialog: one.dialog.id })}>{say.toDialog(dialogTitle(one.dialog.id))}</a>; }

/** cardOf returns the card that asks apart from the text about a suggestion. */
export function cardOf(key: string): HTMLElement | null {
  return [...document.querySelectorAll<HTMLElement>("[data-suggestion]")].find((e) => e.dataset["suggestion"] === key)?.querySelector<HTMLElement>(".approval") ?? null;
}

// Why not, for this question alone. Where it is answered elsewhere, what was written goes to the dialog's message.
function useWhy({ dialog, call }: Placed): Draft {
  const why = useMemo(() => new Draft(dialog.project, `${dialog.id}?why:${call.id}`), [dialog, call.id]);
  useEffect(() => () => {
    const text = why.text.peek();
    if (text.trim() !== "" && !dialog.pending.peek().some((c) => c.id === call.id)) {
      dialog.write(together(text, dialog.message.peek()));
      why.write("");
    }
    why.close();
  }, [why]);
  return why;
}
