import { useSignal } from "@preact/signals";
import { api } from "../../state/api.ts";
import { deleteDoc } from "../../state/docs.ts";
import { openDoc } from "../../state/opendoc.ts";
import { go, route } from "../../state/navigation.ts";
import { docs, docTitle, filesFailed, loadFiles } from "../../state/project.ts";
import { project, projectTitle } from "../../state/projects.ts";
import { docStem, MAIN } from "../../text/names.ts";
import { writeRoute } from "../../text/route.ts";
import { announce } from "../../state/toast.ts";
import { docList as say, list as words, told } from "../../text/strings.ts";
import { focusing } from "../../state/page.ts";
import { Called } from "../parts/called.tsx";
import { DocPane } from "./docpane.tsx";
import { Followed } from "./followed.tsx";
import { Icon } from "../parts/icon.tsx";
import { Modal } from "../parts/modal.tsx";
import { TakeIn } from "./takein.tsx";
import { focused } from "../parts/focus.ts";

// The shell puts docs in view by it, with the code of this part.
export { viewDoc } from "../../state/docs.ts";

/** Docs shows the list of docs beside the doc in view. */
export function Docs() {
  const p = project.value;
  const at = route.value.at === "docs" ? route.value.file : null;
  const making = useSignal(false);
  const deleting = useSignal<string | null>(null);
  if (p === null) return null;
  return (
    <div class={`split${at === null ? "" : " chosen"}${focusing.value && at !== null ? " alone" : ""}`}>
      <aside class="side" aria-label={say.name}>
        <button class="wide" onClick={() => (making.value = true)}>{say.new}</button>
        {making.value && <NewDoc project={p} onClose={() => (making.value = false)} />}
        {filesFailed.value !== "" && <p class="quiet" role="status">{words.unread(filesFailed.value)}</p>}
        <ul class="list">
          {mainFirst(docs.value ?? []).map((f) => (
            <li class={f === at ? "here" : ""}>
              <a href={writeRoute({ at: "docs", project: p, file: f })} title={f} {...(f === at ? { "aria-current": "page" as const } : {})}>
                <Icon name="doc" /><Called title={docTitle(f)} name={docStem(f)} />
                {f === at && openDoc.value?.dirty.value && <span class="dot" title={say.unsaved}><span class="unseen">{say.unsavedToo}</span></span>}
              </a>
              <button class="icon-button" aria-label={say.remove(docTitle(f))} title={say.removeShort} onClick={() => (deleting.value = f)}><Icon name="cross" /></button>
            </li>
          ))}
        </ul>
        <TakeIn key={p} project={p} />
      </aside>
      {openDoc.value ? <DocPane key={openDoc.value.name} doc={openDoc.value} /> : <Nothing project={p} />}
      <Followed />
      {deleting.value !== null && <DeleteDoc project={p} file={deleting.value} onClose={() => (deleting.value = null)} />}
    </div>
  );
}

// The doc that leads stays on top; the others come as the server gives them, newest first.
function mainFirst(files: string[]): string[] { return files.includes(MAIN) ? [MAIN, ...files.filter((f) => f !== MAIN)] : files; }

function Nothing({ project: p }: { project: string }) {
  const has = (docs.value ?? []).includes(MAIN);
  return (
    <main class="pane empty hint">
      <h1 class="unseen">{projectTitle(p)}</h1>
      <p>
        {has
          ? <>{say.choose} <a href={writeRoute({ at: "docs", project: p, file: MAIN })}>{docStem(MAIN)}</a> {say.leads}</>
          : say.none}
      </p>
    </main>
  );
}

function NewDoc({ project: p, onClose }: { project: string; onClose: () => void }) {
  const title = useSignal("");
  const error = useSignal("");
  const ready = title.value.trim() !== "";
  const submit = async (e: Event) => {
    e.preventDefault();
    if (!ready) return;
    try {
      const { name } = await api.createPage(p, title.value);
      loadFiles();
      announce(told.created(title.value.trim()));
      onClose();
      go({ at: "docs", project: p, file: name });
    } catch (err) {
      error.value = (err as Error).message;
    }
  };
  return (
    <form class="inline-form" onSubmit={submit} onKeyDown={(e) => { if (e.key === "Escape") onClose(); }}>
      <label for="doc-title">{say.docTitle}</label>
      <input id="doc-title" ref={focused} dir="auto" autocomplete="off" value={title.value} onInput={(e) => (title.value = e.currentTarget.value)} />
      {error.value !== "" && <p class="error" role="alert">{error.value}</p>}
      <div class="actions">
        <button class="primary" disabled={!ready}>{say.create}</button>
        <button type="button" onClick={onClose}>{say.cancel}</button>
      </div>
    </form>
  );
}

function DeleteDoc({ project: p, file, onClose }: { project: string; file: string; onClose: () => void }) {
  return (
    <Modal title={say.removeTitle(docTitle(file))} onClose={onClose}>
      <p>{say.removeFile} <code>{file}</code> {say.removed(file === MAIN)}</p>
      <div class="actions">
        <button autofocus onClick={onClose}>{say.keep}</button>
        <button class="danger" onClick={() => { onClose(); void deleteDoc(p, file); }}>{say.removeGo}</button>
      </div>
    </Modal>
  );
}
