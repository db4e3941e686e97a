import type { OpenDoc } from "../../state/doc.ts";
import { rules as words } from "../../text/strings.ts";
import type { LineProblem } from "../../types.ts";
import { Icon } from "../parts/icon.tsx";
import { Reveal } from "../parts/reveal.tsx";

/** ToLine is a button to a line of the text below. */
export function ToLine({ doc, line }: { doc: OpenDoc; line: number }) {
  return <button class="where" onClick={() => doc.editor?.goTo(line)}>{words.line(line)}</button>;
}

/** LineProblems lists the lines of the saved text that have no effect, and why. */
export function LineProblems({ doc, title, problems }: { doc: OpenDoc; title: string; problems: Pick<LineProblem, "line" | "text">[] }) {
  const lines = (doc.saved.value ?? "").split("\n");
  return (
    <section role="status" aria-label={words.noEffect}>
      <h2 class="mark"><Icon name="warn" /> {title}</h2>
      <ul>{problems.map((p) => <li key={`${p.line} ${p.text}`}><span><code><Reveal text={(lines[p.line - 1] ?? "").trim()} /></code> <Reveal text={p.text} /></span><ToLine doc={doc} line={p.line} /></li>)}</ul>
    </section>
  );
}
