/** QUIET is how long no other key may have gone before one that decides, in ms. */
export const QUIET = 1000;

/**
 * Hands folds what a human's hands do at keyboard and pointer, so that a key of a
 * sentence is told from a key that was meant for the page. Times are in ms, of
 * one clock that does not go back.
 */
export class Hands {
  #last = -Infinity;
  #gap = Infinity;
  #repeat = false;
  #writing = false;

  /** down is a key that goes down; field tells whether it goes into a text. */
  down(at: number, key: string, repeat: boolean, field: boolean): void {
    this.#gap = at - this.#last;
    this.#last = at;
    this.#repeat = repeat;
    if (key === "Tab" || key === "Escape") this.#writing = false;
    else if (field) this.#writing = true;
  }

  /** up is a key that is let go. */
  up(at: number): void { this.#last = at; }

  /** text is text that came into a field, by keys or without them, such as by dictation. */
  text(at: number): void {
    this.#last = at;
    this.#writing = true;
  }

  /** field is a text field that got the focus, by whatever means. */
  field(): void { this.#writing = true; }

  /** pointer is a press of mouse, pen or finger. */
  pointer(field: boolean): void { this.#writing = field; }

  /** move is a key by which the human goes to another place of the page. */
  move(): void { this.#writing = false; }

  /** alone reports whether the key that went down last is no repeat, and came after a second without any other. */
  get alone(): boolean { return !this.#repeat && this.#gap >= QUIET; }

  /**
   * writing reports whether the human was in a text field last and has not left
   * it since, by pointer, Tab or Escape: what is typed then belongs to that
   * text, wherever the focus fell.
   */
  get writing(): boolean { return this.#writing; }
}
