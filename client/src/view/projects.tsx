import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { api } from "../state/api.ts";
import { go } from "../state/navigation.ts";
import { loadProjects, projects } from "../state/project.ts";
import { isDialog, projectName } from "../text/names.ts";
import { plural } from "../text/time.ts";
import { writeRoute } from "../text/route.ts";
import { Icon } from "./icon.tsx";
import { Modal } from "./modal.tsx";
import { focused } from "./focus.ts";

/** Projects lists the projects, makes new ones, and deletes one after saying what is removed. */
export function Projects() {
  const making = useSignal(false);
  const deleting = useSignal<string | null>(null);
  const error = useSignal("");
  useEffect(() => { loadProjects().catch((e: Error) => (error.value = e.message)); }, []);
  const all = projects.value;
  return (
    <main class="projects">
      <div class="projects-head">
        <h1>Projects</h1>
        <button class="primary" onClick={() => (making.value = true)}><Icon name="plus" /> New project</button>
      </div>
      {error.value !== "" && <p class="error" role="alert">{error.value} <button onClick={() => location.reload()}>Try again</button></p>}
      {making.value && <NewProject onClose={() => (making.value = false)} />}
      {all !== null && all.length === 0 && !making.value && <p class="quiet">No project yet. A project is a folder of your words, of the agents' dialogs, and of what they build.</p>}
      <ul class="project-list">
        {(all ?? []).map((name) => (
          <li>
            <a href={writeRoute({ at: "docs", project: name, file: null })}>{name}</a>
            <button class="icon-button" aria-label={`Delete project ${name}`} title="Delete" onClick={() => (deleting.value = name)}><Icon name="cross" /></button>
          </li>
        ))}
      </ul>
      {deleting.value !== null && <DeleteProject name={deleting.value} onClose={() => (deleting.value = null)} />}
    </main>
  );
}

function NewProject({ onClose }: { onClose: () => void }) {
  const words = useSignal("");
  const deed = useSignal("");
  const error = useSignal("");
  const busy = useSignal(false);
  const name = projectName(words.value);
  const submit = async (e: Event) => {
    e.preventDefault();
    if (name === "" || busy.value) return;
    busy.value = true;
    error.value = "";
    try {
      const made = await api.createProject(name, deed.value.trim());
      await loadProjects();
      go({ at: "docs", project: made.name, file: null });
    } catch (err) {
      error.value = (err as Error).message;
      busy.value = false;
    }
  };
  return (
    <form class="card form" onSubmit={submit} onKeyDown={(e) => { if (e.key === "Escape") onClose(); }}>
      <label for="project-name">Project name</label>
      <input id="project-name" ref={focused} autocomplete="off" value={words.value} onInput={(e) => (words.value = e.currentTarget.value)} />
      {name !== words.value && name !== "" && <p class="quiet">It will be called <b>{name}</b>.</p>}
      {words.value.trim() !== "" && name === "" && <p class="error">Use at least one letter a–z or digit: the name is that of a folder.</p>}
      <label for="project-deed">Deed folder <span class="quiet">(optional)</span></label>
      <input id="project-deed" autocomplete="off" spellcheck={false} placeholder="/home/you/game" value={deed.value} onInput={(e) => (deed.value = e.currentTarget.value)} />
      <p class="quiet">Where agents build: a folder that exists already. Left empty, the project gets one of its own.</p>
      {error.value !== "" && <p class="error" role="alert">{error.value}</p>}
      <div class="actions">
        <button class="primary" disabled={name === "" || busy.value}>Create project</button>
        <button type="button" onClick={onClose}>Cancel</button>
      </div>
    </form>
  );
}

function DeleteProject({ name, onClose }: { name: string; onClose: () => void }) {
  const what = useSignal("");
  const error = useSignal("");
  const busy = useSignal(false);
  useEffect(() => {
    void Promise.all([api.files(name), api.dialogs(name)]).then(([files, dialogs]) => {
      const docs = files.filter((f) => !isDialog(f)).length;
      const live = dialogs.filter((d) => d.status === "active").length;
      what.value = `${plural(docs, "doc")} and ${plural(dialogs.length, "dialog")}` + (live > 0 ? `. ${plural(live, "agent")} working there ${live === 1 ? "is" : "are"} stopped first` : "");
    }, () => { what.value = "all its docs and dialogs"; });
  }, [name]);
  const remove = async () => {
    busy.value = true;
    try {
      await api.deleteProject(name);
      await loadProjects();
      onClose();
    } catch (e) {
      error.value = (e as Error).message;
      busy.value = false;
    }
  };
  return (
    <Modal title={`Delete ${name}?`} onClose={onClose}>
      <p>The folder of <b>{name}</b> is removed from the disk, with {what.value || "…"}. What was built in its own deed folder goes too; a deed folder elsewhere, that it only links to, stays.</p>
      <p>This can't be undone.</p>
      {error.value !== "" && <p class="error" role="alert">{error.value}</p>}
      <div class="actions">
        <button autofocus onClick={onClose}>Keep it</button>
        <button class="danger" disabled={busy.value} onClick={remove}>Delete project</button>
      </div>
    </Modal>
  );
}
