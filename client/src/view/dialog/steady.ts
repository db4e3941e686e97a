// What is read stays where it stands on the screen, although what is below it goes, as a
// question does that was answered, or the head above the log takes another line. Below the
// last entry is as much room as that needs, and what comes next is written into it.

// How much of the log must be in view, in px, for a place to be worth keeping.
const LEAST = 64;

/** Steady holds one log. Its elements are the scroller, the column in it, and the room below that. */
export class Steady {
  #scroll = 0;
  #top = 0;
  #mark: Element | null = null;
  #markAt = 0;
  // What a whole scroll position is short of the place that is held, in px.
  #owed = 0;

  constructor(readonly el: HTMLElement) { this.note(); }

  get #column(): HTMLElement { return this.el.querySelector<HTMLElement>(":scope > .column")!; }
  get #room(): HTMLElement { return this.el.querySelector<HTMLElement>(":scope > .room")!; }

  /** end is the scroll position that shows the last entry, without the room below it. */
  get end(): number { return Math.max(0, this.#column.offsetHeight - this.el.clientHeight); }

  /** keep puts back what has moved since the last call. It must be called after each change of the layout before the page is painted, and where it was scrolled. */
  keep(): void {
    const { el } = this;
    const top = el.getBoundingClientRect().top;
    let at = el.scrollTop;
    // What is below was taken away, and the browser scrolled back to the end that is left.
    // Where it only weighed anew what is above the view, the entries in view did not move.
    const back = this.#scroll - at;
    const moved = this.#mark?.isConnected === true ? this.#mark.getBoundingClientRect().top - top - this.#markAt : back;
    const cut = back > 0 && at >= el.scrollHeight - el.clientHeight - 1 && Math.abs(moved - back) < 2;
    if (cut) at = this.#scroll;
    at += top - this.#top + this.#owed;
    if (at + LEAST > this.#column.offsetHeight) at = this.end;
    this.#give(at);
    if (cut || Math.abs(el.scrollTop - at) >= 1) {
      el.scrollTop = at - 1; // a scroll of ours, without which Chromium goes back to the old place once it can
      el.scrollTop = at;
    }
    const owed = at - el.scrollTop;
    this.#owed = Math.abs(owed) < 1 ? owed : 0;
    this.note();
  }

  /** note takes the place that our own code has scrolled to. Room that is out of view goes. */
  note(): void {
    const { el } = this;
    this.#give(el.scrollTop);
    this.#scroll = el.scrollTop;
    this.#top = el.getBoundingClientRect().top;
    this.#mark = [...this.#column.querySelectorAll(":scope > .items")].at(-1) ?? null;
    this.#markAt = (this.#mark?.getBoundingClientRect().top ?? 0) - this.#top;
  }

  #give(at: number): void {
    const room = `${Math.max(0, Math.ceil(at + this.el.clientHeight - this.#column.offsetHeight))}px`;
    if (this.#room.style.blockSize !== room) this.#room.style.blockSize = room;
  }
}
