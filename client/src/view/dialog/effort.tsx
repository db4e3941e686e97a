import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { api } from "../../state/api.ts";
import { budgets, loadBudgets } from "../../state/budgets.ts";
import { lostSince } from "../../state/live.ts";
import { INTENTS } from "../../text/governor.ts";
import { effort } from "../../text/strings.ts";
import { useRested } from "../parts/still.ts";

interface Props {
  project: string;
  /** the dialog; null where there is none yet, which can't be asked how the text reads */
  id: string | null;
  /** what is written, and not sent */
  text: string;
  /** what the human chose; "" leaves it to how the text reads */
  value: string;
  onChange: (intent: string) => void;
}

// A pause in writing after which it is looked how the text reads, in ms; and how much of each end of a long one is.
const PAUSE = 400, ENDS = 8000;

/** Effort is a quiet menu: how much work the next message may be. What follows from the text is shown before it is sent. */
export function Effort({ project, id, text, value, onChange }: Props) {
  const reads = useSignal("");
  const rests = useRested();
  useEffect(() => void loadBudgets(project).catch(() => undefined), [project]);
  useEffect(() => {
    if (id === null || text.trim() === "" || value !== "" || lostSince.peek() !== null) return void (reads.value = "");
    const over = new AbortController();
    const look = () => api.intent(project, id, text.length <= 2 * ENDS ? text : `${text.slice(0, ENDS)}\n${text.slice(-ENDS)}`, over.signal).then((i) => (reads.value = i), () => undefined);
    const timer = setTimeout(look, PAUSE);
    return () => { clearTimeout(timer); over.abort(); };
  }, [project, id, text, value]);
  const words = (i: string) => effort.words(i, budgets.value.get(i));
  return (
    <span class="picker compact">
      <select disabled={!rests} aria-label={effort.label} title={effort.title(value)} value={value} onChange={(e) => onChange(e.currentTarget.value)}>
        <option value="">{reads.value === "" ? effort.asItReads : effort.reads(words(reads.value))}</option>
        {INTENTS.map((i) => <option value={i}>{words(i)}</option>)}
      </select>
    </span>
  );
}
