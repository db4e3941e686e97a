import type { Section } from "../../types.ts";
import { seekLine } from "../../state/goal.ts";
import { docs, docTitle } from "../../state/project.ts";
import { quotedIn, type Quoted } from "../../text/passage.ts";
import { writeRoute } from "../../text/route.ts";
import { items as say } from "../../text/strings.ts";
import { Exact } from "../parts/exact.tsx";

/** QuotedPassages shows what a message is about, each passage below a link to its place. */
export function QuotedPassages({ section, project }: { section: Section; project: string }) {
  return quotedIn(section).map((q, i) => (
    <blockquote class="quoted" key={i}>
      <p class="quiet"><Where of={q} project={project} /></p>
      <Exact text={q.text} lines={6} />
    </blockquote>
  ));
}

function Where({ of: { file, lines, text }, project }: { of: Quoted; project: string }) {
  if (file === "") return say.onPassage;
  const isDoc = !file.startsWith("deed/");
  const words = say.on(isDoc ? docTitle(file) : file, lines);
  if (isDoc && !(docs.value ?? []).includes(file)) return words;
  const first = text.split(/\r?\n/)[0]!;
  return isDoc
    ? <a href={writeRoute({ at: "docs", project, file })} onClick={() => { if (lines !== "") seekLine(project, file, parseInt(lines), first); }}>{words}</a>
    : <a href={writeRoute({ at: "deed", project, path: file.slice("deed/".length) })}>{words}</a>;
}
