/** QUIET is the pause in ms that must lie between any key and a key that decides. */
export const QUIET = 1000;

/**
 * Hands folds the events of keyboard and pointer, to tell a key that is part of a text
 * from one that is meant for the page. Times are in ms, of one clock that never goes
 * back.
 */
export class Hands {
  #last = -Infinity;
  #gap = Infinity;
  #repeat = false;
  #writing = false;
  #ended = false;

  /** down takes a key that goes down; field says whether it goes into a text field. Shift writes nothing: it is a part of the next key. */
  down(at: number, key: string, repeat: boolean, field: boolean): void {
    if (key === "Shift") return;
    this.#gap = at - this.#last;
    this.#last = at;
    this.#repeat = repeat;
    if (field) this.#ended = false;
    if (key === "Tab" || key === "Escape" || (this.#ended && this.#gap >= QUIET)) this.#writing = false;
    else if (field) this.#writing = true;
  }

  /** up takes a key that is released. */
  up(at: number): void { this.#last = at; }

  /** text takes an input into a text field, by keys or by other means such as dictation. */
  text(at: number): void {
    this.#last = at;
    this.#writing = true;
  }

  /** field takes a text field that got the focus, by any means. */
  field(): void {
    this.#writing = true;
    this.#ended = false;
  }

  /** end takes a key that ended a text, such as Enter: who types on at once means that text, and who does not for QUIET has left it. */
  end(): void { this.#ended = true; }

  /** pointer takes a press of mouse, pen or finger; field says whether it is on a text field. */
  pointer(field: boolean): void { this.#writing = field; }

  /** move takes a key by which the human goes to another part of the page. */
  move(): void { this.#writing = false; }

  /** alone reports whether the last key that went down is no repeat and came at least QUIET after any other. */
  get alone(): boolean { return !this.#repeat && this.#gap >= QUIET; }

  /**
   * writing reports whether the human was in a text field last and has not left it by
   * pointer, Tab, Escape, or a pause after its end. Keys belong to that text then, wherever the focus is now.
   */
  get writing(): boolean { return this.#writing; }
}
