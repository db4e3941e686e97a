import { signal } from "@preact/signals";
import type { Call } from "../types.ts";
import { api } from "../state/api.ts";
import { sandbox } from "../state/project.ts";
import { toast } from "../state/toast.ts";
import { callKey, callWords, readInput } from "../text/calls.ts";
import { closing } from "../text/strings.ts";
import { Modal } from "./modal.tsx";
import { Reveal } from "./reveal.tsx";

/** Close is an end of a dialog that a human wants. */
export interface Close {
  how: "finish" | "delete";
  project: string;
  id: string;
  /** how people call it */
  name: string;
  /** what carries it out */
  act: () => Promise<void>;
}

interface Asked extends Close {
  calls: Call[];
  changed: boolean;
}

const asked = signal<Asked | null>(null);

/** closeDialog finishes or deletes a dialog. Where questions are open, which that would deny, it asks first and names them; a deletion always asks. */
export async function closeDialog(c: Close): Promise<void> {
  const calls = await pendingOf(c);
  if (calls.length === 0 && c.how === "finish") return c.act();
  asked.value = { ...c, calls, changed: false };
}

async function pendingOf(c: Close): Promise<Call[]> { return (await api.dialogHead(c.project, c.id)).pending ?? []; }

// How many calls are named.
const MANY = 8;

/** Closing is the question that closeDialog asks. */
export function Closing() {
  const c = asked.value;
  if (c === null) return null;
  const close = () => (asked.value = null);
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
  const finish = c.how === "finish";
  const n = c.calls.length;
  return (
    <Modal key={`${n} ${c.changed}`} title={finish ? closing.finish(c.name) : closing.remove(c.name)} onClose={close}>
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
      {!finish && <p>{closing.goes}</p>}
      <div class="actions">
        <button autofocus onClick={close}>{finish ? closing.keep : closing.keepIt}</button>
        <button class="danger" onClick={() => void go()}>{finish ? closing.finishNow : closing.removeNow}</button>
      </div>
    </Modal>
  );
}
