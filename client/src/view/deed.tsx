import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { asked } from "../state/closing.ts";
import { deed, followDeed } from "../state/deed.ts";
import { byTab, findShown, keysShown } from "../state/keys.ts";
import { route } from "../state/navigation.ts";
import { project } from "../state/projects.ts";
import { addressOf, firstPage, treeOf, type Folder } from "../text/deed.ts";
import { writeRoute } from "../text/route.ts";
import { app, made } from "../text/strings.ts";
import { bytes } from "../text/time.ts";
import { wide } from "./parts/focus.ts";
import { Icon } from "./parts/icon.tsx";
import { Reveal } from "./parts/reveal.tsx";

/** Deed shows what was made: its files, and the one that is chosen as it looks. */
export function Deed() {
  const p = project.value;
  useEffect(() => (p === null ? undefined : followDeed(p)), [p]);
  const r = route.value;
  const { files, preview, failed, moved, version } = deed.value;
  if (p === null || r.at !== "deed") return null;
  const path = r.path ?? (files !== null && wide() ? firstPage(files) : null);
  const there = path !== null && files?.some((f) => f.path === path);
  return (
    <div class={`split${r.path === null ? "" : " chosen"}`}>
      <aside class="side made" aria-label={made.name}>
        {files?.length === 0 && <p class="quiet">{made.empty}</p>}
        {files !== null && <Tree folder={treeOf(files)} project={p} here={path} />}
        {files !== null && files.length >= 5000 && <p class="quiet">{made.more}</p>}
      </aside>
      <main class="pane page" aria-label={path ?? made.name}>
        {path !== null && (
          <div class="strip">
            <a class="back" href={writeRoute({ at: "deed", project: p, path: null })}><Icon name="back" /> {made.name}</a>
            <h1><Reveal text={path} /></h1>
            <span class="quiet">{there ? bytes(files!.find((f) => f.path === path)!.bytes) : ""}</span>
          </div>
        )}
        {path === null && <h1 class="unseen">{made.name}</h1>}
        {failed !== "" && <p class="quiet" role="alert">{failed}</p>}
        {files === null ? null
          : path === null ? <p class="quiet nothing">{files.length === 0 ? made.empty : made.choose}</p>
          : moved ? <p class="quiet nothing" role="alert">{made.moved} <button onClick={() => location.reload()}>{app.reload}</button></p>
          : there ? <Page key={`${preview}${path}`} address={addressOf(preview, path)} path={path} version={version} />
          : <p class="quiet nothing">{made.gone}</p>}
      </main>
    </div>
  );
}

function Tree({ folder, project: p, here }: { folder: Folder; project: string; here: string | null }) {
  return (
    <ul class="list tree">
      {folder.folders.map((f) => (
        <li key={f.path}>
          <details open={folder.path === "" || here?.startsWith(f.path)}>
            <summary><Reveal text={f.name} /></summary>
            <Tree folder={f} project={p} here={here} />
          </details>
        </li>
      ))}
      {folder.files.map(({ name, file }) => (
        <li key={file.path} class={file.path === here ? "here" : ""}>
          <a href={writeRoute({ at: "deed", project: p, path: file.path })} title={bytes(file.bytes)} {...(file.path === here ? { "aria-current": "page" as const } : {})}><span class="name"><Reveal text={name} /></span></a>
        </li>
      ))}
    </ul>
  );
}

/**
 * Page frames a file of the deed. Where the deed changes, the new page is loaded behind the
 * old one, which stays until the new one stands. The frame has no origin: what agents wrote
 * reaches nothing of this window.
 */
function Page({ address, path, version }: { address: string; path: string; version: number }) {
  const [shown, setShown] = useState(version);
  const box = useRef<HTMLDivElement>(null);
  const [takes, setTakes] = useTakenFocus(box);
  // A page that runs could take the keys that are meant for what opens above it.
  const covered = findShown.value || keysShown.value || asked.value !== null;
  if (takes) return <p class="quiet nothing" role="alert">{made.takes} <button onClick={() => setTakes(false)}>{made.showAgain}</button></p>;
  const frame = (v: number) => (
    <iframe key={v} class={v === shown ? "" : "coming"} src={address} sandbox="allow-scripts" referrerpolicy="no-referrer" title={made.frame(path)} onLoad={() => setShown(v)} {...(v === shown ? {} : { "aria-hidden": true, tabIndex: -1 })} />
  );
  return <div ref={box} class="frames" tabIndex={-1}>{!covered && frame(shown)}{!covered && version !== shown && frame(version)}</div>;
}

// How often a page may take the focus, which it is not given back, before it is shown no more.
const TAKES = 2;

/**
 * useTakenFocus gives the focus back that a page took by itself: neither the pointer is on
 * it nor was the Tab key pressed. Whoever types would not see where the words go. It
 * reports whether the page did so again.
 */
function useTakenFocus(box: RefObject<HTMLElement | null>): [boolean, (is: boolean) => void] {
  const [takes, setTakes] = useState(false);
  useLayoutEffect(() => {
    let before: HTMLElement | null = document.activeElement as HTMLElement | null;
    let times = 0;
    const focused = (e: FocusEvent) => { if ((e.target as Element).tagName !== "IFRAME") before = e.target as HTMLElement; };
    const blurred = () => {
      const at = document.activeElement;
      if (at === null || at.tagName !== "IFRAME" || !box.current?.contains(at) || box.current.matches(":hover") || byTab()) return;
      if (++times >= TAKES) setTakes(true);
      const to = before?.isConnected && before !== document.body ? before : box.current;
      setTimeout(() => to.focus());
    };
    document.addEventListener("focusin", focused);
    addEventListener("blur", blurred);
    return () => {
      document.removeEventListener("focusin", focused);
      removeEventListener("blur", blurred);
    };
  }, [takes]);
  return [takes, setTakes];
}
