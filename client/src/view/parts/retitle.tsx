import type { ComponentChildren } from "preact";
import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { TITLE_MAX } from "../../text/names.ts";
import { retitle as say } from "../../text/strings.ts";
import { focused } from "./focus.ts";
import { Icon } from "./icon.tsx";

interface Props {
  title: string;
  /** what the heading's tooltip says */
  about: string;
  /** what the field is for */
  label: string;
  /** true while it can't be given another one */
  off?: boolean;
  save: (title: string) => Promise<unknown>;
  children?: ComponentChildren;
}

/** Retitle is the heading of what is in view. It is given another title in its place: Enter saves, Escape leaves it. */
export function Retitle({ title: name, about, label, off, save, children }: Props) {
  const writing = useSignal<string | null>(null);
  const error = useSignal("");
  const pen = useRef<HTMLButtonElement>(null);
  const leave = () => {
    writing.value = null;
    error.value = "";
    queueMicrotask(() => setTimeout(() => pen.current?.focus()));
  };
  const submit = async (e: Event) => {
    e.preventDefault();
    const title = (writing.value ?? "").trim();
    const n = [...title].length;
    if (title === name) return leave();
    if (title === "") return void (error.value = say.empty);
    if (n > TITLE_MAX) return void (error.value = say.tooLong(n, TITLE_MAX));
    try {
      await save(title);
      leave();
    } catch (err) {
      error.value = (err as Error).message;
    }
  };
  if (writing.value === null) {
    return (
      <span class="title">
        <h1 dir="auto" title={about}>{name}</h1>
        {children}
        <button ref={pen} class="icon-button" aria-label={say.pen} title={say.pen} disabled={off} onClick={() => (writing.value = name)}><Icon name="pen" /></button>
      </span>
    );
  }
  return (
    <form class="title renaming" onSubmit={submit} onKeyDown={(e) => { if (e.key === "Escape") { e.stopPropagation(); leave(); } }}>
      <h1 class="unseen">{name}</h1>
      <input
        ref={focused} aria-label={label} dir="auto" autocomplete="off" value={writing.value} aria-invalid={error.value !== ""}
        onFocus={(e) => e.currentTarget.select()} onInput={(e) => (writing.value = e.currentTarget.value)}
      />
      <button>{say.save}</button>
      {error.value !== "" && <p class="error" role="alert">{error.value}</p>}
    </form>
  );
}
