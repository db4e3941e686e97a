import type { Section } from "../../types.ts";
import type { OpenDialog } from "../../state/dialog.ts";
import { split, unseenIn, unseenWords } from "../../text/added.ts";
import type { Item } from "../../text/items.ts";
import { withoutHashes } from "../../text/review.ts";
import { isSending } from "../../text/merge.ts";
import { items as say, log, took } from "../../text/strings.ts";
import { clock, seconds } from "../../text/time.ts";
import { dialogName, modelName } from "../../text/names.ts";
import { unbackedWords } from "../../text/notes.ts";
import { CheckpointCard } from "./checkpoint.tsx";
import { FilesShown } from "../parts/files.tsx";
import { Icon } from "../parts/icon.tsx";
import { MessageMenu } from "./messagemenu.tsx";
import { NoteView } from "./note.tsx";
import { QuotedPassages } from "./quoted.tsx";
import { Rich } from "../parts/rich.tsx";
import { SummaryView } from "./summary.tsx";
import { ToolCard } from "./toolcard.tsx";
import { UndoButton } from "./undo.tsx";

/** ItemView shows one entry of the column of a dialog. */
export function ItemView({ item, dialog, running }: { item: Item; dialog: OpenDialog; running: boolean }) {
  const project = dialog.project;
  const s = item.kind === "tool" ? item.request : item.section;
  switch (item.kind) {
    case "user":
      return (
        <article data-section={s.id} class={`turn user${isSending(s) ? " sending" : ""}`} tabIndex={-1} aria-label={`${speaker(s)}, ${when(s)}`}>
          <header><b>{speaker(s)}</b> <time>{isSending(s) ? say.sending : when(s)}</time>{!isSending(s) && <MessageMenu dialog={dialog} id={s.id} />}</header>
          <QuotedPassages section={s} project={project} />
          {s.html ? <Rich html={s.html === undefined ? undefined : withoutHashes(s.html)} text={withoutHashes(item.text)} project={project} /> : <Bare text={item.text} project={project} />}
          {unseenIn(s).map((u, i) => <p class="not-shown" key={i}>{unseenWords(u)}</p>)}
          <UndoButton id={s.id} turn />
        </article>
      );
    case "agent":
      return (
        <article data-section={s.id} class={`turn agent${item.text.trim() === "" ? " silent" : ""}`} tabIndex={-1} aria-label={`${modelName(item.model)}, ${when(s)}`}>
          <header><b>{modelName(item.model)}</b> <time>{when(s)}</time><Cost s={s} />{item.text.trim() !== "" && <MessageMenu dialog={dialog} id={s.id} />}</header>
          {item.text.trim() !== "" && <Rich html={s.html} text={item.text} project={project} least={dialog} />}
          {item.unbacked !== null && <p class="mark"><Icon name="warn" /> {unbackedWords(item.unbacked)}</p>}
          {s.meta?.["Stop"] && !USUAL.has(s.meta["Stop"]) && <p class="stopped">{stopWords(s.meta["Stop"])}</p>}
        </article>
      );
    case "tool":
      if (item.request.meta?.["Tool"] === "checkpoint" && item.result?.meta?.["Status"] === "approved") return <CheckpointCard item={item} dialog={dialog} running={running} />;
      return <ToolCard item={item} dialog={dialog} running={running} />;
    case "note":
      return <NoteView item={item} dialog={dialog} />;
    case "summary":
      return <SummaryView item={item} dialog={dialog} draw={(i) => <ItemView key={i.key} item={i} dialog={dialog} running={false} />} />;
    case "grant":
      return <aside role="note" data-section={s.id} class="note grant" aria-label={say.permission}>{item.text}</aside>;
    case "aside":
      return (
        <details class="aside" data-section={s.id}>
          <summary>{item.title}</summary>
          <Rich html={s.html} text={item.text} project={project} />
        </details>
      );
  }
}

// A message that the server has not drawn yet.
function Bare({ text, project }: { text: string; project: string }) {
  const { files, words } = split(text);
  return (
    <>
      <FilesShown project={project} all={files} />
      {words !== "" && <Rich html={undefined} text={words} project={project} />}
    </>
  );
}

// What an answer took: in a few words, and exactly where they are opened.
function Cost({ s }: { s: Section }) {
  const r = s.resources;
  if (!r || (r.in === 0 && r.out === 0 && r.ms === 0)) return null;
  const exact = log.exact(r.in, r.out, r.cached ?? 0, r.reasoning ?? 0);
  return (
    <details class="cost">
      <summary title={exact}>{[r.in + r.out > 0 ? took.words(r.in, r.out) : "", r.ms > 0 ? seconds(r.ms) : ""].filter(Boolean).join(" · ")}</summary>
      <span>{exact}</span>
    </details>
  );
}

function speaker(s: Section): string {
  const by = s.meta?.["By"];
  if (by === undefined || by === "human") return say.you;
  return by === "mcp" ? say.program : say.agentOf(dialogName(by));
}

function when(s: Section): string { return clock(s.time.split(" - ")[0] ?? ""); }

const USUAL = new Set(["end", "calls", "other"]);

function stopWords(stop: string): string {
  if (stop === "interrupted") return say.interrupted;
  if (stop === "length") return say.limit;
  if (stop === "refusal") return say.refusal;
  return say.stopped(stop);
}
