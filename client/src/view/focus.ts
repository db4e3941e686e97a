/** focused is a ref that takes the focus once, when its element appears. The attribute would do so once a page. */
export function focused(el: HTMLElement | null): void { el?.focus(); }

let composer: HTMLElement | null = null;

/** isComposer is the ref of the box in which messages are written. */
export function isComposer(el: HTMLElement | null): void { composer = el; }

/**
 * toComposer gives the focus to where one writes, so that it never falls to the
 * page. On a phone it goes to the text above, since a keyboard would come up.
 */
export function toComposer(): void {
  const to = matchMedia("(min-width: 45rem)").matches ? composer : document.querySelector<HTMLElement>(".log");
  to?.focus();
}

/** nothingFocused reports whether the focus has fallen to the page. */
export function nothingFocused(): boolean { return document.activeElement === null || document.activeElement === document.body; }
