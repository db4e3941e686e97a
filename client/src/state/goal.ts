import { signal } from "@preact/signals";
import { leaving } from "./navigation.ts";
import { openDialog } from "./opendialog.ts";
import { openDoc } from "./opendoc.ts";
import { docTitle } from "./project.ts";
import { announce } from "./toast.ts";
import { told } from "../text/strings.ts";

// How long a place is looked for, in ms: a dialog may be read for so long. It is looked at
// again some times, for the log follows its end while it is drawn.
const LONG = 8000, AGAIN = 5, PAUSE = 120;
let stop: (() => void) | null = null;

/** sought is the section that is looked for in the dialog in view, which the log draws before others; "" for none. */
export const sought = signal("");

/** seekLine shows words in a line of a doc, counted from 1, and selects them, once the text is there. */
export function seekLine(project: string, file: string, line: number, words: string): void {
  let gone = false;
  seek(() => {
    const d = openDoc.value;
    if (d === null || d.project !== project || d.name !== file || !d.editor) return false;
    if (!gone) {
      d.editor.goTo(line, words);
      // A focus that comes as the list of what was found goes is passed over by Orca in Firefox.
      announce(told.place(docTitle(file), (d.content.peek() ?? "").split("\n")[line - 1] ?? ""));
    }
    gone = true;
    return true;
  });
}

/** seekSection shows words in a section of a dialog, selects them and puts the focus there, once it was drawn. */
export function seekSection(project: string, dialog: string, section: string, words: string): void {
  let gone = false;
  seek(() => {
    const d = openDialog.value;
    if (d === null || d.project !== project || d.id !== dialog || !d.loaded.value || d.sections.value.length === 0) return false;
    // The innermost: what is folded away names what it holds.
    const at = [...document.querySelectorAll<HTMLElement>(`.log [data-section~="${CSS.escape(section)}"]`)].at(-1);
    if (at === undefined || opens(at) || at.dataset["section"] !== section) return false;
    const range = rangeOf(at, words);
    if (!gone) arrive(at, range);
    gone = true;
    const log = at.closest(".scroll")!, view = log.getBoundingClientRect(), { top } = (range ?? at).getBoundingClientRect();
    if (top < view.top - 1 || top > view.bottom - 40) log.scrollTop += top - view.top - (range ? view.height / 3 : 0);
    return true;
  }, section);
}

// Opens what holds the place and is closed. It reports whether there was such a thing.
function opens(at: HTMLElement): boolean {
  let found = false;
  for (let e: HTMLElement | null = at; e !== null && !e.matches(".log"); e = e.parentElement) {
    if (!(e instanceof HTMLDetailsElement) || e.open) continue;
    e.open = found = true;
  }
  const line = at.querySelector<HTMLElement>(".one-line[aria-expanded=false]");
  line?.click();
  return found || line !== null;
}

function arrive(at: HTMLElement, words: Range | null): void {
  const to = at.localName === "article" ? at : (at.querySelector("summary, .one-line") as HTMLElement | null) ?? at;
  if (to === at) at.tabIndex = -1;
  to.focus({ preventScroll: true });
  if (words !== null) getSelection()?.setBaseAndExtent(words.startContainer, words.startOffset, words.endContainer, words.endOffset);
  at.classList.add("found");
  setTimeout(() => at.classList.remove("found"), 2500);
}

// Returns where words stand first below the head of a section, or null.
function rangeOf(el: Element, words: string): Range | null {
  const texts = document.createTreeWalker(el, NodeFilter.SHOW_TEXT, (n) => (n.parentElement!.closest("header, .head, .one-line") ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT));
  const nodes: Text[] = [];
  while (texts.nextNode()) nodes.push(texts.currentNode as Text);
  const at = words === "" ? -1 : nodes.map((n) => n.data).join("").toLowerCase().indexOf(words.toLowerCase());
  if (at < 0) return null;
  const range = document.createRange();
  let from = 0;
  for (const n of nodes) {
    const to = from + n.length;
    if (from <= at && at < to) range.setStart(n, at - from);
    if (from < at + words.length && at + words.length <= to) range.setEnd(n, at + words.length - from);
    from = to;
  }
  return range;
}

// What is sought is looked for until it is found and stays so, or the human goes elsewhere by
// hand: the Enter that chose it, which is still under way, and an answer to what asks are no such thing.
function seek(found: () => boolean, section = ""): void {
  stop?.();
  sought.value = section;
  const begun = performance.now();
  let end = begun + LONG, left = AGAIN;
  const look = () => {
    if (leaving.peek() !== null) end = performance.now() + LONG;
    if (found()) left--;
    if (left === 0 || performance.now() > end) stop?.();
  };
  const timer = setInterval(look, PAUSE);
  const hand = (e: Event) => { if (e.timeStamp > begun && !(e as KeyboardEvent).repeat && !(e.target as Element).closest?.("dialog")) stop?.(); };
  const events = ["wheel", "keydown", "pointerdown", "touchmove"];
  for (const e of events) addEventListener(e, hand, { passive: true });
  stop = () => {
    clearInterval(timer);
    for (const e of events) removeEventListener(e, hand);
    stop = null;
    sought.value = "";
  };
}
