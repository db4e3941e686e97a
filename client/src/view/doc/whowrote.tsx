import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { DocVersion } from "../../types.ts";
import { api } from "../../state/api.ts";
import type { OpenDoc } from "../../state/doc.ts";
import { diffLines } from "../../text/diff.ts";
import { paragraphAt, UNSAVED, whoWrote } from "../../text/history.ts";
import { history as say } from "../../text/strings.ts";
import { clock } from "../../text/time.ts";
import { Icon } from "../parts/icon.tsx";
import { DialogLink } from "./dialoglink.tsx";

interface Told { text: string; version: DocVersion | null; unsaved: boolean }

/** WhoWrote says beside the paragraph at the cursor who wrote it. Escape closes it, and leads back into the text. */
export function WhoWrote({ doc, onClose }: { doc: OpenDoc; onClose: () => void }) {
  const box = useRef<HTMLDivElement>(null);
  const words = useSignal(say.lookingWho);
  const told = useSignal<Told[]>([]);
  const top = useSignal(0);
  const close = () => {
    onClose();
    doc.editor?.focus();
  };
  useEffect(() => {
    let gone = false;
    box.current!.focus();
    const { editor } = doc;
    const lines = [...(editor?.lines() ?? [])];
    const at = editor?.selectedLines();
    const p = at === undefined ? null : paragraphAt(lines, at.from, at.to);
    if (p === null) {
      words.value = say.blank;
      return;
    }
    const page = box.current!.parentElement!.getBoundingClientRect();
    top.value = Math.max(8, Math.min((editor!.topOf(p.from) ?? page.top) - page.top, page.height - 160));
    api.history(doc.project, doc.name).then(
      (h) => {
        if (gone) return;
        if (h.sha256 !== doc.sha256) {
          words.value = say.changed;
          return;
        }
        const said = whoWrote(h, diffLines(doc.saved.peek() ?? "", doc.text), p.from, p.to);
        words.value = "";
        told.value = said.map((s) => ({ text: s.text, version: h.versions[s.version] ?? null, unsaved: s.version === UNSAVED }));
      },
      (e: Error) => { if (!gone) words.value = say.failed(e.message); },
    );
    return () => { gone = true; };
  }, [doc]);
  return (
    <div class="who" role="dialog" aria-label={say.whoTitle} tabIndex={-1} ref={box} style={{ "--top": `${top.value}px` }} onKeyDown={(e) => {
      if (e.key !== "Escape") return;
      e.stopPropagation();
      close();
    }}>
      <div class="head">
        <h2>{say.whoTitle}</h2>
        <button class="icon-button" aria-label={say.close} title={say.close} onClick={close}><Icon name="cross" /></button>
      </div>
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
      {!alone && <p class="words" dir="auto">{t.text.length > 90 ? `${t.text.slice(0, 89)}…` : t.text}</p>}
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
