import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { DocHistory, DocVersion } from "../../types.ts";
import { api } from "../../state/api.ts";
import type { OpenDoc } from "../../state/doc.ts";
import { docTitle } from "../../state/project.ts";
import { announce } from "../../state/toast.ts";
import { choose, timesOf } from "../../text/history.ts";
import { diffPart, type DiffPart } from "../../text/part.ts";
import { history as say } from "../../text/strings.ts";
import { Diff } from "../parts/diff.tsx";
import { Modal } from "../parts/modal.tsx";
import { DialogLink } from "./dialoglink.tsx";

interface Compared { a: number; b: number; part: DiffPart; same: boolean }

/** History shows the versions of a doc, compares two of them, and puts one back. */
export function History({ doc, onClose }: { doc: OpenDoc; onClose: () => void }) {
  const read = useSignal<DocHistory | null>(null);
  const failed = useSignal("");
  const chosen = useSignal<number[]>([]);
  const compared = useSignal<Compared | null>(null);
  const busy = useSignal(false);
  const result = useRef<HTMLElement>(null);
  const load = async () => {
    failed.value = "";
    try {
      read.value = await api.history(doc.project, doc.name);
    } catch (e) {
      failed.value = say.failed((e as Error).message);
    }
  };
  useEffect(() => void load(), [doc]);
  useEffect(() => {
    if (compared.value === null) return;
    result.current?.focus({ preventScroll: true });
    result.current?.scrollIntoView({ block: "nearest" });
  }, [compared.value]);

  const h = read.value;
  const times = timesOf(h?.versions ?? []);
  const textOf = (n: number) => api.version(doc.project, doc.name, h!.versions[n]!.sha256);
  const doing = async (act: () => Promise<void>) => {
    if (busy.value) return;
    busy.value = true;
    failed.value = "";
    try {
      await act();
    } catch (e) {
      failed.value = say.failed((e as Error).message);
    } finally {
      busy.value = false;
    }
  };
  const compare = () => doing(async () => {
    const [a, b] = [...chosen.value].sort((x, y) => x - y) as [number, number];
    const [was, is] = await Promise.all([textOf(a), textOf(b)]);
    compared.value = { a, b, part: diffPart("history", "", was, is, { path: doc.name, whole: true }), same: was === is };
  });
  const putBack = () => doing(async () => {
    const n = chosen.value[0]!;
    if (doc.dirty.value || doc.bar.value !== null) {
      failed.value = say.saveFirst;
      return;
    }
    const text = await textOf(n);
    onClose();
    announce((await doc.putBack(text)) ? say.isPut(n + 1) : say.notPut);
  });

  const one = chosen.value.length === 1 ? h?.versions[chosen.value[0]!] : undefined;
  return (
    <Modal title={say.of(docTitle(doc.name))} onClose={onClose}>
      <p class="quiet">{h === null ? (failed.value === "" ? say.looking : "") : hint(h, doc.dirty.value)}</p>
      {h !== null && (
        <ul class="doc-versions" aria-label={say.versions}>
          {h.versions.map((v, n) => (
            <Version key={n} v={v} n={n} time={times[n]!} now={n === h.versions.length - 1} chosen={chosen.value.includes(n)} onChoose={() => (chosen.value = choose(chosen.value, n))} onGo={onClose} />
          )).reverse()}
        </ul>
      )}
      <p class="error" role="alert">{failed.value}</p>
      <div class="actions">
        {h === null && failed.value !== "" && <button onClick={() => void load()}>{say.tryAgain}</button>}
        <button disabled={chosen.value.length !== 2 || busy.value} onClick={() => void compare()}>{say.compare}</button>
        <button disabled={one === undefined || one.sha256 === h?.sha256 || busy.value} onClick={() => void putBack()}>{say.putBack}</button>
        <button autofocus onClick={onClose}>{say.close}</button>
      </div>
      {compared.value !== null && (
        <section class="compared" ref={result} tabIndex={-1} aria-label={say.difference(compared.value.a + 1, compared.value.b + 1)}>
          <h3>{say.difference(compared.value.a + 1, compared.value.b + 1)}</h3>
          <p class="quiet">{compared.value.same ? say.same : say.colours}</p>
          {!compared.value.same && <Diff key={`${compared.value.a} ${compared.value.b}`} part={compared.value.part} />}
        </section>
      )}
    </Modal>
  );
}

function hint(h: DocHistory, dirty: boolean): string {
  const words = h.versions.length === 0 ? say.none : h.versions.length === 1 ? say.one : say.choose;
  return dirty ? `${words} ${say.unsaved}` : words;
}

const WHO = { save: say.you, call: say.agent, undo: say.undone, outside: say.unknown };

function Version({ v, n, time, now, chosen, onChoose, onGo }: { v: DocVersion; n: number; time: string; now: boolean; chosen: boolean; onChoose: () => void; onGo: () => void }) {
  const more = v.sha256 === "" ? say.removed : v.kept ? (now ? say.now : "") : say.notKept;
  return (
    <li class={v.kept ? "" : "lost"}>
      <label>
        <input type="checkbox" checked={chosen} disabled={!v.kept} onChange={onChoose} />
        <span>
          <b>{say.version(n + 1)}</b> <time dateTime={v.at}>{v.at === "" ? say.noTime : time}</time> <span>{WHO[v.kind]}</span> {v.words !== null && <span class="quiet">{say.words(v.words)}</span>} {more !== "" && <span class="quiet">{more}</span>}
        </span>
      </label>
      {v.dialog !== "" && <DialogLink id={v.dialog} onGo={onGo} />}
    </li>
  );
}
