import { setSeed } from "../state/seed.ts";
import { go } from "../state/navigation.ts";
import { writeRoute } from "../text/route.ts";

const EXAMPLES: [string, string][] = [
  ["A little game", "## What I want\n\nA tic-tac-toe for the browser, in one page, that is a pleasure to lose against. Two agents should work on it: one draws, one builds.\n"],
  ["A book of recipes", "## What I want\n\nMy grandmother's kitchen as a small book: one page a dish, a list of what to buy, and a short story before each. Ask me for the dishes.\n"],
  ["A letter with sources", "## What I want\n\nA letter to the city about the trees in our street: two pages, calm, with every claim backed by a source that I can open.\n"],
];

/** Empty is shown where there is no dialog yet, and says how to begin. */
export function Empty({ project }: { project: string }) {
  const main = { at: "docs", project, file: "doc-main.md" } as const;
  return (
    <main class="pane empty">
      <div class="begin">
        <p class="lead">Nothing here yet. Write in <a href={writeRoute(main)}><em>main</em></a> what you want to exist, then start a dialog.</p>
        <p class="quiet">For example (it is put into main, and not saved before you say so):</p>
        <ul class="examples">
          {EXAMPLES.map(([name, text]) => (
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
