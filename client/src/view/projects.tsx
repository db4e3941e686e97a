import type { ComponentChildren } from "preact";
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { ProjectNeeds } from "../types.ts";
import { api, ApiError } from "../state/api.ts";
import { go } from "../state/navigation.ts";
import { loadModels, models } from "../state/project.ts";
import { everywhere, loadProjects, projects, projectTitle } from "../state/projects.ts";
import { download } from "../state/download.ts";
import { announce, toast } from "../state/toast.ts";
import { isDialog, projectName } from "../text/names.ts";
import { clock, day } from "../text/time.ts";
import { writeRoute } from "../text/route.ts";
import { projectForms as forms, projects as words, told } from "../text/strings.ts";
import { useForm } from "./parts/act.ts";
import { Called } from "./parts/called.tsx";
import { Connect } from "./parts/connect.tsx";
import { Icon } from "./parts/icon.tsx";
import { MenuButton, MenuItem } from "./parts/menubutton.tsx";
import { Modal } from "./parts/modal.tsx";
import { usable } from "./parts/modelpicker.tsx";
import { focused } from "./parts/focus.ts";

/** Projects lists the projects with what goes on in them, makes new ones, copies and restores them, and deletes one after saying what is removed. */
export function Projects() {
  const making = useSignal<"" | "new" | "restore">("");
  const deleting = useSignal<string | null>(null);
  const error = useSignal("");
  useEffect(() => {
    loadProjects().catch((e: Error) => (error.value = e.message));
    loadModels().catch(() => undefined); // New dialog says why
  }, []);
  const all = projects.value;
  const noModel = models.value !== null && usable().every((p) => p.provider === "replay");
  return (
    <main class="projects">
      <div class="projects-head">
        <h1>{forms.title}</h1>
        <span class="actions">
          <button onClick={() => (making.value = "restore")}>{words.restore}</button>
          <button class="primary" onClick={() => (making.value = "new")}><Icon name="plus" /> {forms.new}</button>
        </span>
      </div>
      <p class="what">{words.what}</p>
      {error.value !== "" && <p class="error" role="alert">{error.value} <button onClick={() => location.reload()}>{forms.again}</button></p>}
      {making.value === "new" && <NewProject onClose={() => (making.value = "")} />}
      {making.value === "restore" && <RestoreProject onClose={() => (making.value = "")} />}
      {all !== null && all.length === 0 && making.value === "" && <p class="quiet">{words.none}</p>}
      <ul class="project-list">
        {(all ?? []).map((name) => (
          <li key={name}>
            <a href={writeRoute({ at: "docs", project: name, file: null })}><Called title={projectTitle(name)} name={name} /></a>
            <GoesOn of={everywhere.value?.find((p) => p.name === name)} />
            <MenuButton label={words.menu(projectTitle(name))}>
              <p class="quiet" role="none" id={`take-${name}`}>{words.take}</p>
              {words.scopes.map(([scope, said]) => <MenuItem key={scope} aria-describedby={`take-${name}`} onClick={() => void download(api.snapshot(name, scope), `${name}-${scope}.zip`)}>{said}</MenuItem>)}
            </MenuButton>
            <button class="icon-button" aria-label={forms.remove(projectTitle(name))} title={forms.removeShort} onClick={() => (deleting.value = name)}><Icon name="cross" /></button>
          </li>
        ))}
      </ul>
      {noModel && <Connect none onFound={() => undefined} />}
      {deleting.value !== null && <DeleteProject name={deleting.value} onClose={() => (deleting.value = null)} />}
    </main>
  );
}

// What waits and works in a project, and when it changed.
function GoesOn({ of }: { of: ProjectNeeds | undefined }) {
  if (of === undefined) return null;
  return (
    <span class="goes-on">
      {of.waiting > 0 && <a class="waits" href={writeRoute({ at: "dialogs", project: of.name, dialog: null })}>{words.waits(of.waiting)}</a>}
      {of.active > 0 && <span>{words.writes(of.active)}</span>}
      {of.changed && <time class="quiet" dateTime={of.changed} title={clock(of.changed)}>{words.changed(day(of.changed))}</time>}
    </span>
  );
}

interface Making {
  /** true where the fields hold what it takes */
  ready: boolean;
  /** makes the project and returns its name */
  make: () => Promise<string>;
  /** what the button that does so says */
  label: string;
  onClose: () => void;
  children: ComponentChildren;
}

/** MakeProject is a form that makes a project and goes there, or says why not. */
function MakeProject({ ready, make, label, onClose, children }: Making) {
  const { act, busy, error } = useForm();
  const submit = (e: Event) => {
    e.preventDefault();
    if (ready && !busy.value) void act(async () => go({ at: "docs", project: await make(), file: null }));
  };
  return (
    <form class="card form" onSubmit={submit} onKeyDown={(e) => { if (e.key === "Escape") onClose(); }}>
      {children}
      {error.value !== "" && <p class="error" role="alert">{error.value}</p>}
      <div class="actions">
        <button class="primary" disabled={!ready || busy.value}>{label}</button>
        <button type="button" onClick={onClose}>{forms.cancel}</button>
      </div>
    </form>
  );
}

/** uploadMost is how many bytes a request may have: the server reads no larger one. */
const uploadMost = 16 * 2 ** 20;

function RestoreProject({ onClose }: { onClose: () => void }) {
  const zip = useSignal<File | null>(null);
  const typed = useSignal<string | null>(null);
  // A copy is called PROJECT-SCOPE-DATE-TIME.zip.
  const said = typed.value ?? (zip.value?.name ?? "").replace(/\.zip$/i, "").replace(/-(docs|dialogs|all)-\d{8}-\d{6}.*$/, "");
  const name = projectName(said);
  const make = async () => {
    const copy = zip.value!;
    if (copy.size > uploadMost) throw new ApiError(413, words.zipLarge(Math.ceil(copy.size / 2 ** 20)));
    const made = await api.restoreProject(name, copy);
    if (made.disarmed && made.disarmed.length > 0) toast(words.disarmed(made.disarmed.length));
    return made.name;
  };
  return (
    <MakeProject ready={zip.value !== null && name !== ""} make={make} label={words.restoreGo} onClose={onClose}>
      <label for="restore-zip">{words.zip}</label>
      <input id="restore-zip" ref={focused} type="file" accept=".zip,application/zip" onChange={(e) => (zip.value = e.currentTarget.files?.[0] ?? null)} />
      <label for="restore-name">{forms.name}</label>
      <input id="restore-name" autocomplete="off" value={said} onInput={(e) => (typed.value = e.currentTarget.value)} />
      {name !== said && name !== "" && <p class="quiet">{forms.called} <b>{name}</b>.</p>}
    </MakeProject>
  );
}

function NewProject({ onClose }: { onClose: () => void }) {
  const typed = useSignal("");
  const deed = useSignal("");
  const make = async () => {
    const made = await api.createProject(typed.value, deed.value.trim());
    await loadProjects();
    announce(told.created(typed.value.trim()));
    return made.name;
  };
  return (
    <MakeProject ready={typed.value.trim() !== ""} make={make} label={forms.create} onClose={onClose}>
      <label for="project-title">{forms.newTitle}</label>
      <input id="project-title" ref={focused} dir="auto" autocomplete="off" value={typed.value} onInput={(e) => (typed.value = e.currentTarget.value)} />
      <label for="project-deed" title={forms.folderExactly}>{words.folder} <span class="quiet">{forms.optional}</span></label>
      <input id="project-deed" autocomplete="off" spellcheck={false} placeholder={forms.folderExample} value={deed.value} onInput={(e) => (deed.value = e.currentTarget.value)} />
      <p class="quiet">{words.folderHint}</p>
    </MakeProject>
  );
}

function DeleteProject({ name, onClose }: { name: string; onClose: () => void }) {
  const what = useSignal("");
  const { act, busy, error } = useForm();
  useEffect(() => {
    void Promise.all([api.files(name), api.dialogs(name)]).then(([files, dialogs]) => {
      const docs = files.filter((f) => !isDialog(f.name)).length;
      const live = dialogs.filter((d) => d.status === "active").length;
      what.value = forms.holds(docs, dialogs.length, live);
    }, () => { what.value = forms.holdsAll; });
  }, [name]);
  const remove = () => act(async () => {
    await api.deleteProject(name);
    await loadProjects();
    onClose();
  });
  return (
    <Modal title={forms.removeTitle(projectTitle(name))} onClose={onClose}>
      <p>{forms.removeFolder} <b>{name}</b> {forms.removeWith(what.value || "…")}</p>
      <p>{forms.never}</p>
      {error.value !== "" && <p class="error" role="alert">{error.value}</p>}
      <div class="actions">
        <button autofocus onClick={onClose}>{forms.keep}</button>
        <button class="danger" disabled={busy.value} onClick={() => void remove()}>{forms.removeGo}</button>
      </div>
    </Modal>
  );
}
