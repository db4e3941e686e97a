import type { Section } from "../types.ts";
import type { Item } from "../text/items.ts";
import { isSending } from "../text/merge.ts";
import { clock, number, seconds } from "../text/time.ts";
import { modelName } from "../text/names.ts";
import { Rich } from "./rich.tsx";
import { ToolCard } from "./toolcard.tsx";

const NOTE_WORDS: Record<string, string> = {
  nudge: "Reminder to the agent", warning: "Warning", mistake: "Guidance", recovery: "Recovery", gate: "Check", unverified: "Unverified",
  unbacked: "Not backed by a result", budget: "Budget", loop: "Going in circles", phase: "Phase", commit: "Commit", "doc-change": "A doc changed",
  plan: "Plan", codebase: "Codebase", project: "Project", control: "Control", "summary-undone": "Summary undone", conflict: "Conflict",
  tools: "How tools are called",
};

/** ItemView shows one entry of the column of a dialog. */
export function ItemView({ item, project, running }: { item: Item; project: string; running: boolean }) {
  const s = item.kind === "tool" ? item.request : item.section;
  switch (item.kind) {
    case "user":
      return (
        <article class={`turn user${isSending(s) ? " sending" : ""}`} aria-label={`${speaker(s)}, ${when(s)}`}>
          <header><b>{speaker(s)}</b> <time>{isSending(s) ? "sending" : when(s)}</time></header>
          <Rich html={s.html} text={item.text} project={project} />
        </article>
      );
    case "agent":
      return (
        <article class={`turn agent${item.text.trim() === "" ? " silent" : ""}`} aria-label={`${modelName(item.model)}, ${when(s)}`}>
          <header><b>{modelName(item.model)}</b> <time>{when(s)}</time><Cost s={s} /></header>
          {item.text.trim() !== "" && <Rich html={s.html} text={item.text} project={project} />}
          {s.meta?.["Stop"] && !USUAL.has(s.meta["Stop"]) && <p class="stopped">{stopWords(s.meta["Stop"])}</p>}
        </article>
      );
    case "tool":
      return <ToolCard item={item} project={project} running={running} />;
    case "note": {
      const kind = s.meta?.["Kind"] ?? "";
      // These notes hold a whole doc, and a list of all tools: for the agent to read.
      if (kind === "doc-change" || kind === "tools") {
        return (
          <details class={`note aside ${kind}`}>
            <summary><b>{NOTE_WORDS[kind]}</b> {item.text.replace(/^\[[A-Z ]+\] /, "").split("\n", 1)[0]}</summary>
            <Rich html={s.html} text={item.text} project={project} />
          </details>
        );
      }
      return (
        <aside class={`note ${/^[a-z-]+$/.test(kind) ? kind : ""}`} aria-label="Note">
          <b>{kind === "mistake" && s.meta?.["To"] === "human" ? "Problem" : NOTE_WORDS[kind] ?? (kind || "Note")}</b> <Rich html={s.html} text={item.text} project={project} />
        </aside>
      );
    }
    case "grant":
      return <aside class="note grant" aria-label="Permission">{item.text}</aside>;
    case "aside":
      return (
        <details class="aside">
          <summary>{item.title}</summary>
          <Rich html={s.html} text={item.text} project={project} />
        </details>
      );
  }
}

function Cost({ s }: { s: Section }) {
  const r = s.resources;
  if (!r || (r.in === 0 && r.out === 0 && r.ms === 0)) return null;
  const parts = [`${number(r.in)} in`, `${number(r.out)} out`, seconds(r.ms)];
  const more = [r.cached ? `${number(r.cached)} of them cached` : "", r.reasoning ? `${number(r.reasoning)} for thinking` : ""].filter(Boolean).join(", ");
  return <span class="cost" {...(more ? { title: more } : {})}>{parts.join(" · ")}</span>;
}

function speaker(s: Section): string {
  const by = s.meta?.["By"];
  return by === undefined || by === "human" ? "You" : by.replace(/^\d{8}-\d{6}-/, "");
}

function when(s: Section): string { return clock(s.time.split(" - ")[0] ?? ""); }

const USUAL = new Set(["end", "calls", "other"]);

function stopWords(stop: string): string {
  if (stop === "interrupted") return "Interrupted here.";
  if (stop === "length") return "The model's limit for one answer was reached here.";
  if (stop === "refusal") return "The model declined to go on.";
  return `Stopped: ${stop}.`;
}
