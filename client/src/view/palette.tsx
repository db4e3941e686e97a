import { useEffect, useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { SearchAnswer, SearchResult } from "../types.ts";
import { api } from "../state/api.ts";
import { seekLine, seekSection } from "../state/goal.ts";
import { typedAhead } from "../state/keys.ts";
import { go } from "../state/navigation.ts";
import { dialogs, dialogTitle, docs, docTitle, needCount, nextNeedy } from "../state/project.ts";
import { project, projects, projectTitle } from "../state/projects.ts";
import { showAlone, toast } from "../state/toast.ts";
import { besideTitle, docStem, nameOf } from "../text/names.ts";
import { readables, sorted } from "../text/found.ts";
import { around, matching, wayTo, type Choice } from "../text/palette.ts";
import { NEW } from "../text/route.ts";
import { statusWord } from "../text/group.ts";
import { palette as words } from "../text/strings.ts";
import { Reveal } from "./parts/reveal.tsx";
import { uncovered } from "./parts/still.ts";

/** stays: choosing it leaves the palette open; leads: it puts the focus where it leads to */
interface Line { id: string; act: () => void; stays?: boolean; leads?: boolean; body: preact.ComponentChild }
interface Part { name: string; lines: Line[] }

// How many of a kind are shown.
const MOST = 6, FOUND = 12;

/** Palette finds dialogs, docs, projects and what stands in them, and does what can be done from anywhere. */
export function Palette({ onClose }: { onClose: () => void }) {
  const box = useRef<HTMLDialogElement>(null);
  const [typed, setTyped] = useState(typedAhead);
  const [at, setAt] = useState(0);
  const [told, setTold] = useState(false);
  const led = useRef(false);
  // A line is named to a screen reader once the human goes to it: before that one in browse mode would be led out
  // of the field, which then takes no letters.
  const [chosen, setChosen] = useState(false);
  const answer = useSearch(typed);
  const list = useId();
  useLayoutEffect(() => {
    const before = document.activeElement as HTMLElement | null;
    const shown = box.current!;
    showAlone(shown);
    shown.querySelector("input")!.setSelectionRange(typed.length, typed.length); // one engine puts the cursor before it
    return () => {
      uncovered();
      if (led.current) return;
      shown.close(); // nothing behind it takes the focus before
      before?.focus?.();
    };
  }, []);
  const parts = partsOf(typed, answer, told, () => setTold(true));
  const lines = parts.flatMap((p) => p.lines);
  const now = Math.min(at, lines.length - 1);
  const choose = (l: Line | undefined) => {
    if (l === undefined) return;
    led.current = l.leads === true;
    if (!l.stays) onClose();
    l.act();
  };
  const onKeyDown = (e: KeyboardEvent) => {
    if (e.isComposing) return;
    const to = { ArrowDown: now + 1, ArrowUp: now - 1 + lines.length, PageDown: Math.min(now + 5, lines.length - 1), PageUp: Math.max(now - 5, 0) }[e.key];
    if (to !== undefined && lines.length > 0) {
      e.preventDefault();
      setAt(to % lines.length);
      setChosen(true);
      document.getElementById(`${list}-${to % lines.length}`)?.scrollIntoView({ block: "nearest" });
    } else if (e.key === "Enter") {
      e.preventDefault();
      choose(lines[now]);
    }
  };
  let n = 0;
  return (
    <dialog ref={box} class="palette" aria-label={words.name} onCancel={(e) => { e.preventDefault(); onClose(); }} onPointerDown={(e) => { if (e.target === box.current) onClose(); }}>
      <div class="palette-in">
        <input
          role="combobox" aria-label={words.name} aria-expanded="true" aria-controls={list} aria-activedescendant={chosen && lines.length > 0 ? `${list}-${now}` : undefined} aria-autocomplete="list"
          placeholder={project.value === null ? words.hintAll : words.hint} autocomplete="off" spellcheck={false} dir="auto" value={typed} autofocus
          onInput={(e) => { setTyped(e.currentTarget.value); setAt(0); setChosen(false); setTold(false); }} onKeyDown={onKeyDown}
        />
        <div class="palette-list" role="listbox" id={list} aria-label={words.results}>
          {parts.map((p) => (
            <div role="group" aria-label={p.name} key={p.name}>
              <p class="quiet" aria-hidden="true">{p.name}</p>
              {p.lines.map((l) => {
                const i = n++;
                return <div role="option" id={`${list}-${i}`} key={l.id} class="choice-line" aria-selected={i === now} onPointerMove={() => setAt(i)} onClick={() => choose(l)}>{l.body}</div>;
              })}
            </div>
          ))}
        </div>
        <p class="quiet palette-foot" role="status">{lines.length === 0 ? words.nothing : answer === "busy" ? words.searching : answer !== null && answer.more ? words.more : ""}</p>
      </div>
    </dialog>
  );
}

// What stands in the docs and dialogs of the project in view.
function useSearch(typed: string): SearchAnswer | "busy" | null {
  const [found, setFound] = useState<{ q: string; answer: SearchAnswer | null }>({ q: "", answer: null });
  const q = typed.trim();
  const p = project.value;
  const wanted = p !== null && [...q].length >= 2 && q.length <= 200;
  useEffect(() => {
    if (!wanted) return;
    const end = new AbortController();
    const timer = setTimeout(() => {
      api.search(p!, q, end.signal).then((answer) => setFound({ q, answer }), () => { if (!end.signal.aborted) setFound({ q, answer: null }); });
    }, 150);
    return () => { clearTimeout(timer); end.abort(); };
  }, [q, p, wanted]);
  if (!wanted) return null;
  return found.q === q ? found.answer : "busy";
}

function partsOf(typed: string, answer: SearchAnswer | "busy" | null, toldShown: boolean, showTold: () => void): Part[] {
  const p = project.value;
  const some = (name: string, all: Choice[], most = MOST): Part => ({ name, lines: matching(all, typed).slice(0, most).map(lineOf) });
  const { docs: inDocs, dialogs: inDialogs, told } = sorted(answer === null || answer === "busy" ? [] : answer.results);
  const found = (name: string, results: SearchResult[], most = FOUND): Part => ({ name, lines: p === null ? [] : readables(results, typed).slice(0, most).map((r) => foundLine(p, r, typed)) });
  // The text that each dialog begins with would hide what was said in them.
  const inTold: Part = toldShown ? found(words.inTold, told, Infinity) : { name: words.inTold, lines: told.length === 0 ? [] : [{ id: "told", stays: true, act: showTold, body: <span class="name">{words.told(readables(told, typed).length)}</span> }] };
  const all = [
    some(words.dialogs, p === null ? [] : (dialogs.value ?? []).map((d) => ({ kind: "dialog", key: d.dialogId, name: nameOf(d), about: statusWord(d), to: { at: "dialogs", project: p, dialog: d.dialogId } }))),
    some(words.docs, p === null ? [] : (docs.value ?? []).map((f) => ({ kind: "doc", key: f, ...named(docTitle(f), docStem(f)), to: { at: "docs", project: p, file: f } }))),
    some(words.projects, (projects.value ?? []).filter((n) => n !== p).map((n) => ({ kind: "project", key: n, ...named(projectTitle(n), n), to: { at: "docs", project: n, file: null } }))),
    found(words.inDocs, inDocs),
    found(words.inDialogs, inDialogs),
    inTold,
  ];
  const acts = some(words.acts, commands(p), 8);
  return (typed.trim() === "" ? [acts, ...all] : [...all.slice(0, 3), acts, ...all.slice(3)]).filter((x) => x.lines.length > 0);
}

function commands(p: string | null): Choice[] {
  const out: Choice[] = [];
  const add = (name: string, about: string, does: Pick<Choice, "to" | "act">) => out.push({ kind: "do", key: name, name, about, ...does });
  if (p !== null) {
    add(words.newDialog, "N", { to: { at: "dialogs", project: p, dialog: NEW } });
    add(words.toBoard, "G", { to: { at: "board", project: p } });
    add(words.toDocs, "", { to: { at: "docs", project: p, file: null } });
    add(words.toDialogs, "", { to: { at: "dialogs", project: p, dialog: null } });
  }
  if (needCount.value > 0) add(words.toNeedy, "U", { act: () => void nextNeedy().then((r) => { if (r) go(r); }, (e: Error) => toast(e.message)) });
  add(words.allBoard, p === null ? "G" : "", { to: { at: "board", project: null } });
  add(words.toProjects, "", { to: { at: "projects" } });
  return out;
}

// A thing that has a title is found by that and by its name.
function named(title: string, name: string): Pick<Choice, "name" | "also" | "about"> {
  return { name: title, also: name, about: besideTitle(title, name) };
}

function lineOf(c: Choice): Line {
  return {
    id: `${c.kind} ${c.key}`,
    act: () => (c.to ? go(c.to) : c.act?.()),
    body: <><span class="name" dir="auto"><Reveal text={c.name} /></span>{c.about && (c.kind === "do" ? <kbd aria-hidden="true">{c.about}</kbd> : <span class="about">{c.about}</span>)}</>,
  };
}

function foundLine(p: string, r: SearchResult, typed: string): Line {
  const [before, match, after] = around(r.text, typed);
  const where = r.dialogId ? dialogTitle(r.dialogId) : docTitle(r.file);
  const dim = r.dialogId ? "" : besideTitle(where, docStem(r.file));
  return {
    id: `${r.file}:${r.line}`,
    leads: true,
    act: () => {
      go(wayTo(p, r));
      if (r.dialogId && r.section) seekSection(p, r.dialogId, r.section, typed.trim());
      else if (!r.dialogId) seekLine(p, r.file, r.line, typed.trim());
    },
    body: <><span class="about where" dir="auto">{where}{dim !== "" && <> <span class="as">{dim}</span></>}</span><span class="text" dir="auto"><Reveal text={before} /><mark><Reveal text={match} /></mark><Reveal text={after} /></span></>,
  };
}
