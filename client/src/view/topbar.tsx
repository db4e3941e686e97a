import { useEffect } from "preact/hooks";
import { openDialog } from "../state/opendialog.ts";
import { go, route } from "../state/navigation.ts";
import { durable, needCount, needy, needyElsewhere, nextNeedy, sandbox, wallsShown, writingCount } from "../state/project.ts";
import { everywhere, loadProjects, project, projects, projectTitle } from "../state/projects.ts";
import { letters, setLetters } from "../state/keys.ts";
import { notifies, switchNotify } from "../state/notify.ts";
import { toast } from "../state/toast.ts";
import { nameOf } from "../text/names.ts";
import { writeRoute, type Route } from "../text/route.ts";
import { keys, made, notify as notifyWords, projects as projectWords, top, walls } from "../text/strings.ts";
import { Called } from "./parts/called.tsx";
import { FindButton } from "./find.tsx";
import { Icon } from "./parts/icon.tsx";
import { useMenu } from "./parts/menu.ts";
import { useKey } from "./parts/usekey.ts";

/** TopBar shows what is in view, and how many dialogs write and wait, in all projects. */
export function TopBar() {
  const p = project.value;
  const at = route.value.at;
  useKey("next", () => void toNeedy());
  useKey("board", () => go({ at: "board", project: project.peek() }));
  const tab = (to: Route, name: string, here: boolean) => <a class="tab" href={writeRoute(to)} {...(here ? { "aria-current": "page" as const } : {})}>{name}</a>;
  if (p === null) {
    return (
      <header class="topbar">
        <Skip />
        <a class="brand" href="#/projects">Vibey</a>
        <nav class="tabs" aria-label={top.everything}>
          {tab({ at: "projects" }, top.projectsTab, at === "projects")}
          {tab({ at: "board", project: null }, top.board, at === "board")}
        </nav>
        <span class="spread" />
        <Needs />
        <Sandbox />
        <FindButton />
      </header>
    );
  }
  return (
    <header class="topbar">
      <Skip />
      <ProjectMenu name={p} />
      <nav class="tabs" aria-label={top.parts}>
        {tab({ at: "docs", project: p, file: null }, top.docs, at === "docs")}
        {tab({ at: "dialogs", project: p, dialog: null }, top.dialogs, at === "dialogs")}
        {tab({ at: "board", project: p }, top.board, at === "board")}
        {tab({ at: "deed", project: p, path: null }, made.name, at === "deed")}
      </nav>
      <span class="spread" />
      <Needs />
      {writingCount.value > 0 && <span class="pill writing" role="img" aria-label={top.writing(writingCount.value)} title={top.writing(writingCount.value)}>{writingCount.value}<span class="word"> {top.writes}</span></span>}
      <Sandbox />
      <FindButton />
    </header>
  );
}

// Leads to the next dialog that waits, and says so where that is in another project.
function Needs() {
  const n = needCount.value;
  if (n === 0) return null;
  const p = project.value;
  const here = needy.value.find((d) => d.dialogId !== openDialog.value?.id) ?? needy.value[0];
  const other = needyElsewhere.value[0];
  const leave = other !== undefined && needy.value.every((d) => d.dialogId === openDialog.value?.id);
  const to: Route = !leave && p !== null && here ? { at: "dialogs", project: p, dialog: here.dialogId } : other ? { at: "dialogs", project: other.name, dialog: null } : { at: "projects" };
  const words = leave ? `${needy.value.length > 0 ? `${top.need(n)} · ` : ""}${needy.value.length > 0 ? top.next(projectTitle(other!.name)) : top.needIn(n, needyElsewhere.value.length === 1 ? projectTitle(other!.name) : top.projects(needyElsewhere.value.length))}` : top.need(n);
  return (
    <a class="pill needs" href={writeRoute(to)} title={top.leads(!leave && here ? nameOf(here) : other ? projectTitle(other.name) : "")} aria-keyshortcuts="u" onClick={(e) => {
      if (e.ctrlKey || e.metaKey || e.shiftKey) return;
      e.preventDefault();
      void toNeedy();
    }}>{words.replace(/ .*/s, "")} <span class="rest">{words.replace(/^\S+ /, "")}</span></a>
  );
}

async function toNeedy(): Promise<void> {
  try {
    const to = await nextNeedy();
    if (to) go(to);
    else toast(keys.none);
  } catch (e) {
    toast((e as Error).message);
  }
}

function Sandbox() {
  if (sandbox.value === "") return null;
  const weak = walls.weak(sandbox.value, durable.value);
  return (
    <button class="pill sandbox" aria-haspopup="dialog" onClick={() => (wallsShown.value = true)}>
      <Icon name={weak ? "warn" : "check"} /><span>{walls.words(sandbox.value, durable.value)}</span>
    </button>
  );
}

function ProjectMenu({ name }: { name: string }) {
  const { open, box } = useMenu();
  useEffect(() => { if (open.value) loadProjects().catch(() => undefined); }, [open.value]);
  return (
    <div class="menu" ref={box}>
      <button class="brand" aria-expanded={open.value} onClick={() => (open.value = !open.value)}>
        <span class="unseen">{top.project} </span><span class="name" dir="auto">{projectTitle(name)}</span><Icon name="down" />
      </button>
      {open.value && (
        <nav class="menu-list" aria-label={top.list} onClick={() => (open.value = false)}>
          {(projects.value ?? [name]).map((n) => (
            <a href={writeRoute({ at: "docs", project: n, file: null })} {...(n === name ? { "aria-current": "true" as const } : {})}><Called title={projectTitle(n)} name={n} /><Waits name={n} /></a>
          ))}
          <a class="all" href="#/projects">{top.allProjects}</a>
          {sandbox.value !== "" && <button class="all walls" aria-haspopup="dialog" onClick={() => (wallsShown.value = true)}>{walls.words(sandbox.value, durable.value)}</button>}
          <button class="all" role="switch" aria-checked={notifies.value} onClick={() => void switchNotify()}>{notifyWords.on}</button>
          <button class="all" role="switch" aria-checked={letters.value} onClick={() => setLetters(!letters.value)}>{keys.letters}</button>
        </nav>
      )}
    </div>
  );
}

// How many dialogs wait in a project, where any do.
function Waits({ name }: { name: string }) {
  const n = everywhere.value?.find((p) => p.name === name)?.waiting ?? 0;
  return n > 0 ? <span class="waits">{projectWords.waits(n)}</span> : null;
}

// The first stop of Tab: past the bar and the list, to what is open. The address is the place's own.
function Skip() {
  return (
    <a
      class="skip" href={writeRoute(route.value)}
      onClick={(e) => {
        e.preventDefault();
        const main = document.querySelector("main");
        main?.setAttribute("tabindex", "-1");
        main?.focus();
      }}
    >{top.skip}</a>
  );
}
