import { projectTitle } from "../../state/projects.ts";
import { setSeed } from "../../state/seed.ts";
import { go } from "../../state/navigation.ts";
import { docStem } from "../../text/names.ts";
import { writeRoute } from "../../text/route.ts";
import { empty as say, list } from "../../text/strings.ts";

/** Empty is shown where there is no dialog yet, and says how to begin. */
export function Empty({ project }: { project: string }) {
  const main = { at: "docs", project, file: "doc-main.md" } as const;
  return (
    <main class="pane empty">
      <h1 class="unseen">{list.of(projectTitle(project))}</h1>
      <div class="begin">
        <p class="lead">{say.nothing} <a href={writeRoute(main)}><em>{docStem(main.file)}</em></a> {say.then}</p>
        <p class="quiet">{say.example}</p>
        <ul class="examples">
          {say.examples.map(([name, text]) => (
            <li>
              <button class="card example" onClick={() => { setSeed(project, main.file, "\n" + text); go(main); }}>
                <b>{name}</b>
                <span>{text.split("\n\n")[1]!.trim()}</span>
              </button>
            </li>
          ))}
        </ul>
      </div>
    </main>
  );
}
