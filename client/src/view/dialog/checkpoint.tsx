import type { OpenDialog } from "../../state/dialog.ts";
import type { Item } from "../../text/items.ts";
import { payload } from "../../text/items.ts";
import { readCheckpoint } from "../../text/notes.ts";
import { checkpoint as say } from "../../text/strings.ts";
import { Icon } from "../parts/icon.tsx";
import { Reveal } from "../parts/reveal.tsx";
import { ToolCard } from "./toolcard.tsx";

/** CheckpointCard shows what an agent said before it changes anything: its goal, what it found, what it proposes. */
export function CheckpointCard({ item, dialog, running }: { item: Item & { kind: "tool" }; dialog: OpenDialog; running: boolean }) {
  const said = readCheckpoint(payload(item.request, "tool/input/json"));
  if (said === null) return <ToolCard item={item} dialog={dialog} running={running} />;
  const part = (name: string, text: string) => <><dt>{name}</dt><dd dir="auto"><Reveal text={text} /></dd></>;
  return (
    <section class="card checkpoint" aria-label={say.name}>
      <h2><Icon name="check" /> {say.before}</h2>
      <dl>
        {part(say.goal, said.goal)}
        {part(say.found, said.findings)}
        {part(say.proposes, said.proposal)}
      </dl>
    </section>
  );
}
