import { computed, signal } from "@preact/signals";
import { Hands } from "../text/hands.ts";
import { isKey, KEYMAP, type KeyName } from "../text/keymap.ts";

// Which keys may act on the page, decided here alone. A key that is typed as part of a
// text must not, although the focus may fall from a field to the page, or a question
// may appear, in the middle of a sentence.

const hands = new Hands();

// The part of the page that the human focused last, by a click, by Tab or by a key
// for it; never what a call of focus() did. null where something else has the focus.
let handPart: Element | null = null;
let tabbing = false;

const TEXT = "input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable]";

// What stands in a text and is none of it, as a question at its place, is no text.
function isText(t: EventTarget | null): boolean { return t instanceof Element && t.closest(TEXT)?.matches("[contenteditable=false]") === false; }

/** inText reports whether what is typed now goes into a text. */
export function inText(): boolean { return isText(document.activeElement); }

/** startKeys begins to listen. It must come before all other listeners of the window. */
export function startKeys(): void {
  const on = <K extends keyof WindowEventMap>(type: K, f: (e: WindowEventMap[K]) => void) => addEventListener(type, f, { capture: true });
  on("keydown", (e) => {
    tabbing = e.key === "Tab";
    hands.down(e.timeStamp, e.key, e.repeat, isText(e.target));
    // A key that is held down presses a button once.
    if (e.repeat && (e.key === "Enter" || e.key === " ") && !isText(e.target)) e.preventDefault();
  });
  addEventListener("keydown", press);
  on("keyup", (e) => {
    tabbing = false;
    hands.up(e.timeStamp);
  });
  on("input", (e) => { if (isText(e.target)) hands.text(e.timeStamp); });
  on("pointerdown", (e) => {
    if (e.isTrusted) point();
    handPart = null;
    hands.pointer(isText(e.target));
  });
  on("focusin", (e) => {
    const to = e.target as Element;
    if (isText(to)) hands.field();
    if (tabbing) handPart = to;
    else if (handPart !== null && !handPart.contains(to)) handPart = null;
  });
}

const LETTERS = "vibey.letters", POINTED = "vibey.pointed";

const chosen = signal(localStorage.getItem(LETTERS));
const pointed = signal(localStorage.getItem(POINTED) !== null);

/**
 * Whether single letters act, as this browser keeps it. Where the human has not chosen, they do
 * once a mouse, pen or finger was used: who reads with a screen reader moves by letters, and
 * would open what they never asked for.
 */
export const letters = computed(() => (chosen.value === null ? pointed.value : chosen.value === "on"));

/** setLetters switches the single letters on or off. */
export function setLetters(on: boolean): void {
  chosen.value = on ? "on" : "off";
  localStorage.setItem(LETTERS, chosen.value);
}

function point(): void {
  if (pointed.peek()) return;
  pointed.value = true;
  localStorage.setItem(POINTED, "yes");
}

/** byTab reports whether the Tab key is down, which moves the focus. */
export function byTab(): boolean { return tabbing; }

/** Whether the palette is shown, or will be once its code is here. */
export const findShown = signal(false);

let ahead = "";

/** openFind shows the palette. What is typed before its field is there is kept for it, and goes nowhere else. */
export function openFind(): void {
  if (findShown.peek()) return;
  ahead = "";
  addEventListener("keydown", typeAhead, { capture: true });
  findShown.value = true;
}

/** closeFind closes the palette. */
export function closeFind(): void {
  typedAhead();
  findShown.value = false;
}

/** typedAhead is what was typed since openFind. What is typed from now on goes where the focus is. */
export function typedAhead(): string {
  removeEventListener("keydown", typeAhead, { capture: true });
  return ahead;
}

function typeAhead(e: KeyboardEvent): void {
  if (e.ctrlKey || e.metaKey || e.altKey || e.isComposing) return;
  if (e.key === "Escape") closeFind();
  else if (e.key === "Backspace") ahead = [...ahead].slice(0, -1).join("");
  else if ([...e.key].length === 1) ahead += e.key;
  else if (e.key !== "Enter") return;
  e.preventDefault();
  e.stopImmediatePropagation();
}

/** Whether the list of keys is shown. */
export const keysShown = signal(false);

/** showKeys shows the list of keys. */
export function showKeys(): void { keysShown.value = true; }

// What each key does now: the part of the page that came last has it.
const acts = new Map<KeyName, (() => void)[]>();

/** onKey lets a key of the keymap act, until the returned function is called; with `rest`, where no other part of the page has it. */
export function onKey(name: KeyName, act: () => void, rest = false): () => void {
  const all = acts.get(name) ?? [];
  acts.set(name, rest ? [act, ...all] : [...all, act]);
  return () => void acts.set(name, (acts.get(name) ?? []).filter((a) => a !== act));
}

// A key with Ctrl acts wherever the focus is, but for a question that must be answered first.
function press(e: KeyboardEvent): void {
  if (e.defaultPrevented || document.querySelector("dialog[open]") !== null) return;
  for (const name of Object.keys(KEYMAP) as KeyName[]) {
    const act = acts.get(name)?.at(-1);
    if (act === undefined || !isKey(name, e)) continue;
    if (!KEYMAP[name].ctrl && !single(e, letters.peek() || (name === "list" && chosen.peek() === null))) return;
    e.preventDefault();
    if (!e.repeat) act();
    return;
  }
}

/** focusByHand records that the human focused a part of the page, by a settled click in it or by a key for it. */
export function focusByHand(part: Element | null): void {
  handPart = part;
  hands.move();
}

/** endText records that a key ended a text, and where the focus is then: letters act there again once there was a pause. */
export function endText(at: Element | null): void {
  handPart = at;
  hands.end();
}

/** typesOn reports whether a key goes on with a text that another key has just ended. */
export function typesOn(e: KeyboardEvent): boolean { return hands.writing && !isText(e.target) && [...e.key].length === 1 && e.key !== " " && !e.ctrlKey && !e.metaKey && !e.altKey; }

/** focusedByHand reports whether the focus is in that part of the page and the human put it there. */
export function focusedByHand(part: Element | null): boolean {
  return part !== null && handPart !== null && part.contains(handPart) && part.contains(document.activeElement);
}

/**
 * single reports whether a key that goes down is one that may act by itself, such
 * as "n": no modifier, outside every text and question, and not typed on after a text
 * field has lost the focus. One that decides must be alone too. `act` says whether letters act.
 */
export function single(e: KeyboardEvent, act = letters.peek()): boolean {
  if (!act || !e.isTrusted || e.isComposing || e.ctrlKey || e.metaKey || e.altKey || (e.shiftKey && e.key !== "?")) return false;
  if (isText(e.target) || (e.target instanceof Element && e.target.closest("input, dialog") !== null)) return false;
  return !hands.writing;
}

/** alone reports whether the key that went down last is no repeat and came after a second without any other. */
export function alone(): boolean { return hands.alone; }
