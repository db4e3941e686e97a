/** focused is a ref that focuses its element once, when it appears. The attribute autofocus works once a page. */
export function focused(el: HTMLElement | null): void { el?.focus(); }

/** wide reports whether the window is no phone's. */
export function wide(): boolean { return matchMedia("(min-width: 45rem)").matches; }

/** low reports whether the window has room for few lines, as one that is enlarged to 200 %. */
export function low(): boolean { return matchMedia("(max-height: 32rem)").matches; }

let composer: HTMLElement | null = null;

/** isComposer is the ref of the message box. */
export function isComposer(el: HTMLElement | null): void { composer = el; }

/**
 * toComposer focuses the message box, so that the focus does not fall to the page. On a
 * phone it focuses the log, since the box would bring up the keyboard.
 */
export function toComposer(): void {
  const to = wide() ? composer : document.querySelector<HTMLElement>(".log");
  to?.focus();
}

// So long, in ms, browsers take to tell a screen reader what came (Chromium: up to 350 as a page begins).
const TOLD = 500;

/**
 * toQuestion focuses the question of the dialog in view, once it shows what is asked, and reports whether
 * there is one. A description that comes while the focus is there is read twice.
 */
export function toQuestion(): boolean {
  const card = document.querySelector<HTMLElement>(".log .approval");
  if (card === null) return false;
  const look = (): void => {
    if (card.dataset["coming"] !== undefined) return;
    comes.disconnect();
    setTimeout(() => { if (nothingFocused()) card.focus({ preventScroll: true }); }, TOLD);
  };
  const comes = new MutationObserver(look);
  comes.observe(card, { attributeFilter: ["data-coming"] });
  look();
  return true;
}

/** nothingFocused reports whether the focus has fallen to the page. */
export function nothingFocused(): boolean { return document.activeElement === null || document.activeElement === document.body; }
