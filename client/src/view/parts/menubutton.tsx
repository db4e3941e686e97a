import type { ComponentChildren, JSX } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import { Icon } from "./icon.tsx";
import { useMenu } from "./menu.ts";
import { uncovered } from "./still.ts";

interface Props {
  label: string;
  class?: string;
  children: ComponentChildren;
  /** what stands below the acts and is none */
  beside?: ComponentChildren;
}

/** MenuButton opens a short menu of acts, each a MenuItem. Arrows go through it; Escape, and an act, close it and lead back to the button. */
export function MenuButton({ label, class: cls = "", children, beside }: Props) {
  const { open, box } = useMenu();
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (open.value) items(box.current)[0]?.focus();
  }, [open.value]);
  const onKeyDown = (e: KeyboardEvent) => {
    if (!open.value) return;
    if (e.key === "Escape") {
      e.stopPropagation();
      open.value = false;
      button.current?.focus();
      return;
    }
    const all = items(box.current);
    const at = all.indexOf(document.activeElement as HTMLElement);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1 + all.length, Home: 0, End: all.length - 1 }[e.key];
    if (to === undefined || all.length === 0) return;
    e.preventDefault();
    e.stopPropagation();
    all[to % all.length]!.focus();
  };
  const close = (e: Event) => {
    if ((e.target as Element).closest("button, a") === null) return;
    open.value = false;
    uncovered();
    button.current?.focus();
  };
  return (
    <div class={`menu ${cls}`} ref={box} onKeyDown={onKeyDown} onFocusOut={(e) => { if (e.relatedTarget !== null && !box.current?.contains(e.relatedTarget as Node)) open.value = false; }}>
      <button ref={button} type="button" class="icon-button" aria-label={label} title={label} aria-haspopup="menu" aria-expanded={open.value} onClick={() => (open.value = !open.value)}><Icon name="dots" /></button>
      {open.value && <div class="menu-list" onClickCapture={close}><div class="items" role="menu" aria-label={label}>{children}</div>{beside}</div>}
    </div>
  );
}

/** MenuItem is one act of a menu; `about` is what more there is to say of it. */
export function MenuItem({ about, ...more }: JSX.IntrinsicElements["button"] & { about?: string }) {
  const id = useId();
  return (
    <>
      <button type="button" role="menuitem" tabIndex={-1} {...more} {...(about === undefined ? {} : { "aria-describedby": id })} />
      {about !== undefined && <p class="quiet" role="none" id={id}>{about}</p>}
    </>
  );
}

function items(box: HTMLElement | null): HTMLElement[] {
  return [...(box?.querySelectorAll<HTMLElement>(".menu-list button:not(:disabled), .menu-list a") ?? [])].filter((e) => e.getClientRects().length > 0);
}
