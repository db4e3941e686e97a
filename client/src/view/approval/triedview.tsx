import { useEffect, useState } from "preact/hooks";
import type { Call, Tried } from "../../types.ts";
import { size } from "../../text/part.ts";
import { tried as say } from "../../text/strings.ts";
import type { Shown } from "../../text/tried.ts";
import { Exact } from "../parts/exact.tsx";
import { Icon } from "../parts/icon.tsx";
import { PartView } from "../parts/part.tsx";
import { Reveal } from "../parts/reveal.tsx";
import type { Opened } from "./answers.ts";

interface Props {
  call: Call;
  tried: Tried;
  shown: Shown[];
  again: () => void;
  opened: Opened;
  toggle: (id: string, key: string) => (open: boolean) => void;
}

/** TriedView shows what a tried command changed, file by file, and below it, folded, what it printed. */
export function TriedView({ call, tried, shown, again, opened, toggle }: Props) {
  const printed = [[say.printed, tried.stdout], [say.errors, tried.stderr]] as const;
  return (
    <>
      {shown.map((s) => {
        const ticked = opened.has(`${call.id}/${s.key}`), tick = toggle(call.id, s.key);
        switch (s.is) {
          case "words": return <p key={s.key} class="changed" data-read={s.key}><Reveal text={s.words} /></p>;
          case "reading": return <p key={s.key} class="changed quiet"><Reveal text={s.words} /></p>;
          case "failed": return <p key={s.key} class="changed warning"><Icon name="warn" /> <Reveal text={s.words} /> <button type="button" onClick={again}>{say.again}</button></p>;
          case "part": return <PartView key={s.key} part={s.part} open={ticked} onOpen={tick} />;
          case "pictures": return <Pictures key={s.key} shown={s} />;
          case "unseen": return <Unseen key={s.key} shown={s} ticked={ticked} tick={tick} />;
        }
      })}
      {printed.map(([label, text]) => text && <details key={label} class="exactly"><summary>{label(size(text))}</summary><Exact text={text} label={label(size(text))} /></details>)}
    </>
  );
}

// How many names are listed.
const NAMES = 500;

/** Unseen is one line for what is not shown. It opens, and has a tick of its own, without which it is not allowed. */
function Unseen({ shown: { key, words, names, part }, ticked, tick }: { shown: Shown & { is: "unseen" }; ticked: boolean; tick: (on: boolean) => void }) {
  const [open, setOpen] = useState(false);
  const line = <span data-read={key}><Reveal text={words} /></span>;
  return (
    <div class="changed unseen-files" role="group" aria-label={words}>
      {names.length === 0 && !part ? line : (
        <details onToggle={(e) => setOpen(e.currentTarget.open)}>
          <summary>{line}</summary>
          <div data-unread>
            {open && part && <PartView part={part} />}
            {open && names.length > 0 && <ul>{names.slice(0, NAMES).map((n) => <li key={n}><Reveal text={n} /></li>)}{names.length > NAMES && <li>{say.more(names.length - NAMES)}</li>}</ul>}
          </div>
        </details>
      )}
      <label class="choice"><input type="checkbox" checked={ticked} onChange={(e) => tick(e.currentTarget.checked)} /> {say.unseen}</label>
    </div>
  );
}

function Pictures({ shown: s }: { shown: Shown & { is: "pictures" } }) {
  return (
    <figure class="changed pictures">
      {s.before && <Picture of={s.before} alt={say.before(s.path)} />}
      {s.after && <Picture of={s.after} alt={say.now(s.path)} />}
      <figcaption data-read={s.key}><Reveal text={s.words} /></figcaption>
    </figure>
  );
}

function Picture({ of, alt }: { of: Blob; alt: string }) {
  const [url, setUrl] = useState("");
  useEffect(() => {
    const made = URL.createObjectURL(of);
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [of]);
  return url === "" ? null : <img src={url} alt={alt} />;
}
