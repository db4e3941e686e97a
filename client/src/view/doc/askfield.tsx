import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import type { Ask } from "../../state/ask.ts";
import { dialogs } from "../../state/project.ts";
import { join, split } from "../../text/added.ts";
import { passage as say } from "../../text/strings.ts";
import { ChooseFiles, FileChips, takesFiles } from "../parts/files.tsx";
import { shortcut } from "../parts/kbd.tsx";
import { GoesTo } from "./goesto.tsx";
import { besides } from "./passagemenu.tsx";

// The size of the field in px.
const HIGH = 112, WIDE = 432;

/** AskField is the slim field that asks about a passage. Enter sends; Escape gives the focus and the selection back. */
export function AskField({ ask }: { ask: Ask }) {
  const { doc } = ask;
  const form = useRef<HTMLFormElement>(null), box = useRef<HTMLTextAreaElement>(null);
  useLayoutEffect(() => {
    doc.onAsk = () => {
      ask.begin();
      form.current!.hidden = false;
      box.current!.focus({ preventScroll: true });
    };
    return () => (doc.onAsk = null);
  }, [ask]);
  const known = dialogs.value !== null;
  useEffect(() => { if (known && doc.asking.peek()) ask.toLast(); }, [ask, known]);
  const at = doc.askedAt.value ?? doc.selected.value;
  const text = ask.words.text.value, { files } = ask.words;
  const { files: all, words } = split(text);
  const write = (t: string) => ask.words.write(t);
  return (
    <form
      ref={form} class="ask-field" {...takesFiles(files)} hidden={!doc.asking.value} style={at === null ? {} : besides(at, HIGH, WIDE)} aria-busy={ask.busy.value} onSubmit={(e) => { e.preventDefault(); void ask.send(); }}
      onKeyDown={(e) => {
        if (e.key !== "Escape" || e.isComposing) return;
        e.preventDefault();
        e.stopPropagation();
        ask.leave();
      }}
    >
      <FileChips files={files} all={all} text={text} onWrite={write} back={() => box.current?.focus()} />
      <div class="ask-words">
        <textarea
          ref={box} rows={1} aria-label={say.field} placeholder={say.field} dir="auto" value={words} aria-describedby="ask-trouble"
          onInput={(e) => { write(join(all, e.currentTarget.value)); grow(e.currentTarget); }}
          onKeyDown={(e) => {
            if (e.key !== "Enter" || e.shiftKey || e.isComposing) return;
            e.preventDefault();
            if (!e.repeat) void ask.send();
          }}
        />
        <ChooseFiles files={files} back={() => box.current?.focus()} />
        <button class="primary" aria-disabled={text.trim() === "" || ask.busy.value || files.holds() !== ""} aria-keyshortcuts={shortcut("↵")} onMouseDown={(e) => e.preventDefault()}>{say.send}</button>
      </div>
      <GoesTo out={ask} />
      <p class="ask-trouble" id="ask-trouble" role="status">{ask.trouble.value}</p>
    </form>
  );
}

/** grow makes a field as high as its words, up to a part of the page. */
export function grow(el: HTMLTextAreaElement): void {
  el.style.height = "auto";
  el.style.height = `${Math.min(el.scrollHeight + 2, innerHeight * 0.3)}px`;
}
