import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { DocVersion } from "../../types.ts";
import { api } from "../../state/api.ts";
import type { OpenDoc } from "../../state/doc.ts";
import { diffLines } from "../../text/diff.ts";
import { paragraphAt, UNSAVED, whoWrote, wordsIn } from "../../text/history.ts";
import { history as say } from "../../text/strings.ts";
import { clock } from "../../text/time.ts";
import { Icon } from "../parts/icon.tsx";
import { DialogLink } from "./dialoglink.tsx";

interface Told { text: string; version: DocVersion | null; unsaved: boolean }

// How many letters of a passage say which one is meant.
const FIRST = 60;

// How long the cursor rests, in ms, until it is looked who wrote where it stands.
const STILL = 150;

function cut(text: string, most: number): string { return text.length > most ? `${text.slice(0, most - 1)}…` : text; }

/** WhoWrote says beside the paragraph at the cursor, or the selected ones, who wrote it, and follows the cursor. Escape closes it, and leads back into the text. */
export function WhoWrote({ doc, onClose }: { doc: OpenDoc; onClose: () => void }) {
  const box = useRef<HTMLDivElement>(null);
  const words = useSignal(say.lookingWho);
  const told = useSignal<Told[]>([]);
  const top = useSignal(0);
  const close = () => {
    onClose();
    doc.editor?.focus();
  };
  const about = useSignal("");
  const look = useRef(0), shown = useRef("");
  const follow = (anew: boolean) => {
    const { editor } = doc;
    const at = editor?.selectedLines();
    const lines = [...(editor?.lines() ?? [])];
    const p = at === undefined ? null : paragraphAt(lines, at.from, at.to);
    const passage = JSON.stringify([p, doc.sha256, p && lines.slice(p.from - 1, p.to)]);
    if (!anew && passage === shown.current) return;
    shown.current = passage;
    const n = ++look.current;
    told.value = [];
    about.value = "";
    if (p === null) {
      words.value = say.blank;
      return;
    }
    words.value = say.lookingWho;
    about.value = cut(wordsIn(lines.slice(p.from - 1, p.to).join(" ")), FIRST);
    const page = box.current!.parentElement!.getBoundingClientRect();
    top.value = Math.max(8, Math.min((editor!.topOf(p.from) ?? page.top) - page.top, page.height - 160));
    api.history(doc.project, doc.name).then(
      (h) => {
        if (n !== look.current) return;
        if (h.sha256 !== doc.sha256) {
          words.value = say.changed;
          return;
        }
        const said = whoWrote(h, diffLines(doc.saved.peek() ?? "", doc.text), p.from, p.to);
        words.value = "";
        told.value = said.map((s) => ({ text: s.text, version: h.versions[s.version] ?? null, unsaved: s.version === UNSAVED }));
      },
      (e: Error) => { if (n === look.current) words.value = say.failed(e.message); },
    );
  };
  useEffect(() => {
    box.current!.focus();
    follow(true);
    let timer = 0;
    const moved = () => {
      clearTimeout(timer);
      timer = window.setTimeout(() => follow(false), STILL);
    };
    const escape = (e: KeyboardEvent) => {
      const at = e.target as Element;
      if (e.key !== "Escape" || e.isComposing || !(at === document.body || at.closest(".who, .cm-content")) || document.querySelector(".cm-tooltip-autocomplete")) return;
      e.preventDefault();
      e.stopPropagation();
      close();
    };
    document.addEventListener("selectionchange", moved);
    document.addEventListener("keydown", escape, true); // a selection in the text would take it first
    const typed = doc.version.subscribe(moved);
    return () => {
      look.current++;
      clearTimeout(timer);
      typed();
      document.removeEventListener("selectionchange", moved);
      document.removeEventListener("keydown", escape, true);
    };
  }, [doc]);
  return (
    <div class="who" role="dialog" aria-label={say.whoTitle} tabIndex={-1} ref={box} style={{ "--top": `${top.value}px` }}>
      <div class="head">
        <h2>{say.whoTitle}</h2>
        <button class="icon-button" aria-label={say.close} title={say.close} onClick={close}><Icon name="cross" /></button>
      </div>
      {about.value !== "" && <p class="words about" dir="auto">{about.value}</p>}
      <div role="status">
        {words.value !== "" && <p class="quiet">{words.value}</p>}
        {told.value.map((t, i) => <Part key={i} t={t} alone={told.value.length === 1} onGo={onClose} />)}
      </div>
    </div>
  );
}

function Part({ t, alone, onGo }: { t: Told; alone: boolean; onGo: () => void }) {
  const v = t.version;
  return (
    <div class="part">
      {!alone && <p class="words" dir="auto">{cut(wordsIn(t.text), 90)}</p>}
      {t.unsaved ? <p>{say.notSaved}</p> : v === null || v.who === "unknown" ? <p>{say.notKnown}</p> : (
        <>
          <p>{(v.who === "agent" ? say.agentAt : say.youAt)(clock(v.at))}</p>
          {v.dialog !== "" && <p><DialogLink id={v.dialog} onGo={onGo} /></p>}
          {v.allowed !== null && <p class="quiet">{say.allowed[v.allowed.by]}</p>}
        </>
      )}
    </div>
  );
}
