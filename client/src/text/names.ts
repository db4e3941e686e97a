import { names as say } from "./strings.ts";

/** AGENTS is the provider of agents over ACP, which are programs of their own. */
export const AGENTS = "acp";

/** docStem returns what is shown of a doc's file name: "main" for "doc-main.md". */
export function docStem(file: string): string {
  const m = /^doc-(.+)\.md$/.exec(file);
  return m ? m[1]! : file;
}

/** mayBeDoc reports whether the server takes a name for a doc's. */
export function mayBeDoc(file: string): boolean { return /^[\w-]+(\.[\w-]+)*\.md$/.test(file); }

/** besideTitle returns what stands dim beside a title: the name of its file or folder where that says something else than a name made of the title, else "". */
export function besideTitle(title: string, name: string): string {
  const own = plainLetters(name.replace(/(^|-)x[0-9a-f]{8}$/, "")), made = plainLetters(title);
  return own === made || (own.length > 30 && made.startsWith(own)) ? "" : name;
}

// What a name that is made of words has of them (dialog.Slug), without hyphens.
function plainLetters(words: string): string {
  return words.normalize("NFC").toLowerCase().replace(/[äöü]/g, (c) => `${c.normalize("NFD")[0]}e`).replace(/ß/g, "ss").normalize("NFKD").replace(/[^a-z0-9]+/g, "");
}

/** escapeTitle returns the markdown of a heading that says title and nothing else, as the server writes one (dialog.EscapeTitle). */
export function escapeTitle(title: string): string {
  const twice = (c: string) => title.indexOf(c) !== title.lastIndexOf(c);
  return title.replace(/[\\`*~_[<&]|(?<=^| )#+$/g, (c, at: number) => {
    const before = title[at - 1] ?? " ", rest = title.slice(at + 1);
    const marks = c === "\\" ? /^[!-/:-@[-`{-~]/.test(rest)
      : c === "_" ? twice(c) && !(/[a-z0-9]/i.test(before) && /^[a-z0-9]/i.test(rest))
      : c === "[" ? rest.includes("](")
      : c === "<" ? rest.includes(">")
      : c === "&" ? rest.includes(";")
      : c[0] === "#" || twice(c);
    return marks ? `\\${c}` : c;
  });
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

/** The doc that leads: every agent reads it first. */
export const MAIN = "doc-main.md";

/** isMain reports whether a call's path may mean the doc that leads, however it is spelled, as the server reads it (tools.NeverBlanket). */
export function isMain(path: string): boolean {
  const clean = cleanPath(path.replaceAll("\\", "/"));
  return !clean.startsWith("deed/") && /^doc-main\.md$/i.test(clean.split("/").at(-1)!.trim());
}

/** oneLine returns a title without what the server takes for none: characters that break the line, control it, or turn the words around it. */
export function oneLine(title: string): string { return title.replace(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]+/gu, " ").trim(); }

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

// How long a name is that is made of words, in characters.
const NAMED = 80;

/** namedBy returns what a dialog is called by its first message: its first line, without marks of markdown, at most some words of it; "" where it has none. */
export function namedBy(text: string): string {
  const marks = /^(?:#{1,6}|>|[-*+]|\d+[.)])\s+|[*_`~]{2,}|`|^[-=*_~`#>\s]+$/g;
  const first = text.split(/\r?\n/).map((l) => oneLine(l).replace(marks, "").trim()).find((l) => l !== "") ?? "";
  const all = [...first];
  if (all.length <= NAMED) return first;
  const at = all.lastIndexOf(" ", NAMED - 1);
  return `${all.slice(0, at > NAMED / 2 ? at : NAMED - 1).join("").replace(/[\s,;:]+$/, "")}…`;
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
