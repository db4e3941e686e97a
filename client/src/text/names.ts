import { names as say } from "./strings.ts";

/** AGENTS is the provider of agents over ACP, which are programs of their own. */
export const AGENTS = "acp";

/** docTitle returns what is shown of a doc's file name: "main" for "doc-main.md". */
export function docTitle(file: string): string {
  const m = /^doc-(.+)\.md$/.exec(file);
  return m ? m[1]! : file;
}

/** cleanPath returns a call's path without "./", "//" and "..", as the server reads it. */
export function cleanPath(path: string): string {
  const parts: string[] = [];
  for (const name of path.split("/")) {
    if (name === "..") parts.pop();
    else if (name !== "" && name !== ".") parts.push(name);
  }
  return parts.join("/");
}

/** isMain reports whether a call's path may mean the doc that leads, however it is spelled, as the server reads it (tools.NeverBlanket). */
export function isMain(path: string): boolean {
  const clean = cleanPath(path.replaceAll("\\", "/"));
  return !clean.startsWith("deed/") && /^doc-main\.md$/i.test(clean.split("/").at(-1)!.trim());
}

/** docFile returns the file name for a doc that a human named, or "" where no letter or digit is left. */
export function docFile(title: string): string {
  const stem = title
    .trim()
    .replace(/\.md$/i, "")
    .replace(/^doc-/i, "")
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .replace(/[^a-zA-Z0-9_.-]+/g, "-")
    .replace(/\.{2,}/g, ".")
    .replace(/^[-.]+|[-.]+$/g, "");
  return stem === "" ? "" : `doc-${stem}.md`;
}

/** isDialog reports whether a file of the project is a dialog. */
export function isDialog(file: string): boolean {
  return /^dialog-\d{8}-\d{6}-.+-(active|waiting|done)\.md$/.test(file);
}

/** dialogName returns the slug of an id: what a dialog is called that has no title yet. */
export function dialogName(id: string): string {
  return id.replace(/^\d{8}-\d{6}-/, "");
}

/** nameOf returns a dialog's name: its title, in any script. */
export function nameOf(d: { dialogId: string; title?: string }): string {
  return d.title || dialogName(d.dialogId);
}

/** TITLE_MAX is how many characters a title may have. */
export const TITLE_MAX = 200;

/** PROJECT_NAME matches the names that the server takes for a project. */
export const PROJECT_NAME = /^[a-zA-Z0-9_-][a-zA-Z0-9_.-]{0,99}$/;

/** isProject reports whether the server takes a name for a project. */
export function isProject(name: string): boolean { return PROJECT_NAME.test(name) && !name.includes(".."); }

/** projectName returns the nearest such name for what a human typed. */
export function projectName(words: string): string {
  return words
    .trim()
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .replace(/[^a-zA-Z0-9_.-]+/g, "-")
    .replace(/\.{2,}/g, ".")
    .replace(/^[.-]+|[-.]+$/g, "")
    .slice(0, 100);
}

/** modelName returns the name to show of a model; a dialog file that is played is a recording. */
export function modelName(model: string): string {
  const m = /(?:^|\/)dialog-\d{8}-\d{6}-(.+)-(?:active|waiting|done)\.md$/.exec(model);
  return m ? say.recording(m[1]!) : model || say.agent;
}
