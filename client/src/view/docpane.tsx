import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { OpenDoc } from "../state/doc.ts";
import { takeSeed } from "../state/seed.ts";
import { diffLines } from "../text/diff.ts";
import { docTitle } from "../text/names.ts";
import { PLAN } from "../text/plan.ts";
import { writeRoute } from "../text/route.ts";
import { clock, number } from "../text/time.ts";
import { wordCount } from "../text/words.ts";
import { Diff } from "./diff.tsx";
import { Icon } from "./icon.tsx";
import { PlanCard } from "./plancard.tsx";
import { RulesCard } from "./rules.tsx";
import { useSettled } from "./still.ts";

/** DocPane shows one doc: its state above, its text below. */
export function DocPane({ doc }: { doc: OpenDoc }) {
  const words = useSignal(0);
  useEffect(() => {
    const save = (e: KeyboardEvent) => {
      if ((e.ctrlKey || e.metaKey) && !e.altKey && e.key.toLowerCase() === "s") {
        e.preventDefault();
        void doc.save();
      }
    };
    addEventListener("keydown", save);
    return () => removeEventListener("keydown", save);
  }, [doc]);
  const ready = doc.content.value !== null;
  return (
    <main class="pane doc">
      <div class="strip">
        <a class="back" href={writeRoute({ at: "docs", project: doc.project, file: null })}><Icon name="back" /> Docs</a>
        <h1>{docTitle(doc.name)}</h1>
        <span class="quiet words">{number(words.value)} {words.value === 1 ? "word" : "words"}</span>
        <span class="spread" />
        <Saved doc={doc} />
        <button disabled={!doc.dirty.value || doc.saving.value} onClick={() => doc.discard()}>Discard</button>
        <button class="primary" disabled={!ready || doc.saving.value || (!doc.dirty.value && doc.bar.value?.kind !== "gone")} aria-keyshortcuts="Control+S" onClick={() => void doc.save()}>
          Save <kbd aria-hidden="true">Ctrl S</kbd>
        </button>
      </div>
      <DocBar doc={doc} />
      {doc.comparing.value && doc.bar.value?.kind === "changed" && <Versions doc={doc} theirs={doc.bar.value.theirs.content} />}
      {doc.rules.value !== null && <RulesCard doc={doc} rules={doc.rules.value} />}
      {doc.name === PLAN && <PlanCard doc={doc} />}
      {ready && <Editing doc={doc} onWords={(n) => (words.value = n)} />}
    </main>
  );
}

function Saved({ doc }: { doc: OpenDoc }) {
  const text = doc.saving.value ? "Saving…" : doc.dirty.value ? "Not saved" : doc.savedAt.value ? `Saved · ${clock(doc.savedAt.value)}` : "";
  return <span class={`saved${doc.dirty.value ? " dirty" : ""}`} role="status">{text}</span>;
}

function DocBar({ doc }: { doc: OpenDoc }) {
  const bar = doc.bar.value;
  if (doc.failure.value !== "" && doc.content.value === null) {
    return (
      <Bar bad words={doc.failure.value}><button onClick={() => location.reload()}>Try again</button></Bar>
    );
  }
  if (doc.failure.value !== "") {
    return (
      <Bar bad words={`${doc.failure.value} Your text is kept in this browser.`}><button onClick={() => void doc.save()}>Try again</button></Bar>
    );
  }
  if (bar === null) return null;
  if (bar.kind === "restored") {
    return (
      <Bar words={`This is what you had not saved${clock(bar.at) ? ` at ${clock(bar.at)}` : ""}.`}>
        <button onClick={() => (doc.bar.value = null)}>Go on with it</button>
        <button onClick={() => doc.discard()}>Go back to the file</button>
      </Bar>
    );
  }
  if (bar.kind === "gone") {
    return <Bar words="This doc was deleted on disk while you were writing. Your text is still here: Save writes it anew." />;
  }
  return (
    <Bar words="This doc was changed by someone else while you were writing. Both versions are kept until you choose.">
      {!doc.comparing.value && <button onClick={() => (doc.comparing.value = true)}>Show both</button>}
      <button onClick={() => void doc.keepMine()}>Keep mine</button>
      <button onClick={() => doc.takeTheirs()}>Take theirs</button>
    </Bar>
  );
}

/** Bar shows a message above the text. It may appear under a pointer that is about to click, so its buttons work only once it has stood still. */
function Bar({ words, bad = false, children }: { words: string; bad?: boolean; children?: ComponentChildren }) {
  const acts = useRef<HTMLDivElement>(null);
  const { settled, onClickCapture } = useSettled(acts, words);
  return (
    <div class={`bar${bad ? " bad" : ""}`} role={bad ? "alert" : "status"}>
      <span>{words}</span>
      <div class="acts" ref={acts} role="group" aria-label="What now" aria-disabled={!settled} onClickCapture={onClickCapture}>{children}</div>
    </div>
  );
}

function Versions({ doc, theirs }: { doc: OpenDoc; theirs: string }) {
  return (
    <section class="versions" aria-label="Both versions">
      <p class="quiet">Red stands in theirs alone, green in yours alone.</p>
      <Diff lines={diffLines(theirs, doc.text)} />
    </section>
  );
}

function Editing({ doc, onWords }: { doc: OpenDoc; onWords: (n: number) => void }) {
  const box = useRef<HTMLDivElement>(null);
  const failed = useSignal("");
  useEffect(() => {
    let off = () => {};
    let gone = false;
    import("../editor/editor.ts").then(
      ({ mountEditor }) => {
        if (gone) return;
        const text = doc.content.value!;
        const editor = mountEditor(box.current!, {
          text,
          base: doc.base ?? text,
          label: `Text of ${docTitle(doc.name)}`,
          onEdit: (dirty) => doc.edited(dirty),
          onText: (t) => onWords(wordCount(t)),
        });
        doc.base ??= text;
        doc.editor = editor;
        const seed = takeSeed(doc.project, doc.name);
        if (seed !== null) editor.append(seed);
        off = () => editor.destroy();
      },
      (e: Error) => { failed.value = e.message; },
    );
    return () => {
      gone = true;
      doc.keepDraft();
      doc.editor = null;
      off();
    };
  }, [doc]);
  if (failed.value !== "") return <div class="bar bad" role="alert"><span>The editor could not be loaded: {failed.value}</span><button onClick={() => location.reload()}>Try again</button></div>;
  return <div class="editor" ref={box} />;
}
