import { useMemo } from "preact/hooks";
import type { Call } from "../types.ts";
import { sandbox } from "../state/project.ts";
import { callWords, readInput } from "../text/calls.ts";
import { fileWords } from "../text/file.ts";
import { hiddenCount } from "../text/hidden.ts";
import { editEffect, partsOf } from "../text/parts.ts";
import { plural } from "../text/time.ts";
import { walled } from "../text/walls.ts";
import { Exact } from "./exact.tsx";
import { Icon } from "./icon.tsx";
import { PartView } from "./part.tsx";
import { Reveal } from "./reveal.tsx";

export type Opened = ReadonlySet<string>;

interface Props {
  call: Call;
  level: "alone" | "row";
  opened: Opened;
  toggle: (id: string, key: string) => (open: boolean) => void;
  /** true where this dialog's commands may use the network */
  network: boolean;
}

/** CallView shows one waiting call: the question in words, what happens if it is allowed, and the exact input. */
export function CallView({ call, level, opened, toggle, network }: Props) {
  const { fields } = useMemo(() => readInput(call.inputText), [call.inputText]);
  const { parts, warning } = useMemo(() => partsOf(call.tool, call.inputText), [call.tool, call.inputText]);
  const words = callWords(call.tool, fields, sandbox.value, network);
  const description = typeof fields?.["description"] === "string" ? (fields["description"] as string) : "";
  const hidden = useMemo(() => parts.reduce((n, p) => n + hiddenCount(p.kind === "text" ? p.text : p.lines.map((l) => l.text).join("\n")), hiddenCount(words.question) + hiddenCount(words.effect)), [parts]);
  const effect = call.tool === "edit_file" ? editEffect(parts) : words.effect;
  const file = fileWords(call.tool, call.target);
  const bare = (call.tool === "run_command" || call.tool === "start_server") && !walled(sandbox.value);
  const question = <Reveal text={words.question} />;
  return (
    <>
      {level === "alone" ? <h2><Icon name="pause" /> <span data-read="question">{question}</span></h2> : <h3 data-read="question">{question}</h3>}
      {effect !== "" && (bare ? <p class="warning" data-read="effect"><Icon name="warn" /> {effect}</p> : <p class="effect" data-read="effect"><Reveal text={effect} /></p>)}
      {file !== "" && <p class="effect" data-read="file">{file}</p>}
      {description !== "" && <p class="says" data-read="description">It says: “<Reveal text={description} />”</p>}
      {warning !== "" && <p class="warning" data-read="warning"><Icon name="warn" /> {warning}</p>}
      {hidden > 0 && <p class="warning" data-read="hidden"><Icon name="warn" /> {plural(hidden, "hidden character")}, drawn where {hidden === 1 ? "it stands" : "they stand"}.</p>}
      {parts.map((p) => <PartView key={p.key} part={p} open={opened.has(`${call.id}/${p.key}`)} onOpen={toggle(call.id, p.key)} />)}
      <details class="exactly">
        <summary>Exact input</summary>
        <Exact text={call.inputText} />
        <p class="quiet hash">sha256 {call.sha256}</p>
      </details>
    </>
  );
}
