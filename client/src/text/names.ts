/** docTitle is what a reader sees of a doc's file name: "main" for "doc-main.md". */
export function docTitle(file: string): string {
  const m = /^doc-(.+)\.md$/.exec(file);
  return m ? m[1]! : file;
}

/** docFile is the file name for a doc that a human named. "" when no letter or digit is left of it. */
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

/** isDialog tells whether a file of the project is a dialog, which the docs' list leaves out. */
export function isDialog(file: string): boolean {
  return /^dialog-\d{8}-\d{6}-.+-(active|waiting|done)\.md$/.test(file);
}

/** dialogName is the name a human gave: the id without its time. */
export function dialogName(id: string): string {
  return id.replace(/^\d{8}-\d{6}-/, "");
}

/** PROJECT_NAME is what the server takes for a project's name. */
export const PROJECT_NAME = /^[a-zA-Z0-9_-][a-zA-Z0-9_.-]{0,99}$/;

/** projectName is the nearest name that the server takes for what a human typed. */
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

/** modelName is who speaks: the model, or a recording where a dialog file plays it. */
export function modelName(model: string): string {
  const m = /(?:^|\/)dialog-\d{8}-\d{6}-(.+)-(?:active|waiting|done)\.md$/.exec(model);
  return m ? `recording: ${m[1]}` : model || "agent";
}
