import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { OpenDoc } from "../../state/doc.ts";
import { headings, type Heading } from "../../text/links.ts";
import { uncommented } from "../../text/uncommented.ts";
import { docTitle } from "../../state/project.ts";
import { docs as say } from "../../text/strings.ts";

/** Outline lists the headings of a doc beside its text. */
export function Outline({ doc }: { doc: OpenDoc }) {
  const list = useSignal<Heading[]>([]);
  const version = doc.version.value;
  useEffect(() => {
    const timer = setTimeout(() => { if (doc.editor) list.value = headings(uncommented([...doc.editor.lines()].join("\n")).split("\n")); }, 120);
    return () => clearTimeout(timer);
  }, [doc, version]);
  return (
    <nav class="outline" aria-label={say.outlineOf(docTitle(doc.name))}>
      <h2>{say.outline}</h2>
      {list.value.length === 0 && <p class="quiet">{say.noHeadings}</p>}
      <ul>{list.value.map((h) => <li key={h.line} class={`level-${h.level}`}><button onClick={() => doc.editor?.goTo(h.line)}>{h.title}</button></li>)}</ul>
    </nav>
  );
}
