import { signal } from "@preact/signals";
import type { DialogInfo } from "../../types.ts";
import { answering } from "../../state/answering.ts";
import { needWords, type Family } from "../../text/group.ts";
import { nameOf } from "../../text/names.ts";
import { writeRoute } from "../../text/route.ts";
import { answers, list } from "../../text/strings.ts";
import { clock, day, since } from "../../text/time.ts";
import { Icon } from "../parts/icon.tsx";
import { memo } from "../parts/memo.ts";
import { MenuButton, MenuItem } from "../parts/menubutton.tsx";
import { Reveal } from "../parts/reveal.tsx";
import { StatusMark } from "../parts/status.tsx";

// The families that the human opened or closed.
const folded = signal<ReadonlyMap<string, boolean>>(new Map());

// By itself a family is open as long as one of those that were started is not finished, or is in view.
function isOpen(f: Family, at: string | null): boolean {
  return folded.value.get(f.d.dialogId) ?? f.children.some(function lives(c): boolean { return c.d.status !== "done" || c.d.dialogId === at || c.children.some(lives); });
}

function fold(f: Family, open: boolean): void { folded.value = new Map(folded.value).set(f.d.dialogId, open); }

interface Props {
  family: Family;
  project: string;
  /** the dialog in view, where it is one of the family */
  at: string | null;
  /** changes as time passes */
  tick: number;
  onDelete: (d: DialogInfo) => void;
}

/** FamilyRow is a dialog in the list, and below it those that it started. */
export const FamilyRow = memo(function FamilyRow({ family: f, project, at, tick, onDelete }: Props) {
  const { d } = f;
  const name = nameOf(d);
  const here = d.dialogId === at;
  const parent = f.children.length > 0;
  const open = parent && isOpen(f, at);
  const words = needWords(d);
  const asks = d.needs === "approval";
  const began = d.since ?? d.mtime;
  return (
    <li class="family" data-fold={parent ? String(open) : undefined}>
      <div class={`one${here ? " here" : ""}`}>
        {parent && (
          <button class="icon-button fold" aria-label={list.open(name)} aria-expanded={open} onClick={() => fold(f, !open)}><Icon name={open ? "down" : "right"} /></button>
        )}
        <a
          href={writeRoute({ at: "dialogs", project, dialog: d.dialogId })} {...(here ? { "aria-current": "page" as const } : {})}
          onKeyDown={(e) => keys(e, parent ? open : null, (to) => fold(f, to))}
        >
          <StatusMark d={d} />
          <span class="name" dir="auto">{name}</span>
          <time class="when" dateTime={began} title={clock(d.mtime)}>{d.status === "done" ? day(d.mtime) : since(began)}</time>
          {words !== "" && <span class={`line${asks ? " asks" : ""}`} dir="auto"><Reveal text={words} /></span>}
        </a>
        <MenuButton label={list.menu(name)} class="row-menu"><MenuItem onClick={() => onDelete(d)}>{list.remove}</MenuItem></MenuButton>
      </div>
      {asks && !here && <p class="below"><button class="small" aria-label={answers.hereTo(name)} aria-haspopup="dialog" onClick={() => (answering.value = { project, id: d.dialogId, name })}>{answers.here}</button></p>}
      {parent && !open && <Folded f={f} project={project} />}
      {open && <ul class="children" aria-label={list.open(name)}>{f.children.map((c) => <FamilyRow key={c.d.dialogId} family={c} project={project} at={within(c, at)} tick={tick} onDelete={onDelete} />)}</ul>}
    </li>
  );
});

/** within returns the dialog in view where it is one of the family, else null. */
export function within(f: Family, at: string | null): string | null {
  return at !== null && (f.d.dialogId === at || f.children.some((c) => within(c, at) !== null)) ? at : null;
}

// The line of a closed family: which dialogs in it need a human.
function Folded({ f, project }: { f: Family; project: string }) {
  const first = f.needy[0];
  return first
    ? <p class="below needs"><a href={writeRoute({ at: "dialogs", project, dialog: first.dialogId })}>{f.needy.length === 1 ? list.needsYou(nameOf(first)) : list.needYou(nameOf(first), f.needy.length - 1)}</a></p>
    : <p class="below quiet">{list.started(f.below)}</p>;
}

// Up and down go through the rows, right opens a family, left closes it or goes to the parent.
function keys(e: KeyboardEvent, open: boolean | null, set: (open: boolean) => void): void {
  if (e.ctrlKey || e.metaKey || e.altKey || e.shiftKey) return;
  const row = e.currentTarget as HTMLElement;
  const rtl = getComputedStyle(row).direction === "rtl";
  const into = rtl ? "ArrowLeft" : "ArrowRight", out = rtl ? "ArrowRight" : "ArrowLeft";
  const links = () => [...row.closest(".side")!.querySelectorAll<HTMLElement>(".family > .one > a")];
  const move = (to: HTMLElement | null | undefined) => {
    if (!to) return;
    e.preventDefault();
    to.focus();
  };
  if (e.key === "ArrowDown" || (e.key === into && open === true)) { const all = links(); move(all[all.indexOf(row) + 1]); }
  else if (e.key === "ArrowUp") { const all = links(); move(all[all.indexOf(row) - 1]); }
  else if (e.key === "Home") move(links()[0]);
  else if (e.key === "End") move(links().at(-1));
  else if (e.key === into && open === false) { e.preventDefault(); set(true); }
  else if (e.key === out && open === true) { e.preventDefault(); set(false); }
  else if (e.key === out) move(row.closest(".children")?.closest(".family")?.querySelector<HTMLElement>(":scope > .one > a"));
}

