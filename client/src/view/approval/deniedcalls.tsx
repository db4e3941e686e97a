import type { Call } from "../../types.ts";
import { sandbox } from "../../state/project.ts";
import { callWords } from "../../text/calls.ts";
import { readInput } from "../../text/input.ts";
import { closing } from "../../text/strings.ts";
import { Reveal } from "../parts/reveal.tsx";

// How many calls are named.
const MANY = 8;

/** DeniedCalls names the calls that wait and would not be carried out. */
export function DeniedCalls({ calls }: { calls: Call[] }) {
  const n = calls.length;
  return (
    <ul class="denied-calls">
      {calls.slice(0, MANY).map((call) => {
        const { verb, object, byName } = callWords(call.tool, readInput(call.inputText).fields, sandbox.value);
        return <li key={call.id}>{call.effect ? closing.keeps : call.tool === "write_file" && call.target?.exists ? closing.over : verb.pending} {byName === true ? <code class="name"><Reveal text={object} /></code> : <b><Reveal text={object} /></b>}</li>;
      })}
      {n > MANY && <li>{closing.more(n - MANY)}</li>}
    </ul>
  );
}
