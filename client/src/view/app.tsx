import { useEffect } from "preact/hooks";
import { useSignal } from "@preact/signals";
import { answering } from "../state/answering.ts";
import { stalled } from "../state/api.ts";
import { asked } from "../state/closing.ts";
import { keysShown, showKeys } from "../state/keys.ts";
import { app } from "../text/strings.ts";
import { openDoc } from "../state/opendoc.ts";
import { leave, leaving, route, stay } from "../state/navigation.ts";
import { lostSince, tryNow, unfollowed } from "../state/live.ts";
import { docTitle, projectGone, wallsShown } from "../state/project.ts";
import { project } from "../state/projects.ts";
import { token } from "../state/session.ts";
import { announce, dismiss, heard, toasts } from "../state/toast.ts";
import { Dialogs } from "./board/dialogs.tsx";
import { AnswerPanel, Board, Deed, Docs, KeyList, Login, Projects, Walls } from "./chunks.ts";
import { Closing } from "./dialog/chunks.ts";
import { Find } from "./find.tsx";
import { Icon } from "./parts/icon.tsx";
import { Modal } from "./parts/modal.tsx";
import { TopBar } from "./topbar.tsx";
import { useKey } from "./parts/usekey.ts";

/** App is the whole window. */
export function App() {
  useKey("list", showKeys);
  if (token.value === "") return <Login />;
  return (
    <div class="window">
      <TopBar />
      <div class="troubles"><div><Lost /><Troubles /></div></div>
      {projectGone.value ? <Gone /> : <Place />}
      <div class="toasts" role="status">
        {toasts.value.map((t) => <div class="toast" key={t.id}><span>{t.text}</span><button class="icon-button" aria-label={app.dismiss} onClick={() => dismiss(t.id)}><Icon name="cross" /></button></div>)}
      </div>
      <div class="unseen" aria-live="polite" data-testid="heard">{heard.value.map((t) => <p key={t.id}>{t.text}</p>)}</div>
      <Find />
      {leaving.value !== null && <Leaving />}
      {asked.value !== null && <Closing onClose={() => (asked.value = null)} />}
      {answering.value !== null && <AnswerPanel key={answering.value.id} {...answering.value} onClose={() => (answering.value = null)} />}
      {keysShown.value && <KeyList onClose={() => (keysShown.value = false)} />}
      {wallsShown.value && <Walls onClose={() => (wallsShown.value = false)} />}
    </div>
  );
}

// The place that the address names.
function Place() {
  const r = route.value;
  switch (r.at) {
    case "projects": return <Projects />;
    case "board": return <Board key={r.project} project={r.project} />;
    case "docs": return <Docs />;
    case "deed": return <Deed />;
    case "dialogs": return <Dialogs />;
  }
}

function Leaving() {
  const doc = openDoc.value;
  const failed = useSignal(false);
  if (doc === null) return null;
  const save = async () => {
    if (await doc.save()) leave();
    else failed.value = true;
  };
  return (
    <Modal title={app.notSaved(docTitle(doc.name))} onClose={stay}>
      <p>{failed.value ? app.saveFailed : app.notOnDisk}</p>
      <div class="actions">
        <button autofocus onClick={stay}>{app.stay}</button>
        <button class="primary" onClick={save}>{app.saveAndLeave}</button>
        <button class="danger" onClick={() => { doc.abandon(); leave(); }}>{app.discard}</button>
      </div>
    </Modal>
  );
}

function Gone() {
  return (
    <main class="pane empty"><div><p>{app.project} <b>{project.value}</b> {app.projectGone}</p><p><a href="#/projects">{app.allProjects}</a></p></div></main>
  );
}

// Bars show that a request had no answer for some seconds, and what the server refuses to follow: it looks live
// and is not. They stand in a region that is there before them: one that comes with its words is told by no Firefox.
function Troubles() {
  const lost = lostSince.value !== null;
  return (
    <div role="status">
      {!lost && stalled.value !== 0 && <div class="bar slow"><span>{app.slow}</span></div>}
      {!lost && unfollowed.value !== "" && <div class="bar bad"><span>{app.unfollowed(unfollowed.value)}</span></div>}
    </div>
  );
}

// A short break is not shown; after 2 s a bar tells it, with the age of what is shown. That grows: a screen reader
// is told once that it does.
function Lost() {
  const now = useSignal(Date.now());
  const since = lostSince.value;
  useEffect(() => {
    if (since === null) return;
    now.value = Date.now();
    const t = setInterval(() => (now.value = Date.now()), 500);
    return () => clearInterval(t);
  }, [since]);
  const shown = since !== null && now.value - since >= 2000;
  useEffect(() => {
    if (!shown) return;
    announce(app.lostHeard);
    return () => announce(app.backHeard);
  }, [shown]);
  return shown && (
    <div class="bar bad lost">
      <span>{app.lost(Math.round((now.value - since) / 1000))}</span>
      <button onClick={tryNow}>{app.tryNow}</button>
    </div>
  );
}
