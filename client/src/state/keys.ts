import { Hands } from "../text/hands.ts";

// Which keys may act on the page, decided in one place. A key of a sentence must
// not: focus may fall from a field to the page, and a question may arrive, while
// somebody types.

const hands = new Hands();

// Where in the page the human's own hand put the focus last: by a click, by Tab
// or by a key that is made for it. Never by a focus() of ours.
let place: Element | null = null;
let tabbing = false;

const TEXT = "input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable]:not([contenteditable=false])";

function isText(t: EventTarget | null): boolean { return t instanceof Element && t.closest(TEXT) !== null; }

/** startKeys begins to listen. It must come before all other listeners of the window. */
export function startKeys(): void {
  const on = <K extends keyof WindowEventMap>(type: K, f: (e: WindowEventMap[K]) => void) => addEventListener(type, f, { capture: true });
  on("keydown", (e) => {
    tabbing = e.key === "Tab";
    hands.down(e.timeStamp, e.key, e.repeat, isText(e.target));
    // A key that is held presses a button once, not again and again.
    if (e.repeat && (e.key === "Enter" || e.key === " ") && !isText(e.target)) e.preventDefault();
  });
  on("keyup", (e) => {
    tabbing = false;
    hands.up(e.timeStamp);
  });
  on("input", (e) => { if (isText(e.target)) hands.text(e.timeStamp); });
  on("pointerdown", (e) => {
    place = null;
    hands.pointer(isText(e.target));
  });
  on("focusin", (e) => {
    const to = e.target as Element;
    if (isText(to)) hands.field();
    if (tabbing) place = to;
    else if (place !== null && !place.contains(to)) place = null;
  });
}

/** put tells that the human's own hand goes to a part of the page: a settled click in it, or a key that leads there. */
export function put(part: Element | null): void {
  place = part;
  hands.move();
}

/** placed reports whether the focus is in a part of the page, and the human put it there. */
export function placed(part: Element | null): boolean {
  return part !== null && place !== null && part.contains(place) && part.contains(document.activeElement);
}

/**
 * single reports whether a key that goes down is one that may act by itself, such
 * as "n": no modifier, no repeat, no other key for a second, outside every text
 * and question, and not the rest of a text that lost its focus.
 */
export function single(e: KeyboardEvent): boolean {
  if (!e.isTrusted || e.isComposing || e.ctrlKey || e.metaKey || e.altKey || e.shiftKey) return false;
  if (isText(e.target) || (e.target instanceof Element && e.target.closest("input, dialog") !== null)) return false;
  return hands.alone && !hands.writing;
}

/** alone reports whether the key that went down last is no repeat and came after a second without any other. */
export function alone(): boolean { return hands.alone; }
