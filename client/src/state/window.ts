import { batch, effect, untracked } from "@preact/signals";
import { afterwards } from "./afterwards.ts";
import { answering } from "./answering.ts";
import type { viewDoc } from "./docs.ts";
import { viewDialog } from "./opendialog.ts";
import { Late } from "./late.ts";
import { redirect, route, startNavigation } from "./navigation.ts";
import { lostSince } from "./live.ts";
import { byId, dialogTitle, docTitle, loadHealth, needCount, openProject, projectGone } from "./project.ts";
import { followEverywhere, loadProjects, project, projects, projectTitle } from "./projects.ts";
import { startKeys } from "./keys.ts";
import { startPressed } from "./pressed.ts";
import { startNotify } from "./notify.ts";
import { codeFromAddress, loginReason, token } from "./session.ts";
import { enter } from "./enter.ts";
import { NEW, type Route } from "../text/route.ts";
import { made, palette, top } from "../text/strings.ts";

const wide = matchMedia("(min-width: 45.01rem)");

/** startWindow logs in with the code of the address, then shows what the address names. docsCode loads the part that shows docs. */
export async function startWindow(docsCode: () => Promise<{ viewDoc: typeof viewDoc }>): Promise<void> {
  docs = new Late(docsCode);
  startKeys();
  startPressed();
  const code = codeFromAddress();
  if (code !== "") {
    try {
      await enter(code);
    } catch (e) {
      // A reload of the printed address has a used code; a browser with a token stays logged in.
      if (token.value === "") loginReason.value = (e as Error).message;
    }
  }
  startNavigation();
  effect(() => {
    const r: Route = token.value === "" ? { at: "projects" } : route.value;
    untracked(() => view(r));
  });
  effect(() => {
    if (token.value === "") return;
    return followEverywhere();
  });
  effect(() => { // a folder that was moved away, or a disk, may come back
    if (!projectGone.value) return;
    const timer = setInterval(() => void loadProjects().then(again, () => undefined), 2000);
    return () => clearInterval(timer);
  });
  effect(() => { // behind a lost connection may stand another start, with other walls
    if (token.value !== "" && lostSince.value === null) afterwards(() => void loadHealth().catch(() => undefined));
  });
  effect(showNeed);
  startNotify();
}

let docs: Late<{ viewDoc: typeof viewDoc }>;

// The dialog that was open last in each project, and what is in view.
const lastDialog = new Map<string, string>();
let before: Route["at"] | null = null;

// Who comes to the dialogs from another part of a project goes on where they were. A narrow window shows the list first.
function comesBack(r: Route): Route {
  if (r.at !== "dialogs" || r.dialog !== null || before === "dialogs" || r.project !== project.peek() || !wide.matches) return r;
  const last = lastDialog.get(r.project);
  return last !== undefined && byId.peek().has(last) ? { ...r, dialog: last } : r;
}

function view(r: Route): void {
  const to = comesBack(r);
  before = r.at;
  if (to !== r) return redirect(to);
  answering.value = null;
  openProject(r.at === "projects" ? null : r.project);
  if (r.at === "docs") docs.use((m) => m.viewDoc(r.project, r.file));
  else if (docs.asked) docs.use((m) => m.viewDoc(null, null));
  if (r.at === "dialogs" && r.dialog !== null && r.dialog !== NEW) lastDialog.set(r.project, r.dialog);
  if (r.at === "dialogs" && r.dialog !== NEW) viewDialog(r.project, r.dialog);
  else viewDialog(null, null);
}

// Opens what is in view anew, where its project was gone and is there again.
function again(): void {
  if (!projectGone.peek() || !projects.peek()!.includes(project.peek()!)) return;
  batch(() => {
    view({ at: "projects" });
    view(route.peek());
  });
}

const icon = (dot: string) =>
  `data:image/svg+xml,${encodeURIComponent(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#8a3b12"/><path d="M8 8.5l8 15 8-15" fill="none" stroke="#fcfaf5" stroke-width="3.4" stroke-linecap="round" stroke-linejoin="round"/>${dot}</svg>`)}`;

function placeOf(r: Exclude<Route, { at: "projects" }>): string {
  if (r.at === "board") return r.project === null ? top.board : `${projectTitle(r.project)} · ${top.board}`;
  const project = projectTitle(r.project);
  if (r.at === "docs") return r.file ? docTitle(r.file) : project;
  if (r.at === "deed") return r.path ?? `${made.name} · ${project}`;
  return r.dialog && r.dialog !== NEW ? dialogTitle(r.dialog) : `${r.dialog ? palette.newDialog : top.dialogs} · ${project}`;
}

// The tab's title and icon say what is in view and how many wait, also while another tab is in front.
function showNeed(): void {
  const r = route.value;
  const n = needCount.value;
  const where = r.at === "projects" ? "" : `${placeOf(r)} · `;
  document.title = `${n > 0 ? `(${n}) ` : ""}${where}Vibey`;
  const link = document.querySelector<HTMLLinkElement>("link[rel=icon]");
  if (link) link.href = n > 0 ? icon('<circle cx="25" cy="7" r="7" fill="#f0a92e" stroke="#fff" stroke-width="1.5"/>') : icon("");
}
