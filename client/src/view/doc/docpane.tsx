import { batch, computed, effect, untracked, useSignal, type ReadonlySignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { addFile, nameOf } from "../../state/adding.ts";
import { afterwards } from "../../state/afterwards.ts";
import { focusing, noted, outlined, reading } from "../../state/page.ts";
import { inText } from "../../state/keys.ts";
import { followLink, pictureOf, reachGoal } from "../../state/follow.ts";
import type { OpenDoc } from "../../state/doc.ts";
import { placeIn } from "../../state/docs.ts";
import { historyShown } from "../../state/history.ts";
import { shownFile } from "../../state/shownfile.ts";
import { takeSeed } from "../../state/seed.ts";
import { inert } from "../../state/trusted.ts";
import { docs, docTitle } from "../../state/project.ts";
import { announce, toast } from "../../state/toast.ts";
import { addedName, addedPath, markdownOf } from "../../text/added.ts";
import { picturePath } from "../../text/links.ts";
import { reveal } from "../../text/hidden.ts";
import { besideTitle, docStem } from "../../text/names.ts";
import { PLAN } from "../../text/plan.ts";
import { writeRoute } from "../../text/route.ts";
import { added, comments, docs as say, passage, history, rich } from "../../text/strings.ts";
import { clock } from "../../text/time.ts";
import { Asked } from "./asked.tsx";
import { CommentField, CommentsLine } from "./commenting.tsx";
import { DocBar, NewsLine, NotRead } from "./docbar.tsx";
import { DocTools } from "./doctools.tsx";
import { editorCode } from "./editorcode.ts";
import { above } from "../parts/later.tsx";
import { History } from "./history.tsx";
import { nothingFocused } from "../parts/focus.ts";
import { Icon } from "../parts/icon.tsx";
import { Kbd, shortcut } from "../parts/kbd.tsx";
import { MenuItem } from "../parts/menubutton.tsx";
import { Outline } from "./outline.tsx";
import { PassageMenu } from "./passagemenu.tsx";
import { PlanCard, PlanProblems } from "./plancard.tsx";
import { Retitle } from "../parts/retitle.tsx";
import { useKey } from "../parts/usekey.ts";
import { RulesCard } from "./rules.tsx";
import { WhoWrote } from "./whowrote.tsx";

/** DocPane shows one doc: its state above, its text below. */
export function DocPane({ doc }: { doc: OpenDoc }) {
  const words = useSignal<number | null>(null);
  const plain = useSignal(false);
  const foot = useRef<HTMLDivElement>(null), input = useRef<HTMLInputElement>(null);
  const onPaper = useSignal(false);
  useKey("ask", () => doc.ask());
  useEffect(() => {
    const keys = (e: KeyboardEvent) => {
      if (!(e.ctrlKey || e.metaKey) || e.altKey || document.querySelector("dialog[open]")) return;
      const act = { s: () => void doc.save(), e: () => (reading.value = !reading.value), E: () => (focusing.value = !focusing.value), O: () => (outlined.value = !outlined.value) }[e.shiftKey ? e.key.toUpperCase() : e.key.toLowerCase()];
      if (!act) return;
      e.preventDefault();
      act();
    };
    addEventListener("keydown", keys);
    return () => removeEventListener("keydown", keys);
  }, [doc]);
  useEffect(() => hideHistory, [doc]);
  // At once, and not at the next frame: what is typed right behind the key is for the text.
  useEffect(() => {
    const follow = (is: ReadonlySignal<boolean>, set: (on: boolean) => void) => effect(() => {
      const on = is.value;
      untracked(() => set(on));
    });
    const read = computed(() => reading.value || onPaper.value), paper = matchMedia("print");
    const print = (e: Event) => {
      onPaper.value = e.type === "beforeprint" || paper.matches;
      doc.editor?.setOnPaper(onPaper.value);
    };
    for (const type of PRINTS) addEventListener(type, print);
    paper.addEventListener("change", print);
    const stops = [
      () => { for (const type of PRINTS) removeEventListener(type, print); },
      () => paper.removeEventListener("change", print),
      follow(read, (on) => doc.editor?.setReading(on)),
      follow(noted, (on) => doc.editor?.setNoted(on)),
      follow(focusing, (on) => doc.editor?.setFocusing(on)),
    ];
    return () => stops.forEach((stop) => stop());
  }, [doc]);
  // What lies over the foot of the text, on a phone the buttons of a passage too, stands above what is told there.
  useEffect(() => {
    const box = foot.current!;
    const measure = () => box.closest<HTMLElement>(".pane")?.style.setProperty("--foot", `${heightIn(box)}px`);
    const sized = new ResizeObserver(measure);
    const watch = () => { for (const part of box.children) sized.observe(part); };
    const more = new MutationObserver((all) => {
      pile(box); // before it is painted
      if (!all.some((m) => m.target === box)) return;
      watch();
      measure();
    });
    pile(box);
    watch();
    more.observe(box, { childList: true, subtree: true });
    return () => { sized.disconnect(); more.disconnect(); };
  }, [doc.content.value !== null]);
  const label = say.textOf(docTitle(doc.name));
  useEffect(() => doc.editor?.setLabel(label), [doc, label, doc.mounted.value]);
  const ready = doc.content.value !== null;
  return (
    <main class={`pane doc${focusing.value ? " focusing" : ""}`}>
      <div class="strip">
        <a class="back" href={writeRoute({ at: "docs", project: doc.project, file: null })}><Icon name="back" /> {say.toDocs}</a>
        <DocTitle doc={doc} />
        <span class="quiet words">{words.value !== null && say.words(words.value)}</span>
        <span class="spread" />
        <DocTools doc={doc}>
          <MenuItem onClick={() => (historyShown.value = "versions")}>{history.open}</MenuItem>
          <MenuItem disabled={!ready} onClick={() => (historyShown.value = "who")}>{history.who}</MenuItem>
          <MenuItem disabled={!ready || reading.value} onClick={() => input.current!.click()}>{added.choose}</MenuItem>
          <MenuItem class="if-narrow" disabled={!doc.dirty.value || doc.saving.value} onClick={() => void doc.discard()}>{say.discard}</MenuItem>
        </DocTools>
        <input
          ref={input} type="file" multiple hidden tabIndex={-1}
          onChange={(e) => {
            doc.editor?.putFiles([...(e.currentTarget.files ?? [])]);
            e.currentTarget.value = ""; // the same file can be chosen again
          }}
        />
        <Saved doc={doc} />
        <button class="discard" disabled={!doc.dirty.value || doc.saving.value} onClick={() => void doc.discard()}>{say.discard}</button>
        <button class="primary" disabled={!ready || (!doc.dirty.value && doc.bar.value?.kind !== "gone")} aria-keyshortcuts={shortcut("Ctrl S")} onClick={() => void doc.save()}>
          {say.save} <Kbd keys="Ctrl S" />
        </button>
      </div>
      <NotRead doc={doc} />
      {doc.rules.value !== null && <RulesCard doc={doc} rules={doc.rules.value} />}
      {doc.name === PLAN && <><PlanProblems doc={doc} /><PlanCard doc={doc} /></>}
      {plain.value && <p class="quiet plain">{say.plain}</p>}
      <div class="page">
        {ready && <Editing doc={doc} covered={() => heightIn(foot.current)} onWords={(n) => (words.value = n)} onPlain={() => (plain.value = true)} />}
        {outlined.value && <Outline doc={doc} />}
        {historyShown.value === "who" && ready && <WhoWrote doc={doc} onClose={hideHistory} />}
      </div>
      {shownFile.value !== null && <Shown onClose={() => (shownFile.value = null)} />}
      {historyShown.value === "versions" && <History doc={doc} onClose={hideHistory} />}
      <div class="foot"><div class="foot-in" ref={foot}><NewsLine doc={doc} /><div class="beside">{ready && <Beside key={doc.name} doc={doc} onClose={() => undefined} />}</div><CommentsLine doc={doc} /><DocBar doc={doc} /></div></div>
    </main>
  );
}

// What is printed is what is read, with its notes at the end.
const PRINTS = ["beforeprint", "afterprint"];

function hideHistory(): void { historyShown.value = null; }

const partsOf = (box: HTMLElement) => [...box.children] as HTMLElement[];

// What comes stands above what is there, so that nothing of that moves.
function pile(box: HTMLElement): void {
  const parts = partsOf(box), top = Math.min(0, ...parts.map((p) => Number(p.style.order)));
  for (const part of parts) {
    if (part.childElementCount === 0) part.style.order = "";
    else if (part.style.order === "") part.style.order = `${top - 1}`;
  }
}

// How high what stands at the end of a box is, with the part of a px that offsets do not tell.
function heightIn(box: HTMLElement | null): number { return box === null ? 0 : Math.max(0, ...partsOf(box).map((p) => box.clientHeight - p.offsetTop)) + 1; }

const Shown = above<{ onClose: () => void }>(() => import("../dialog/shownfile.tsx").then((m) => m.ShownFile));

// It comes behind the text, which can be written in without it.
const Beside = above<{ doc: OpenDoc; onClose: () => void }>(() => new Promise<void>(afterwards).then(() => import("./beside.tsx")).then((m) => m.Beside));

// The title of the doc in view. Another one is written into its text; its file keeps its name.
function DocTitle({ doc }: { doc: OpenDoc }) {
  const title = docTitle(doc.name), dim = besideTitle(title, docStem(doc.name));
  return (
    <Retitle title={title} about={`${title} · ${doc.name}`} label={say.title} off={!doc.mounted.value} save={(t) => doc.retitle(t)}>
      {dim !== "" && <> <span class="as">{dim}</span></>}
    </Retitle>
  );
}

function Saved({ doc }: { doc: OpenDoc }) {
  const text = doc.dirty.value ? say.notSaved : doc.savedAt.value ? say.saved(clock(doc.savedAt.value)) : "";
  return <span class={`saved${doc.dirty.value ? " dirty" : ""}`} role="status">{doc.saving.value ? <span aria-hidden="true">{say.saving}</span> : text}</span>;
}

function Editing({ doc, covered, onWords, onPlain }: { doc: OpenDoc; covered: () => number; onWords: (n: number) => void; onPlain: () => void }) {
  const box = useRef<HTMLDivElement>(null);
  const failed = useSignal("");
  useEffect(() => {
    let off = () => {};
    let gone = false;
    const at = document.activeElement;
    editorCode().then(
      ({ mountEditor }) => {
        if (gone || box.current === null) return; // left at once, before this was begun
        const editor = mountEditor(box.current, {
          base: doc.content.value!,
          mine: doc.draft,
          place: placeIn(doc.project, doc.name),
          label: say.textOf(docTitle(doc.name)),
          afterwards,
          empty: say.empty,
          leave: say.leaveText,
          reveal,
          inert,
          covered,
          pages: () => (docs.peek() ?? []).map((file) => ({ file, title: docTitle(file) })),
          pagesWords: say.pages,
          follow: (address) => followLink(doc, address),
          followWords: say.followWords,
          followName: say.followName,
          picture: (address) => pictureOf(doc.project, address),
          noPicture: (address) => {
            const path = addedPath(picturePath(address) ?? "");
            return say.noPicture(path === null ? address : addedName(path));
          },
          addFile: async (file, words, signal) => {
            try {
              const { path, type } = await addFile(doc.project, file, signal);
              return markdownOf({ words: words || addedName(path), path }, type);
            } catch (e) {
              if (!signal.aborted) announce((e as Error).message);
              throw e;
            }
          },
          fileName: nameOf,
          fileWords: added,
          leftBehind: (file, trouble) => toast(trouble || added.leftBehind(nameOf(file))),
          pictureAt: (host) => rich.imageAt(host, ""),
          cardWords: say.card,
          foldWords: say.fold,
          onPassage: (selected, asked) => batch(() => {
            doc.selected.value = selected;
            doc.askedAt.value = asked;
          }),
          ask: () => doc.ask(),
          comment: () => doc.comment(),
          sent: doc.sentComments,
          onNotes: (n) => (doc.comments.value = n),
          onAct: (act) => doc.byAct(act),
          onSeen: (key) => (doc.seen.value = new Set(doc.seen.peek()).add(key)),
          onEdit: (dirty) => doc.edited(dirty),
          onWords,
          onPlain,
        });
        doc.attach(editor);
        // It comes when it is loaded: the human may write in another field by then, or have gone elsewhere, as into a menu.
        if (!inText() && (document.activeElement === at || nothingFocused()) && document.querySelector("dialog[open], .menu-list") === null) editor.focus();
        if (reading.peek()) editor.setReading(true);
        if (!noted.peek()) editor.setNoted(false);
        if (focusing.peek()) editor.setFocusing(true);
        reachGoal(doc);
        const seed = takeSeed(doc.project, doc.name);
        if (seed !== null) editor.append(seed);
        off = () => editor.destroy();
      },
      (e: Error) => { failed.value = e.message; },
    );
    return () => {
      gone = true;
      doc.detach();
      off();
    };
  }, [doc]);
  if (failed.value !== "") return <div class="bar bad" role="alert"><span>{say.notLoaded(failed.value)}</span><button onClick={() => location.reload()}>{say.tryAgain}</button></div>;
  return (
    <div class="editor">
      <div class="editor-text" ref={box} />
      <AtSelection doc={doc} />
      <Asked doc={doc} />
      <CommentField doc={doc} />
    </div>
  );
}

function AtSelection({ doc }: { doc: OpenDoc }) {
  const at = doc.selected.value;
  if (at === null || !at.shown || doc.asking.value || doc.commenting.value) return null;
  return (
    <PassageMenu at={at}>
      <button aria-keyshortcuts={shortcut("Ctrl I")} onClick={() => doc.ask()}>{passage.ask} <Kbd keys="Ctrl I" /></button>
      {!reading.value && <button aria-keyshortcuts={shortcut("Ctrl Alt M")} onClick={() => doc.comment()}>{comments.put}</button>}
    </PassageMenu>
  );
}
