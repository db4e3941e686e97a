import { effect, signal } from "@preact/signals";
import type { News } from "../text/group.ts";
import { nameOf } from "../text/names.ts";
import { list, notify as words, status as say } from "../text/strings.ts";
import { writeRoute, type Route } from "../text/route.ts";
import { go } from "./navigation.ts";
import { everywhere, project, projectTitle } from "./projects.ts";
import { toast } from "./toast.ts";

const KEY = "vibey.notify";

/** Whether a notice of the system shows what needs a human while the tab is hidden. */
export const notifies = signal(localStorage.getItem(KEY) === "1" && typeof Notification !== "undefined" && Notification.permission === "granted");

/** switchNotify turns that on, where the browser may, or off. */
export async function switchNotify(): Promise<void> {
  if (notifies.value) {
    notifies.value = false;
    localStorage.removeItem(KEY);
    return;
  }
  if (typeof Notification === "undefined") return toast(words.none);
  if ((await Notification.requestPermission()) !== "granted") return toast(words.denied);
  localStorage.setItem(KEY, "1");
  notifies.value = true;
}

/** notify tells what needs a human in the project in view, if the tab is hidden. */
export function notify(news: News[]): void {
  const p = project.peek();
  if (p === null) return;
  for (const { d, is } of news) if (is === say.needs) tell(list.needsYou(nameOf(d)), d.words ?? "", `${p}/${d.dialogId}`, { at: "dialogs", project: p, dialog: d.dialogId });
}

/** startNotify tells what needs a human in the other projects, of which only the number is known. */
export function startNotify(): void {
  let before: Map<string, number> | null = null;
  effect(() => {
    const all = everywhere.value;
    if (all === null) return;
    for (const { name, waiting } of all) {
      if (before !== null && waiting > (before.get(name) ?? 0) && name !== project.peek()) tell(words.elsewhere(projectTitle(name)), "", name, { at: "dialogs", project: name, dialog: null });
    }
    before = new Map(all.map((p) => [p.name, p.waiting]));
  });
}

// Tabs that tell the same name it by the same tag: it is shown once.
function tell(title: string, body: string, tag: string, to: Route): void {
  if (!notifies.peek() || document.visibilityState !== "hidden") return;
  const n = new Notification(title, { body, tag: `vibey ${tag}`, icon: "/assets/icon.svg" });
  n.onclick = () => {
    window.focus();
    if (location.hash !== writeRoute(to)) go(to);
    n.close();
  };
}
