import { asked, pendingOf } from "../state/closing.ts";
import { sandbox } from "../state/project.ts";
import { toast } from "../state/toast.ts";
import { callKey, callWords, readInput } from "../text/calls.ts";
import { closing } from "../text/strings.ts";
import { Modal } from "./modal.tsx";
import { Reveal } from "./reveal.tsx";

// How many calls are named.
const MANY = 8;

/** Closing is the question that closeDialog asks. */
export function Closing({ onClose: close }: { onClose: () => void }) {
  const c = asked.value;
  if (c === null) return null;
  // What was denied must have been named here.
  const go = async () => {
    try {
      const now = await pendingOf(c);
      if (now.map(callKey).join() !== c.calls.map(callKey).join()) {
        asked.value = { ...c, calls: now, changed: true };
        return;
      }
      close();
      await c.act();
    } catch (e) {
      close();
      toast((e as Error).message);
    }
  };
  const n = c.calls.length;
  return (
    <Modal key={`${n} ${c.changed}`} title={closing.finish(c.name)} onClose={close}>
      {c.changed && <p class="error">{closing.changed}</p>}
      {n > 0 && <p>{closing.denies(n)}</p>}
      {n > 0 && (
        <ul class="denied-calls">
          {c.calls.slice(0, MANY).map((call) => {
            const { verb, object } = callWords(call.tool, readInput(call.inputText).fields, sandbox.value);
            return <li key={call.id}>{call.tool === "write_file" && call.target?.exists ? closing.over : verb.pending} <b><Reveal text={object} /></b></li>;
          })}
          {n > MANY && <li>{closing.more(n - MANY)}</li>}
        </ul>
      )}
      <div class="actions">
        <button autofocus onClick={close}>{closing.keep}</button>
        <button class="danger" onClick={() => void go()}>{closing.finishNow}</button>
      </div>
    </Modal>
  );
}
