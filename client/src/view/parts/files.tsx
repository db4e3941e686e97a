import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { nameOf, type FilesOf } from "../../state/adding.ts";
import { drawPicture, keepFile, NoPicture } from "../../state/pictures.ts";
import { showFile } from "../../state/shownfile.ts";
import { announce } from "../../state/toast.ts";
import { withoutFile, type Added } from "../../text/added.ts";
import { filesOf } from "../../text/pasted.ts";
import { added as say, log } from "../../text/strings.ts";
import { Icon } from "./icon.tsx";
import { Reveal } from "./reveal.tsx";

/** FileChips shows the files of a message that is written, those on their way too, each with what takes it off. Where one goes, the focus comes to `back`. */
export function FileChips({ files, all, text, onWrite, back }: { files: FilesOf; all: Added[]; text: string; onWrite: (text: string) => void; back: () => void }) {
  const adding = files.adding.value;
  if (all.length + adding.length === 0) return null;
  const off = (name: string, remove: () => void) => {
    remove();
    announce(say.removed(name));
    back();
  };
  return (
    <ul class="added-files" aria-label={say.files}>
      {all.map((f) => (
        <Chip key={f.path} name={f.words} picture={<Small project={files.project} path={f.path} />} onRemove={() => off(f.words, () => onWrite(withoutFile(text, f.path)))} />
      ))}
      {adding.map((a, i) => (
        <Chip key={`${i} ${nameOf(a.file)}`} name={nameOf(a.file)} words={a.trouble === "" ? say.adding(nameOf(a.file)) : a.trouble} bad={a.trouble !== ""} picture={<Icon name="doc" />} onRemove={() => off(nameOf(a.file), () => files.remove(a))}>
          {a.trouble !== "" && <button type="button" onClick={() => files.again(a)}>{say.again}</button>}
        </Chip>
      ))}
    </ul>
  );
}

function Chip({ name, words = name, bad = false, picture, onRemove, children }: { name: string; words?: string; bad?: boolean; picture: ComponentChildren; onRemove: () => void; children?: ComponentChildren }) {
  return (
    <li class={bad ? "bad" : ""}>
      {picture}
      <span class="name" dir="auto"><Reveal text={words} /></span>
      {children}
      <button type="button" class="icon-button" aria-label={say.remove(name)} title={say.remove(name)} onMouseDown={(e) => e.preventDefault()} onClick={onRemove}><Icon name="cross" /></button>
    </li>
  );
}

// A file's picture, as large as a line or two; of what is no picture a sheet.
function Small({ project, path }: { project: string; path: string }) {
  const [img, none] = useDrawn(project, path);
  return none ? <Icon name="doc" /> : <img ref={img} alt="" />;
}

function useDrawn(project: string, path: string) {
  const img = useRef<HTMLImageElement>(null);
  const [none, setNone] = useState<Error | null>(null);
  useEffect(() => {
    let left = false;
    setNone(null);
    drawPicture(img.current!, project, path).catch((e: Error) => { if (!left) setNone(e); });
    return () => { left = true; };
  }, [project, path]);
  return [img, none] as const;
}

/** FilesShown shows the files of a message that is sent: a picture small, which opens whole, another as what downloads it. */
export function FilesShown({ project, all }: { project: string; all: Added[] }) {
  if (all.length === 0) return null;
  return <div class="files-shown">{all.map((f) => <Shown key={f.path} project={project} {...f} />)}</div>;
}

function Shown({ project, path, words }: Added & { project: string }) {
  const [img, none] = useDrawn(project, path);
  if (none !== null) return none instanceof NoPicture ? <button type="button" class="added-file" aria-label={say.keep(words)} onClick={() => keepFile(project, path)}><Icon name="doc" /> <Reveal text={words} /></button> : <span class="chip" title={log.noPicture}>{words}</span>;
  return <button type="button" class="added-picture" title={say.open(words)} onClick={() => showFile(project, path)}><img ref={img} alt={words} /></button>;
}

/** ChooseFiles is the button that opens the browser's chooser of files. Where that is done, the focus comes to `back`. */
export function ChooseFiles({ files, back }: { files: FilesOf; back: () => void }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <button type="button" class="icon-button choose" aria-label={say.choose} title={say.choose} onClick={() => input.current!.click()}><Icon name="clip" /></button>
      <input
        ref={input} type="file" multiple hidden tabIndex={-1} onCancel={back}
        onChange={(e) => {
          files.add([...(e.currentTarget.files ?? [])]);
          e.currentTarget.value = ""; // the same file can be chosen again
          back();
        }}
      />
    </>
  );
}

/** takesFiles are the handlers of a box into which files are pasted and dropped. */
export function takesFiles(files: FilesOf) {
  const calm = (e: DragEvent & { currentTarget: HTMLElement }, on: boolean) => e.currentTarget.classList.toggle("dropping", on);
  return {
    onPaste: (e: ClipboardEvent) => {
      const own = filesOf(e.clipboardData);
      if (own.length === 0) return;
      e.preventDefault();
      files.add(own);
    },
    onDragOver: (e: DragEvent & { currentTarget: HTMLElement }) => {
      if (!e.dataTransfer?.types.includes("Files")) return;
      e.preventDefault();
      e.dataTransfer.dropEffect = "copy";
      calm(e, true);
    },
    onDragLeave: (e: DragEvent & { currentTarget: HTMLElement }) => { if (!e.currentTarget.contains(e.relatedTarget as Node | null)) calm(e, false); },
    onDrop: (e: DragEvent & { currentTarget: HTMLElement }) => {
      calm(e, false);
      const own = filesOf(e.dataTransfer);
      if (own.length === 0) return;
      e.preventDefault();
      files.add(own);
    },
  };
}
