import { useEffect } from "preact/hooks";
import { route } from "../state/navigation.ts";
import { loadProjects, needCount, needy, project, projects, sandbox, writingCount } from "../state/project.ts";
import { writeRoute, type Route } from "../text/route.ts";
import { made, walls } from "../text/strings.ts";
import { wallsWords } from "../text/walls.ts";
import { Icon } from "./icon.tsx";
import { useMenu } from "./menu.ts";

/** TopBar shows what is in view, and how many dialogs write and wait. */
export function TopBar() {
  const p = project.value;
  const at = route.value.at;
  if (p === null) {
    return (
      <header class="topbar">
        <a class="brand" href="#/projects">Vibey</a>
        <span class="spread" />
        <Sandbox />
      </header>
    );
  }
  const tab = (to: Route, name: string, here: boolean) => <a class="tab" href={writeRoute(to)} {...(here ? { "aria-current": "page" as const } : {})}>{name}</a>;
  const first = needy.value[0];
  return (
    <header class="topbar">
      <ProjectMenu name={p} />
      <nav class="tabs" aria-label="Parts of the project">
        {tab({ at: "docs", project: p, file: null }, "Docs", at === "docs")}
        {tab({ at: "dialogs", project: p, dialog: null }, "Dialogs", at === "dialogs")}
        {tab({ at: "deed", project: p, path: null }, made.name, at === "deed")}
      </nav>
      <span class="spread" />
      {needCount.value > 0 && first && (
        <a class="pill needs" href={writeRoute({ at: "dialogs", project: p, dialog: first.dialogId })}>
          {needCount.value === 1 ? "1 needs you" : `${needCount.value} need you`}
        </a>
      )}
      {writingCount.value > 0 && <span class="pill writing">{writingCount.value} writing</span>}
      <Sandbox />
    </header>
  );
}

function Sandbox() {
  if (sandbox.value === "") return null;
  const none = sandbox.value === "none";
  return (
    <span class={`pill sandbox${none ? " none" : ""}`} title={walls.exactly(sandbox.value, wallsWords(sandbox.value, false))}>
      {walls.words(sandbox.value)}
    </span>
  );
}

function ProjectMenu({ name }: { name: string }) {
  const { open, box } = useMenu();
  useEffect(() => { if (open.value) loadProjects().catch(() => undefined); }, [open.value]);
  return (
    <div class="menu" ref={box}>
      <button class="brand" aria-expanded={open.value} aria-haspopup="true" onClick={() => (open.value = !open.value)}>
        <span class="unseen">Project </span><span class="name">{name}</span><Icon name="down" />
      </button>
      {open.value && (
        <nav class="menu-list" aria-label="Projects" onClick={() => (open.value = false)}>
          {(projects.value ?? [name]).map((n) => (
            <a href={writeRoute({ at: "docs", project: n, file: null })} {...(n === name ? { "aria-current": "true" as const } : {})}>{n}</a>
          ))}
          <a class="all" href="#/projects">All projects</a>
        </nav>
      )}
    </div>
  );
}
