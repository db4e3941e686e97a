import { readRoute, writeRoute } from "../text/route.ts";
import { health, loadHealth } from "./project.ts";
import { login } from "./session.ts";

/**
 * enter lets this browser in by a one-time code; it throws an Error whose message is for the
 * human. A first visit to an installation in which nothing was begun leads to the recorded
 * dialog that the server names, and the way back from there to the list of projects.
 */
export async function enter(code: string): Promise<void> {
  if (!(await login(code)) || readRoute(location.hash).at !== "projects") return;
  await loadHealth().catch(() => undefined);
  const first = health.peek()?.welcome;
  if (first) location.hash = writeRoute({ at: "dialogs", project: first.project, dialog: first.dialogId });
}
