import { useMemo } from "preact/hooks";
import type { Call } from "../../types.ts";
import { calledIn, health, sandbox } from "../../state/project.ts";
import { callWords } from "../../text/calls.ts";
import { readInput } from "../../text/input.ts";
import { fileEffect, questionOf, type Before } from "../../text/file.ts";
import { hiddenCount } from "../../text/hidden.ts";
import type { Part } from "../../text/part.ts";
import { asking, hidden as unseen, tried, write } from "../../text/strings.ts";
import { lasting, partsIn, triedWords, type Shown } from "../../text/tried.ts";
import { walled } from "../../text/walls.ts";
import { askId, type Opened } from "./answers.ts";
import { Exact } from "../parts/exact.tsx";
import { Icon } from "../parts/icon.tsx";
import { PartView } from "../parts/part.tsx";
import { Reveal } from "../parts/reveal.tsx";
import { TriedView } from "./triedview.tsx";

interface Props {
  call: Call;
  parts: Part[];
  warning: string;
  /** what the file holds now that it would write over, and how to read it again */
  before: Before;
  readAgain: () => void;
  /** it would be refused if it were allowed */
  vain: boolean;
  /** another call that waits changes the same words */
  clash: boolean;
  /** what a tried command changed, in the order in which it is shown */
  shown: Shown[];
  /** the id that the words of its effect begin with, which the card is described by */
  about: string;
  level: "alone" | "row";
  opened: Opened;
  toggle: (id: string, key: string) => (open: boolean) => void;
  /** true where this dialog's commands may use the network */
  network: boolean;
}

/** CallView shows one waiting call: the question in words, what happens if it is allowed, and the exact input. */
export function CallView({ call, about, parts, warning, before, readAgain, vain, clash, shown, level, opened, toggle, network }: Props) {
  const { fields } = useMemo(() => readInput(call.inputText), [call.inputText]);
  const words = callWords(call.tool, fields, sandbox.value, network, health.value?.layers === true);
  const description = typeof fields?.["description"] === "string" ? (fields["description"] as string) : "";
  const hidden = useMemo(() => [...partsIn(shown), ...parts].reduce((n, p) => n + hiddenCount(p.label) + hiddenCount(p.kind === "text" ? p.text : p.lines.map((l) => (l.kind === "same" ? "" : l.text)).join("\n")), hiddenCount(words.question) + hiddenCount(words.effect) + hiddenCount(words.says ?? "") + hiddenCount(call.server?.tool ?? "")), [parts, shown]);
  const called = calledIn(fields);
  const file = useMemo(() => fileEffect(call, parts, before), [call, parts, before]);
  const effect = call.effect ? `${triedWords(call.effect, call.target)} ${tried.waits}` : words.effect;
  const stays = lasting(call);
  const bare = !call.effect && (call.tool === "run_command" || call.tool === "start_server") && !walled(sandbox.value);
  const loses = !call.effect && words.loses;
  const { quoted } = words;
  const question = quoted === undefined ? <Reveal text={questionOf(call, sandbox.value)} /> : <>{quoted.before}<code class="name"><Reveal text={quoted.name} /></code>{quoted.after}</>;
  return (
    <>
      {level === "alone" ? <h2><Icon name="pause" /> <span data-read="question">{question}</span></h2> : <h3 id={askId(call)} data-read="question">{question}</h3>}
      {called !== "" && <p class="as" dir="auto"><Reveal text={called} /></p>}
      {effect !== "" && (bare ? <p class="warning" id={`${about}-effect`} data-read="effect"><Icon name="warn" /> {effect}</p> : <p class={`effect${loses ? " loses" : ""}`} id={`${about}-effect`} data-read="effect">{loses && <Icon name="warn" />} <Reveal text={effect} /></p>)}
      {stays !== "" && <p class="effect loses" data-read="lasting"><Icon name="warn" /> {stays}</p>}
      {file.words !== "" && <p class={vain ? "warning" : `effect${file.loses ? " loses" : ""}`} id={`${about}-file`} data-read={before.is === "reading" ? undefined : "file"}>{(file.loses || vain) && <Icon name="warn" />} <Reveal text={file.words} /></p>}
      {clash && <p class="warning" data-read="clash"><Icon name="warn" /> <Reveal text={write.clashes(call.target?.path ?? "")} /></p>}
      {before.is === "failed" && <p><button type="button" onClick={readAgain}>{write.again}</button></p>}
      {words.whose !== undefined && <p class="effect" data-read="whose">{words.whose}</p>}
      {call.server !== undefined && <p class="effect" data-read="server">{asking.tool} <code class="name"><Reveal text={call.server.tool} /></code> {asking.ofServer} <code class="name"><Reveal text={call.server.name} /></code>.{call.server.readOnly === true && ` ${asking.readOnly}`}</p>}
      {words.says !== undefined && <p class="says" data-read="title">{asking.says} “<Reveal text={words.says} />”</p>}
      {description !== "" && <p class="says" data-read="description">{asking.says} “<Reveal text={description} />”</p>}
      {warning !== "" && <p class="warning" data-read="warning"><Icon name="warn" /> {warning}</p>}
      {hidden > 0 && <p class="warning" data-read="hidden"><Icon name="warn" /> {unseen.drawn(hidden)}</p>}
      {call.effect && <TriedView call={call} tried={call.effect} shown={shown} again={readAgain} opened={opened} toggle={toggle} />}
      {parts.map((p) => <PartView key={p.key} part={p} open={opened.has(`${call.id}/${p.key}`)} onOpen={toggle(call.id, p.key)} />)}
      <details class="exactly">
        <summary>{asking.exactInput}</summary>
        <Exact text={call.inputText} />
        <p class="quiet hash">{asking.hash(call.sha256)}</p>
      </details>
    </>
  );
}
