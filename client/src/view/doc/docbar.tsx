import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { OpenDoc } from "../../state/doc.ts";
import { showNextDraft } from "../../state/docs.ts";
import { diffPart } from "../../text/part.ts";
import { docs as say } from "../../text/strings.ts";
import { clock } from "../../text/time.ts";
import type { Answer } from "../../text/versions.ts";
import { Diff } from "../parts/diff.tsx";
import { nothingFocused, wide } from "../parts/focus.ts";
import { Icon } from "../parts/icon.tsx";
import { useSettled } from "../parts/still.ts";

/** NotRead says why the text can't be shown, in a region that stands before its words. */
export function NotRead({ doc }: { doc: OpenDoc }) {
  const failed = doc.failure.value !== "" && doc.content.value === null;
  return <div role="status">{failed && <Bar bad words={doc.failure.value}><button onClick={() => location.reload()}>{say.tryAgain}</button></Bar>}</div>;
}

/** DocBar says what the human must know of the text's file, in a region that stands before its words. It lies over the foot of the text, so that nothing moves when it comes. */
export function DocBar({ doc }: { doc: OpenDoc }) {
  const bar = doc.bar.value;
  if (doc.content.value === null) return null;
  return (
    <>
      {bar?.kind === "overlap" && doc.failure.value === "" && doc.comparing.value && <Versions doc={doc} theirs={bar.theirs.content} />}
      <div role="status"><Told doc={doc} /></div>
    </>
  );
}

function Told({ doc }: { doc: OpenDoc }) {
  const bar = doc.bar.value;
  if (doc.failure.value !== "") {
    return <Bar bad words={`${doc.failure.value} ${say.kept}`}><button onClick={() => void doc.save()}>{say.tryAgain}</button></Bar>;
  }
  if (bar === null) return null;
  if (bar.kind === "restored") {
    return (
      <Bar words={say.restored(clock(bar.at), bar.more)}>
        <button onClick={() => (doc.bar.value = null)}>{say.resume}</button>
        <button onClick={() => void doc.discard()}>{say.goBack}</button>
      </Bar>
    );
  }
  if (bar.kind === "more") {
    return (
      <Bar words={say.moreUnsaved}>
        <button onClick={showNextDraft}>{say.show}</button>
        <button onClick={() => (doc.bar.value = null)}>{say.later}</button>
      </Bar>
    );
  }
  if (bar.kind === "gone") return <Bar words={say.gone} />;
  // What was pressed goes: the focus does not fall to the page, from where the text is far by keys. On a phone it would bring up the keyboard.
  const answer = async (a: Answer) => {
    await doc.answer(a);
    if (wide() && nothingFocused()) doc.editor?.focus();
  };
  return (
    <Bar words={say.overlap}>
      <button aria-expanded={doc.comparing.value} onClick={() => (doc.comparing.value = !doc.comparing.value)}>{say.showBoth}</button>
      <button onClick={() => void answer("mine")}>{say.keepMine}</button>
      <button onClick={() => void answer("theirs")}>{say.takeTheirs}</button>
      <button onClick={() => void answer("both")}>{say.keepBoth}</button>
    </Bar>
  );
}

// How long in ms the line stands while it can be seen.
const STAYS = 30_000, STEP = 1000;

/** NewsLine tells what another writer changed, as the bar does. It goes by itself, but not while the pointer or the focus is on it. */
export function NewsLine({ doc }: { doc: OpenDoc }) {
  const acts = useRef<HTMLDivElement>(null);
  const news = doc.news.value;
  const words = news === null ? "" : say.news(news.who, news.dialog, news.lines);
  const { settled, onClickCapture } = useSettled(acts, words);
  useEffect(() => {
    if (news === null) return;
    let left = STAYS;
    const timer = setInterval(() => {
      if (document.hidden || acts.current?.parentElement?.matches(":hover, :focus-within")) return;
      left -= STEP;
      if (left <= 0) doc.forgetTheirs();
    }, STEP);
    return () => clearInterval(timer);
  }, [news]);
  return (
    <div class="news" role="status">
      {news !== null && (
        <div class="news-line">
          <span key={news.id}>{words}</span>
          <div class="acts" ref={acts} role="group" aria-label={words} aria-disabled={!settled} onClickCapture={onClickCapture}>
            <button onClick={() => doc.showTheirs()}>{say.show}</button>
            <button onClick={() => doc.undoTheirs()}>{say.undo}</button>
            <button class="icon-button" aria-label={say.dismiss} title={say.dismiss} onClick={() => doc.forgetTheirs()}><Icon name="cross" /></button>
          </div>
        </div>
      )}
    </div>
  );
}

/** Bar shows a message. It may appear under a pointer that is about to click, so its buttons work only once it has stood still. */
function Bar({ words, bad = false, children }: { words: string; bad?: boolean; children?: ComponentChildren }) {
  const acts = useRef<HTMLDivElement>(null);
  const { settled, onClickCapture } = useSettled(acts, words);
  return (
    <div class={`bar${bad ? " bad" : ""}`}>
      <span>{words}</span>
      <div class="acts" ref={acts} role="group" aria-label={say.whatNow} aria-disabled={!settled} onClickCapture={onClickCapture}>{children}</div>
    </div>
  );
}

function Versions({ doc, theirs }: { doc: OpenDoc; theirs: string }) {
  return (
    <section class="versions" aria-label={say.both} tabIndex={0}>
      <p class="quiet">{say.redGreen}</p>
      <Diff part={diffPart("versions", "", theirs, doc.text, { path: doc.name, whole: true })} />
    </section>
  );
}
