import { useEffect, useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { useSignal } from "@preact/signals";
import { Comments } from "../../state/comments.ts";
import type { OpenDoc } from "../../state/doc.ts";
import { reading } from "../../state/page.ts";
import { dialogs, dialogTitle } from "../../state/project.ts";
import { Draft } from "../../state/unsent.ts";
import { toast } from "../../state/toast.ts";
import { behind } from "../../text/queue.ts";
import { writeRoute } from "../../text/route.ts";
import { comments as say } from "../../text/strings.ts";
import { choose } from "./asked.tsx";
import { grow } from "./askfield.tsx";
import { GoesTo } from "./goesto.tsx";
import { besides } from "./passagemenu.tsx";

// The size of the field in px.
const HIGH = 56, WIDE = 432;

/** CommentField is the slim field for a comment on a passage. Enter ends it; Escape gives the focus and the selection back. */
export function CommentField({ doc }: { doc: OpenDoc }) {
  const form = useRef<HTMLFormElement>(null), box = useRef<HTMLTextAreaElement>(null);
  const words = useMemo(() => new Draft(doc.project, `?comment:${doc.name}`), [doc]);
  useEffect(() => () => words.close(), [words]);
  const busy = useRef(false);
  useLayoutEffect(() => {
    doc.onComment = () => {
      form.current!.hidden = false;
      box.current!.focus({ preventScroll: true });
    };
    return () => (doc.onComment = null);
  }, [doc]);
  const close = (select = true) => {
    doc.commenting.value = false;
    const { editor } = doc, at = editor?.asked();
    if (!editor || !at) return;
    editor.ask(null);
    editor.select(select ? at : { from: at.to, to: at.to });
  };
  const put = async () => {
    const said = words.text.peek(), before = doc.text;
    if (!doc.editor || said.trim() === "" || busy.current) return;
    busy.current = true;
    const stands = await doc.editor.comment(said).catch((e: Error) => e.message).finally(() => (busy.current = false));
    if (stands !== true) return toast(stands || say.notHere);
    doc.onCommented?.(before);
    words.write(behind(words.text.peek(), said));
    box.current!.style.height = "";
    close(false);
  };
  const at = doc.askedAt.value ?? doc.selected.value;
  return (
    <form
      ref={form} class="ask-field" hidden={!doc.commenting.value} style={at === null ? {} : besides(at, HIGH, WIDE)} onSubmit={(e) => { e.preventDefault(); void put(); }}
      onKeyDown={(e) => {
        if (e.key !== "Escape" || e.isComposing) return;
        e.preventDefault();
        e.stopPropagation();
        close();
      }}
    >
      <div class="ask-words">
        <textarea
          ref={box} rows={1} aria-label={say.field} placeholder={say.field} dir="auto" value={words.text.value} onInput={(e) => { words.write(e.currentTarget.value); grow(e.currentTarget); }}
          onKeyDown={(e) => {
            if (e.key !== "Enter" || e.shiftKey || e.isComposing) return;
            e.preventDefault();
            if (!e.repeat) void put();
          }}
        />
        <button class="primary" aria-disabled={words.text.value.trim() === ""} onMouseDown={(e) => e.preventDefault()}>{say.put}</button>
      </div>
    </form>
  );
}

/** CommentsLine lies over the foot of a doc that has comments, and sends them. */
export function CommentsLine({ doc }: { doc: OpenDoc }) {
  const gone = useSignal("");
  const out = useMemo(() => new Comments(doc, choose, (id) => (gone.value = id)), [doc]);
  useEffect(() => {
    doc.onCommented = (before) => out.wrote(before);
    return () => {
      doc.onCommented = null;
      out.close();
    };
  }, [out]);
  const n = doc.comments.value;
  const known = dialogs.value !== null;
  useEffect(() => { if (n > 0) out.toLast(); }, [out, n > 0, known]);
  if (n === 0 || reading.value) return null;
  void doc.version.value; // a letter may change what is left of them
  const left = out.left();
  return (
    <div class="comments-line" role="group" aria-label={say.name}>
      <span class="quiet">{left === 0 ? say.allSent(n) : say.count(left)}</span>
      <GoesTo out={out} />
      <button class="primary" disabled={left === 0} aria-disabled={out.busy.value} onClick={() => void out.send()}>{say.send}</button>
      <p role="status">{out.trouble.value !== "" ? out.trouble.value : gone.value !== "" && <>{say.sent(dialogTitle(gone.value))} <a href={writeRoute({ at: "dialogs", project: doc.project, dialog: gone.value })}>{say.look}</a></>}</p>
    </div>
  );
}
