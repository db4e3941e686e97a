import { effect, useSignalEffect } from "@preact/signals";
import { render, type VNode } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { Beside as State, type Answered, type Placed, type Wanted } from "../../state/beside.ts";
import { useDiffer } from "../../state/differ.ts";
import type { Drawn, OpenDoc } from "../../state/doc.ts";
import { SHOWN } from "../../text/passage.ts";
import { passage as say } from "../../text/strings.ts";
import { suggestionIn } from "../../text/suggestion.ts";
import { AnswerBeside } from "./answer.tsx";
import { SuggestedCard, SuggestionInText } from "./suggestion.tsx";
import { SuggestionBar } from "./suggestionbar.tsx";

// The pause after a change of the text before what is drawn in it is looked for anew, in ms.
const PAUSE = 150;

/**
 * Beside shows what agents say and want of the doc in view, where its words stand: an answer
 * below its passage, an edit in the text, and what can't be drawn there as a card at its foot.
 */
export function Beside({ doc }: { doc: OpenDoc; onClose: () => void }) {
  const state = useMemo(() => new State(doc), [doc]);
  useEffect(() => () => state.close(), [state]);
  useSignalEffect(() => {
    const q = doc.question.value;
    if (q !== null) state.answer(q.dialog, q);
  });
  const hosts = useRef(new Map<string, HTMLElement>());
  // What the human wants to see apart from the text.
  const [apart, setApart] = useState<ReadonlySet<string>>(new Set());
  const [all, setAll] = useState<Placed[]>([]);
  const [whole, setWhole] = useState<ReadonlySet<string>>(new Set());
  // The suggestion that the bar names, which alone has the keys.
  const [at, setAt] = useState("");
  const refined = useDiffer();
  const onWhole = (key: string) => (is: boolean) => setWhole((was) => {
    const now = new Set(was);
    if (is) now.add(key);
    else now.delete(key);
    return now;
  });
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined, drew = -Infinity;
    const place = () => {
      drew = performance.now();
      const { editor } = doc;
      if (editor === null) return;
      const answers = state.answers.peek(), wanted = state.wanted.peek();
      if (answers.length + wanted.length + hosts.current.size === 0) return setAll((was) => (was.length === 0 ? was : []));
      const { drawn, ones } = placed(doc, wanted, apart, (key) => hostOf(hosts.current, key));
      const keys = new Set([...drawn.map((d) => d.key), ...answers.map(answerKey)]);
      for (const [key, host] of hosts.current) {
        if (keys.has(key)) continue;
        render(null, host);
        hosts.current.delete(key);
      }
      const below = answers.map((a) => ({ key: answerKey(a), from: a.from, to: a.to, ...movedTo(editor.suggestedAt(answerKey(a))), pieces: [], host: hostOf(hosts.current, answerKey(a)) }));
      editor.suggest([...drawn, ...below]);
      for (const a of answers) show(hostOf(hosts.current, answerKey(a)), <AnswerBeside state={state} answer={a} leave={() => editor.focus()} />);
      ones.forEach((o, i) => {
        if (o.inText) show(hostOf(hosts.current, o.key), <SuggestionInText doc={doc} one={o} nth={nthOf(i, ones.length)} named={isNamed(o, ones, at)} onWhole={onWhole(o.key)} apart={() => setApart((was) => new Set(was).add(o.key))} />);
      });
      setAll(ones);
    };
    const off = effect(() => {
      void doc.version.value;
      const idle = state.wanted.value.length + state.answers.value.length === 0;
      clearTimeout(timer);
      timer = setTimeout(place, idle || performance.now() - drew > PAUSE ? 0 : PAUSE);
    });
    return () => {
      clearTimeout(timer);
      off();
    };
  }, [doc, state, apart, refined, at]);
  useEffect(() => () => {
    for (const host of hosts.current.values()) render(null, host);
    doc.editor?.suggest([]);
  }, [doc]);
  return (
    <>
      {all.some((o) => !o.inText) && (
        <div class="scroll suggested-apart">
          {all.map((o, i) => !o.inText && <SuggestedCard key={o.key} doc={doc} one={o} nth={nthOf(i, all.length)} named={isNamed(o, all, at)} onWhole={onWhole(o.key)} />)}
        </div>
      )}
      {all.length > 0 && <SuggestionBar doc={doc} all={all} whole={whole} at={at} setAt={setAt} />}
    </>
  );
}

const nthOf = (i: number, of: number) => (of === 1 ? "" : say.at(i + 1, of));
const isNamed = (o: Placed, all: Placed[], at: string) => o.key === (all.find((a) => a.key === at) ?? all[0])!.key;
const answerKey = (a: Answered) => `answer/${a.dialog.id}`;
const movedTo = (at: { from: number; to: number } | null) => (at === null ? {} : { from: at.from, to: at.to });

// What is drawn in an element once that stands in the page: a part of the text that is far away does not.
const due = new WeakMap<HTMLElement, VNode>();

function show(host: HTMLElement, what: VNode): void {
  if (!due.has(host)) host.addEventListener(SHOWN, () => render(due.get(host)!, host));
  due.set(host, what);
  if (host.isConnected) render(what, host);
}

function hostOf(hosts: Map<string, HTMLElement>, key: string): HTMLElement {
  const host = hosts.get(key) ?? document.createElement("div");
  hosts.set(key, host);
  return host;
}

// What is drawn in the text, in its order, and behind that what is not. Two that overlap can't both be.
function placed(doc: OpenDoc, wanted: Wanted[], apart: ReadonlySet<string>, host: (key: string) => HTMLElement): { drawn: Drawn[]; ones: Placed[] } {
  const text = wanted.length > 0 ? doc.text : "";
  const drawn: Drawn[] = [], inText = new Map<string, Placed>(), below: Placed[] = [];
  for (const w of wanted) {
    const s = apart.has(w.key) ? null : suggestionIn(w.call, text);
    if (s === null || drawn.some((d) => d.from <= s.to && s.from <= d.to)) {
      below.push({ ...w, inText: null });
      continue;
    }
    drawn.push({ ...s, key: w.key, host: host(w.key) });
    inText.set(w.key, { ...w, inText: s.pieces.map((p) => ({ gone: text.slice(p.from, p.to), come: p.add })) });
  }
  drawn.sort((a, b) => a.from - b.from); // so stand their cards, too, where several stand below one line
  return { drawn, ones: [...drawn.map((d) => inText.get(d.key)!), ...below] };
}
