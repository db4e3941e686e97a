import { docStem } from "../text/names.ts";
import { headingLine, headings, picturePath, readDocLink } from "../text/links.ts";
import { docs as say } from "../text/strings.ts";
import { api } from "./api.ts";
import type { OpenDoc } from "./doc.ts";
import { missing } from "./missingdoc.ts";
import { go } from "./navigation.ts";
import { drawPicture, openFile } from "./pictures.ts";
import { dialogs, docs, docTitle, loadFiles } from "./project.ts";
import { toast } from "./toast.ts";

let goal: { project: string; file: string; heading: string } | null = null;

/** followLink goes where a link of a doc leads, or says why it can't. */
export function followLink(doc: OpenDoc, address: string): void {
  const t = readDocLink(address);
  switch (t.to) {
    case "web":
      window.open(t.url, "_blank", "noopener,noreferrer");
      return;
    case "heading": return goToHeading(doc, t.heading);
    case "doc": {
      if (!(docs.peek() ?? []).includes(t.file)) {
        missing.value = { project: doc.project, file: t.file };
        return;
      }
      if (t.file === doc.name) return t.heading === "" ? undefined : goToHeading(doc, t.heading);
      goal = t.heading === "" ? null : { project: doc.project, file: t.file, heading: t.heading };
      return go({ at: "docs", project: doc.project, file: t.file });
    }
    case "dialog": {
      const d = (dialogs.peek() ?? []).find((d) => d.dialogId === t.id);
      return d ? go({ at: "dialogs", project: doc.project, dialog: d.dialogId }) : toast(say.noDialog(t.id));
    }
    case "added": return openFile(doc.project, t.path);
    case "deed": return go({ at: "deed", project: doc.project, path: t.path });
    default: return toast(say.noWay(address));
  }
}

/** reachGoal goes to the heading that led to a doc, once its text is there. It reports whether there was one. */
export function reachGoal(doc: OpenDoc): boolean {
  if (goal === null || goal.project !== doc.project || goal.file !== doc.name) return false;
  const { heading } = goal;
  goal = null;
  goToHeading(doc, heading);
  return true;
}

function goToHeading(doc: OpenDoc, heading: string): void {
  const line = headingLine(headings(doc.editor?.lines() ?? []), heading);
  if (line === 0) toast(say.noHeading(heading, docTitle(doc.name)));
  else doc.editor?.goTo(line);
}

/** createMissing makes the doc that a link leads to, and opens it. */
export async function createMissing(): Promise<void> {
  const m = missing.value;
  missing.value = null;
  if (m === null) return;
  try {
    await api.createDoc(m.project, m.file, `# ${docStem(m.file)}\n\n`);
    loadFiles();
    go({ at: "docs", project: m.project, file: m.file });
  } catch (e) {
    toast((e as Error).message);
  }
}

/** pictureOf returns what shows a picture of a doc in an img, or null where an address names none that may be shown. */
export function pictureOf(project: string, address: string): ((img: HTMLImageElement) => Promise<void>) | null {
  const path = picturePath(address);
  return path === null ? null : (img) => drawPicture(img, project, path);
}
